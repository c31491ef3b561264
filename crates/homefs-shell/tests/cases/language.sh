# tree: project

### strict mode fails
bash -c 'set -euo pipefail; false | true; echo unreachable'; echo $?

### strict mode with or
set -euo pipefail; false || echo recovered; x=${undefined:-default}; echo $x

### unset variable message
bash -c 'set -u; echo $nope' 2>&1; echo $?

### errexit in function
set -e; f() { false; echo not; }; if f; then echo "in if"; fi; (f) || echo after; echo end

### errexit stops
bash -c 'set -e; echo a; ls nothing 2>/dev/null; echo b'; echo $?

### pipefail
set -o pipefail; false | cat; echo $?; true | cat; echo $?; set +o pipefail; false | cat; echo $?

### pipestatus
false | true | (exit 3); echo "${PIPESTATUS[@]}"; true; echo ${PIPESTATUS[0]}

### negated pipeline
! false; echo $?; ! true | false; echo $?

### trap exit
bash -c 'trap "echo bye" EXIT; echo hi; exit 3'; echo $?

### trap exit with cleanup
(t=$(mktemp); trap 'rm -f "$t"; echo cleaned' EXIT; echo x > "$t"; cat "$t")

### trap err line
bash -c 'trap "echo failed: \$?" ERR; ls nothing 2>/dev/null; true; false; echo end'

### trap listing and reset
trap 'echo x' EXIT; trap -p EXIT; trap - EXIT; trap -p

### local variables
x=g; f() { local x=l y; y=2; echo $x $y; g; }; g() { echo "in g: $x"; }; f; echo $x ${y:-none}

### return values
f() { return 7; }; f; echo $?; g() { [ "$1" -gt 3 ] && return 0; return 1; }; g 5 && echo big; g 1 || echo small

### function arguments
f() { echo "$# $1 ${@:2} $*"; shift; echo "$@"; }; f a 'b c' d

### recursion
fact() { (( $1 <= 1 )) && { echo 1; return; }; echo $(( $1 * $(fact $(($1-1))) )); }; fact 6

### nameref
f() { local -n ref=$1; ref="changed"; }; v=old; f v; echo $v

### global in function
f() { declare -g G=1; H=2; }; f; echo $G $H

### getopts
parse() { local OPTIND=1 o; while getopts 'ab:c' o; do case $o in a) echo A;; b) echo "B=$OPTARG";; c) echo C;; ?) echo bad;; esac; done; shift $((OPTIND-1)); echo "rest: $*"; }; parse -a -b val -c x y

### getopts silent
parse() { local OPTIND=1; while getopts ':x:' o; do case $o in x) echo "x=$OPTARG";; :) echo "missing $OPTARG";; \?) echo "unknown $OPTARG";; esac; done; }; parse -x 1 -y -x

### long options loop
f() { while [[ $# -gt 0 ]]; do case "$1" in --name) n=$2; shift 2;; --flag) fl=1; shift;; --eq=*) e=${1#*=}; shift;; *) p+=("$1"); shift;; esac; done; echo "$n $fl $e ${p[*]}"; }; f --name x --flag a --eq=5 b

### read fields
IFS=, read -r a b c <<< 'x,y,z,w'; echo "$a|$b|$c"; IFS=: read -ra parts <<< 'p:q:r'; echo ${#parts[@]} ${parts[2]}

### read delimiter and count
read -d ';' x <<< 'one;two'; echo $x; read -n3 y <<< abcdef; echo $y; printf 'a\\b\n' | { read -r z; echo "$z"; }

### read status at end
printf 'no newline' | { read l; echo "$? $l"; }; while read -r l || [ -n "$l" ]; do echo "[$l]"; done < <(printf 'a\nb')

### read several lines
{ read -r a; read -r b; } < data/a.txt; echo "$a $b"

### read prompt and array
read -r -a w <<< '  a  b c '; echo "${#w[@]} ${w[0]} ${w[-1]}"

### mapfile options
mapfile -t l < data/a.txt; echo ${#l[@]} ${l[1]}; mapfile -n2 -s1 -t m < data/a.txt; echo "${m[*]}"; readarray -t r <<< $'x\ny'; echo ${r[1]}

### arrays
a=(one "two three" four); echo ${#a[@]} "${a[1]}" "${a[@]:1}" ${!a[@]}; a[7]=x; echo ${#a[@]} ${!a[*]}; unset 'a[0]'; echo "${a[@]}"

### array operations
a=(b c a); a+=(d); sorted=($(printf '%s\n' "${a[@]}" | sort)); echo ${sorted[*]}; IFS=,; echo "${a[*]}"; unset IFS; echo ${a[@]/a/X} ${a[@]#b}

### array contains
a=(x y z); [[ " ${a[*]} " == *" y "* ]] && echo yes; for i in "${!a[@]}"; do echo "$i:${a[i]}"; done

### array slices negative
a=(1 2 3 4 5); echo ${a[@]: -2} ${a[-1]} ${a[@]:1:3}; b=("${a[@]:0:2}" 9); echo ${b[@]}

### associative
declare -A m=([one]=1 [two]=2); m[three]=3; for k in $(printf '%s\n' "${!m[@]}" | sort); do echo "$k=${m[$k]}"; done; [[ -v m[two] ]] && echo has; unset 'm[one]'; echo ${#m[@]}

### associative counting
declare -A c; while read -r w; do ((c[$w]++)); done < data/fruits.txt; for k in "${!c[@]}"; do echo "$k ${c[$k]}"; done | sort

### default values
unset u; e=; echo "${u:-d} ${u-d} ${e:-d} [${e-d}] ${u:=set} $u ${e:+alt} ${u:+alt}"

### required value
bash -c 'echo ${x:?must be set}' 2>&1; echo $?

### prefix and suffix
f=/a/b/file.tar.gz; echo ${f##*/} ${f%/*} ${f%%.*} ${f#*.} ${f%.gz} ${f##*.}

### replacement
s='a.b.c'; echo ${s/./-} ${s//./-} ${s/#a/X} ${s/%c/Y} ${s//[ab]/} ${s/b/}

### case change
s='hello World'; echo ${s^} ${s^^} ${s,,} ${s^^[hw]} ${s~~}

### substrings and lengths
s=abcdef; echo ${s:2} ${s:1:3} ${s: -2} ${s:0:-2} ${#s}; n=3; echo ${s:n:1} ${s:(-3):2}

### indirect
a=b; b=c; echo ${!a}; foo_x=1; foo_y=2; echo ${!foo_*}

### quoting expansion
x="a b"; printf '<%s>' $x "$x" '$x' "\$x"; echo; echo ${x@Q} ; y=hello; echo ${y@U} ${y@u}

### brace expansion
echo {1..5} {a..e..2} {10..1..3} {01..03} x{a,b}y {,a}b {1..3}{a,b}

### brace not expanded
echo {a} {1..} "{a,b}" a{b,c

### arithmetic
echo $((5/2)) $((-5/2)) $((5%3)) $((2**10)) $((0x1f)) $((010)) $((2#101)) $((1<<4)) $((5>3?1:2)) $((~0)) $((5&3)) $((5|3)) $((5^3))

### arithmetic variables
i=5; echo $((i++ + ++i)) $i; ((i+=10)); echo $i; ((i>10)) && echo big; let j=i*2; echo $j; echo $((a=3, a*2))

### arithmetic errors
bash -c 'echo $((1/0))' 2>&1; echo $?; bash -c 'echo $((1 +))' 2>/dev/null; echo $?

### arithmetic for
for ((i=0, j=10; i<j; i+=3, j-=2)); do echo "$i $j"; done

### double brackets
[[ abc == a* ]] && echo glob; [[ abc == "a*" ]] || echo literal; [[ a < b ]] && echo less; [[ -n x && ! -z y ]] && echo and; [[ 10 -gt 9 || x == y ]] && echo or

### regex match
[[ "v1.22.3" =~ ^v([0-9]+)\.([0-9]+)\.([0-9]+)$ ]] && echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]} ${#BASH_REMATCH[@]}"; re='^[a-z]+$'; [[ abc =~ $re ]] && echo ok; [[ abc1 =~ $re ]] || echo no

### file tests
[[ -f README.md && -d docs && ! -e nope && -r .env && -s README.md ]] && echo fine; [ -x scripts/run.sh ] && echo exec; [[ -h latest ]] && echo link

### newer and older
touch -d '2020-01-01' old; touch -d '2021-01-01' new; [[ new -nt old ]] && echo nt; [[ old -ot new ]] && echo ot; [ new -nt old ] && echo nt2; [[ README.md -ef ./README.md ]] && echo same; cd docs; [[ ../new -nt ../old ]] && echo nested

### newer missing
touch a; [[ a -nt nothing ]] && echo yes; [[ nothing -nt a ]] || echo no; [[ nothing -ot a ]] && echo older

### test operators
[ 1 -eq 1 -a 2 -ne 3 ] && echo a; [ -z "" -o -n "" ] && echo o; [ ! -f nope ] && echo n; test abc = abc; echo $?; [ "a" != "b" ]; echo $?

### test errors
[ abc -eq 1 ] 2>&1; echo $?; [ 1 -eq ] 2>&1; echo $?

### case patterns
for f in a.txt b.md c.tar.gz README x1; do case $f in *.txt|*.md) echo text;; *.tar.*) echo archive;; [A-Z]*) echo caps;; ?[0-9]) echo digit;; *) echo other;; esac; done

### case fall through
case a in a) echo 1;& b) echo 2;; c) echo 3;; esac; case x in x) echo x1;;& *) echo star;; esac

### loops over files
for f in docs/*.md; do n=$(wc -l < "$f"); echo "$(basename "$f"): $n"; done; for d in */; do echo "${d%/}"; done | head -3

### loop controls
for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done; for i in a b; do for j in 1 2; do [ $j = 2 ] && continue 2; echo $i$j; done; done

### while read with counter
n=0; while read -r line; do ((n++)); done < data/a.txt; echo $n; cat data/a.txt | while read -r l; do ((k++)); done; echo ${k:-unset}

### while with pipe and command inside
printf 'a\nb\n' | while read -r x; do echo "x=$x"; echo inner | cat; done

### while read with cat inside
printf '1\n2\n3\n' | while read -r x; do echo "first $x"; cat; done

### until and sleep
i=0; until ((i>=3)); do ((++i)); done; echo $i; sleep 0; sleep 0.01; echo slept

### select words
set -- a b c; echo $# $2; shift 2; echo $1; set -- "x y" z; for a; do echo "<$a>"; done; set --; echo $#

### ifs splitting
IFS=:; p='a:b:c'; for x in $p; do printf '[%s]' "$x"; done; unset IFS; echo; x='a  b'; echo $x; echo "$x"

### globs
cd data; echo *.txt; echo [ab].txt; echo ?.txt; echo u*.{csv,json}; echo *.nope

### globs options
shopt -s nullglob; echo *.nope; shopt -u nullglob; shopt -s dotglob; echo .e*; shopt -s globstar; printf '%s\n' **/*.md | sort; shopt -s extglob; cd data; echo !(*.txt) ; echo @(a|b).txt

### nocaseglob and failglob
shopt -s nocaseglob; echo readme*; shopt -q nocaseglob; echo $?

### subshell and group
x=1; (x=2; cd docs; echo $x); echo $x; { x=3; echo in; } > o; echo $x; cat o; (exit 5); echo $?

### substitution nested
echo "$(basename "$(dirname "$(pwd)/a/b")")"; echo `echo a \`echo b\``; x=$(< data/a.txt); echo "${x:0:3}"

### substitution trailing newlines
x=$(printf 'a\n\n\n'); echo "[$x]"; y=$(printf ' a ') ; echo "[$y]" $y

### process substitution
diff <(echo a) <(echo a) && echo same; cat <(echo 1) <(echo 2); while read -r a; do echo "got $a"; done < <(seq 2); echo x > >(cat); wait

### here string
cat <<< "hello $((1+1))"; tr a-z A-Z <<< abc; wc -c <<< ''; grep b <<< $'a\nb'

### redirections
echo out; echo err >&2; { echo o; echo e >&2; } > f 2>&1; cat f; { echo o; echo e >&2; } 2>/dev/null; ls nope 2>e; wc -l < e; echo a >| f; cat f; echo b &> g; cat g; echo c &>> g; cat g

### swap descriptors
{ echo out; echo err >&2; } 3>&1 1>&2 2>&3 3>&- | sed 's/^/piped: /'

### exec descriptors
exec 3> f3; echo one >&3; echo two >&3; exec 3>&-; cat f3; exec 4< data/a.txt; read -r l <&4; read -r m <&4; echo $l $m; exec 4<&-

### noclobber
set -o noclobber; echo a > nc; (echo b > nc) 2>/dev/null; echo $?; echo c >| nc; cat nc

### redirect errors
echo x > no/such/dir 2>&1; echo $?; cat < nope 2>&1; echo $?; echo x > docs 2>&1; echo $?

### read write null
: > n; [ -s n ] || echo empty; true > /dev/null; cat /dev/null; echo $?

### printf and echo flags
echo -n a; echo -e 'b\tc'; echo -E 'd\te'; echo -ne 'f\n'; echo "a\nb"; echo 'x' -n; echo --; echo -x

### special variables
f() { echo "$FUNCNAME ${#FUNCNAME[@]}"; }; f; echo $#; true; echo $?; [ -n "$$" ] && echo pid; [ "$SHLVL" -ge 0 ] && echo lvl; echo ${BASH_VERSINFO[0]}; [ $RANDOM -ge 0 ] && echo rnd; echo $0 | sed 's/.*bash/bash/'

### lineno and seconds
echo $LINENO
echo $LINENO; [ $SECONDS -lt 100 ] && echo quick

### declare print
x=1; declare -p x; declare -i n=5; n+=3; declare -p n; declare -a a=(1 2); declare -p a; declare -A m=([k]=v); declare -p m; declare -r R=c; declare -p R; export E=1; declare -p E; declare -p nope 2>&1

### declare integer and case
declare -i n; n='3*4'; echo $n; declare -u U=abc; declare -l L=ABC; echo $U $L; readonly C=1; (C=2) 2>/dev/null; echo $?; echo $C

### readonly message
bash -c 'readonly x=1; x=2; echo after' 2>&1; echo $?

### export and env
export A=1 B="x y"; env | grep -E '^(A|B)=' | sort; A=9 bash -c 'echo $A'; echo $A; env -i X=1 bash -c 'echo ${A:-none} $X'; export -n A; bash -c 'echo ${A:-gone}'

### unset
x=1; unset x; echo ${x-unset}; f() { echo f; }; unset -f f; f 2>/dev/null; echo $?; a=(1 2); unset a; echo ${#a[@]}

### printenv
export Q=7; printenv Q; printenv NOPE; echo $?

### alias and type
shopt -s expand_aliases; alias ll='ls -1'; alias ll; ll docs | head -1; unalias ll; type -t ll; echo $?

### type words
f() { :; }; type -t f; type -t if; type -t echo; type f; type nope 2>&1; echo $?

### command and builtin
echo() { builtin echo "wrapped $*"; }; echo hi; command echo plain; unset -f echo; echo back

### eval and dynamic
cmd='echo a b'; $cmd; eval "$cmd | tr a-z A-Z"; v=x; eval "$v=5"; echo $x; eval 'for i in 1 2; do printf $i; done'; echo

### source with arguments
echo 'echo "sourced $1"; S=1; return 4; echo no' > s.sh; source ./s.sh arg; echo $? $S; . ./s.sh; bash s.sh x 2>/dev/null; echo $?

### run script
bash scripts/run.sh a b; echo $?; chmod +x scripts/lib.sh; ./scripts/run.sh x; echo $?; sh -c 'echo $0 $1' name arg

### not executable
./README.md 2>&1; echo $?; ./nope 2>&1; echo $?; docs 2>&1; echo $?

### not found message
nonsense_cmd 2>&1; echo $?; nonsense_cmd arg 2>&1 | cat; x=$(nonsense_cmd 2>&1); echo "$x"

### syntax error
bash -c 'if true; then' 2>/dev/null; echo $?; bash -c 'echo )' 2>/dev/null; echo $?; eval 'for' 2>/dev/null; echo $?

### and or chains
true && echo a || echo b; false && echo a || echo b; true || echo c; false; echo $?; true && false || true && echo d

### background and wait
(echo bg) & wait; echo done; false & wait $!; echo $?; { sleep 0.5; echo late; } & echo early; wait

### background jobs status
for i in 1 2 3; do (exit $i) & pids+=($!); done; for p in "${pids[@]}"; do wait $p; echo $?; done

### timeout
timeout 20 echo quick; timeout 0.1 sleep 20; echo $?; timeout 20 false; echo $?

### time keyword
time true 2>/dev/null; { time echo x; } 2>&1 | grep -c real

### exit codes
bash -c 'exit 300'; echo $?; (exit -1); echo $?; bash -c 'kill -9 $$' 2>/dev/null; echo $?; sh -c 'exit 42' || echo "failed $?"

### command substitution status
x=$(exit 3) || echo "sub $?"; local_test() { local y=$(false); echo $?; }; local_test; y=$(false); echo $?

### comments and continuation
echo a \
  b # comment
echo "a # not"; echo a#b # c
: 'multi
line'

### semicolons and newlines
if [ 1 = 1 ]
then echo one
elif false; then echo two
else
  echo three
fi; for i in 1 2
do
  echo $i
done | paste -sd,

### nested quotes
echo "a 'b' \"c\" \`d\` \\ \$e"; echo 'single "double"'; echo $'tab\there\x21 \u263a'; echo "$(echo "in \"quotes\"")"

### mkdir touch rm
mkdir -p a/b/{c,d}; touch a/b/c/f{1..3}; ls a/b/*; rm -r a/b/c; ls a/b; rmdir a/b/d; rm -rf a nothing; ls a 2>&1; echo $?

### mkdir messages
mkdir docs 2>&1; mkdir x/y 2>&1; mkdir -pv p/q; mkdir -m 700 s; stat -c %a s; mkdir 2>&1 | head -1

### rm messages
rm nothing 2>&1; rm docs 2>&1; rm -d docs 2>&1; rm -v data/a.txt; rm 2>&1 | head -1; rmdir docs 2>&1; rmdir nothing 2>&1; echo $?

### cp messages
cp nothing x 2>&1; cp docs x 2>&1; cp a b c 2>&1; cp README.md no/where/x 2>&1; cp 2>&1 | head -1; cp x 2>&1 | head -1

### cp kinds
cp -v data/a.txt c1; cp -r docs d; cp -r docs d; ls d; cp -a latest l2; readlink l2; cp latest l3; [ -L l3 ] || echo file; cp -n data/b.txt c1; head -2 c1 | tail -1; cp data/a.txt data/b.txt build/; ls build

### cp preserve and update
cp -p data/a.txt p; stat -c %Y p data/a.txt | uniq | wc -l; touch -d 2030-01-01 newer; echo z > newer2; cp -u data/a.txt newer; wc -c < newer; cp --parents docs/internal/notes.md build; find build -type f

### mv kinds
mv data/a.txt build/; ls build; mv -v build/a.txt build/z.txt; mv nothing x 2>&1; mv docs src build; ls build; mv -n README.md build/z.txt; ls README.md; mv build/docs build/docs2 && ls build

### mv messages
mv a b c 2>&1; mv docs docs/internal 2>&1; mv 2>&1 | head -1; mv README.md README.md 2>&1; echo $?

### ln kinds
ln -s docs/api.md l; cat l | head -1; ln -s nowhere l 2>&1; ln -sf README.md l; readlink l; ln data/a.txt h; echo x >> h; tail -1 data/a.txt; ln docs hard 2>&1; ln -sfn data docs-link; readlink docs-link; ln -sv a b

### chmod
chmod 600 .env; stat -c %a .env; chmod u+x,g=rx,o-r data/a.txt; stat -c %A data/a.txt; chmod -R a-w docs; stat -c %a docs/api.md docs; chmod 755 nothing 2>&1; chmod +x nope 2>&1; echo $?; chmod -v 644 .env; chmod 9 .env 2>&1

### touch times
touch -d '2024-02-29 12:34:56' t; stat -c %y t | cut -c1-19; touch -t 202501020304.05 t; stat -c %y t | cut -c1-19; touch -r data/a.txt t; stat -c %Y t data/a.txt | uniq | wc -l; touch -c nothing; ls nothing 2>&1; touch no/dir/x 2>&1; touch -d @100 t; stat -c %Y t

### mktemp
d=$(mktemp -d); [ -d "$d" ] && echo dir; f=$(mktemp); [ -f "$f" ] && echo file; x=XX; f=$(mktemp ./x.$x$x$x); echo ${#f}; mktemp -u abc.$x$x | wc -c

### install and shred less
install -d a/b; ls -d a/b; install -m 600 data/a.txt a/x; stat -c %a a/x

### tee and dd
dd if=data/a.txt bs=4 count=1 2>/dev/null; echo; dd if=/dev/zero of=z bs=1k count=3 2>/dev/null; wc -c < z

### sync words
id -u | grep -c .; whoami | grep -c .; hostname | grep -c .; uname -s; nproc | grep -c .; date +%Y | grep -c 20; tty; echo $?

### sequence of edits
set -e; mkdir -p notes; echo '# T' > notes/t.md; for i in 1 2; do echo "- item $i" >> notes/t.md; done; sed -i 's/item 1/item one/' notes/t.md; [ "$(grep -c item notes/t.md)" -eq 2 ]; cat notes/t.md

### config parser
while IFS='=' read -r key value; do [[ $key =~ ^# || -z $key ]] && continue; declare "cfg_$key=$value"; done < .env; echo "$cfg_PORT $cfg_DEBUG"; compgen -v cfg_ | sort

### progress report
total=0; for f in $(find src -type f | sort); do n=$(grep -c '' "$f"); printf '%-28s %4d\n' "$f" "$n"; total=$((total+n)); done; printf '%-28s %4d\n' total "$total"

### retry loop
try() { local n=0; until [ $n -ge 3 ]; do "$@" && return 0; n=$((n+1)); echo "try $n failed"; done; return 1; }; try test -f nope; echo $?; try test -f README.md; echo $?

### menu of functions
main() { local cmd=${1:-help}; shift || true; case $cmd in add) echo "adding $*";; list) printf '%s\n' "$@" | nl -w1 -s'. ';; *) echo usage >&2; return 2;; esac; }; main add a b; main list x y; main 2>/dev/null; echo $?

### json by hand
name='demo'; items=(a b); printf '{"name":"%s","items":[%s]}\n' "$name" "$(printf '"%s",' "${items[@]}" | sed 's/,$//')" | jq -c .

### string repeat and pad
printf '=%.0s' {1..10}; echo; printf '%-10s|\n' ab; printf '%*s\n' 6 x; s=abc; printf '%s\n' "${s:0:1}${s:1}"; rev <<< "$s"

### string checks
s='  trim me  '; s="${s#"${s%%[![:space:]]*}"}"; s="${s%"${s##*[![:space:]]}"}"; echo "[$s]"; [[ $s == *me* ]] && echo has; [[ ${s,,} == trim* ]] && echo starts; echo "${#s}"

### split string
IFS='|' read -ra p <<< 'a|b c|d'; for x in "${p[@]}"; do echo "$x"; done; s=a,b,c; echo "${s//,/ }"; set -- ${s//,/ }; echo $3

### compare versions
[ "$(printf '1.9\n1.10\n' | sort -V | tail -1)" = 1.10 ] && echo newer; v=1.2.3; IFS=. read -r a b c <<< "$v"; echo $((a*100+b*10+c))

### dates in names
d=$(date -u -d @0 +%Y%m%d); touch "log_$d.txt"; ls log_*; echo "${d:0:4}-${d:4:2}-${d:6}"

### help output of builtins
cd --bad 2>/dev/null; echo $?; shift 5; echo $?; return 2>/dev/null; echo $?; break 2>/dev/null; echo $?

### let and expr
let x=5+3; echo $x; let 'x--'; echo $x; let 0; echo $?; ((0)); echo $?; ((1)); echo $?

### colon and true
: ; echo $?; : ${V:=def}; echo $V; true; echo $?; false; echo $?

### dirs and hash
set -- *.md; echo $1; hash ls 2>/dev/null; echo $?; umask; ulimit -n > /dev/null; echo $?

### wait and jobs
sleep 0.5 & jobs | wc -l; wait; jobs | wc -l; echo $!  | grep -c .

### printf list in columns
for i in 1 2 3; do printf '%s\t%s\n' $i $((i*i)); done | column -t

### loops writing files
for i in $(seq -w 1 3); do echo "n$i" > "f$i.txt"; done; cat f*.txt; for f in f*.txt; do mv "$f" "${f%.txt}.md"; done; ls f*.md
