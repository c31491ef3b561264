# tree: project

### echo
echo hello world

### echo options
echo -n a; echo -e 'b\tc'; echo -E 'd\te'

### quoting
echo "a 'b' \"c\" \$d" 'e "f" $g'

### variables
x=5; y="a b"; echo $x "$y" ${x}1

### unset and default
echo "${nope:-default} ${nope-also}"; echo "${nope:=set} $nope"

### alternate
x=1; echo "${x:+yes}${y:+no}"

### error if unset
(echo ${nope:?missing}) 2>/dev/null; echo $?

### length
s=hello; echo ${#s}

### substring
s=hello; echo ${s:1:3} ${s: -2} ${s:2}

### prefix
p=/a/b/c.tar.gz; echo ${p#*/} ${p##*/} ${p%.*} ${p%%.*}

### replace
s=banana; echo ${s/a/A} ${s//a/A} ${s/#b/B} ${s/%a/Z}

### case change
s=Hello; echo ${s^^} ${s,,} ${s~}

### indirect
a=b; b=c; echo ${!a}

### names with prefix
ab1=1; ab2=2; echo ${!ab*}

### arithmetic
echo $((2+3*4)) $((7/2)) $((7%3)) $((2**10))

### arithmetic variables
x=5; ((x+=3)); echo $x; ((x++)); echo $x; echo $((x>3 && x<20))

### arithmetic bases
echo $((0x1f)) $((010)) $((2#101))

### arithmetic ternary
x=4; echo $((x>3?1:0))

### let
let a=3+4 b=a*2; echo $a $b

### division by zero
echo $((1/0)); echo after $?

### for list
for i in 1 2 3; do echo $i; done

### for brace
for i in {1..5}; do echo -n "$i "; done; echo

### for c style
for ((i=0;i<3;i++)); do echo $i; done

### for glob
for f in data/*.txt; do echo "$(basename $f)"; done

### for files with spaces
for f in with*/*; do echo "[$f]"; done

### while
i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done

### until
i=3; until [ $i -eq 0 ]; do echo $i; ((i--)); done

### while read file
while read -r line; do echo "> $line"; done < data/a.txt

### while read fields
while IFS=, read -r id name age city; do echo "$name:$city"; done < data/users.csv

### while read pipe variable
n=0; cat data/a.txt | while read x; do n=$((n+1)); done; echo $n

### while read process substitution
n=0; while read x; do n=$((n+1)); done < <(cat data/a.txt); echo $n

### break continue
for i in 1 2 3 4 5; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done

### nested break
for i in 1 2; do for j in 1 2; do [ $j = 2 ] && break 2; echo $i$j; done; done

### if else
if [ -f README.md ]; then echo file; elif [ -d docs ]; then echo dir; else echo no; fi

### test files
[ -f README.md ] && echo f; [ -d docs ] && echo d; [ -e nothing ] || echo n; [ -s empty.txt ] || echo empty; [ -L latest ] && echo l; [ -x scripts/run.sh ] && echo x

### test strings
[ "a" = "a" ] && echo eq; [ "a" != "b" ] && echo ne; [ -z "" ] && echo z; [ -n "x" ] && echo n

### test numbers
[ 3 -gt 2 ] && echo gt; [ 2 -le 2 ] && echo le; [ 1 -ne 2 ] && echo ne

### double bracket
[[ abc == a* ]] && echo glob; [[ abc =~ ^a(.)c$ ]] && echo ${BASH_REMATCH[1]}; [[ -f README.md && ! -d README.md ]] && echo both

### newer
[[ data/b.txt -nt data/a.txt ]] && echo newer; [[ data/a.txt -ot data/b.txt ]] && echo older; [[ README.md -ef ./README.md ]] && echo same

### newer missing
[[ data/a.txt -nt nothing ]] && echo yes; [ nothing -nt data/a.txt ] || echo no

### case
for x in apple banana 42; do case $x in a*) echo A;; [0-9]*) echo N;; *) echo other;; esac; done

### case alternatives
case foo.md in *.md|*.txt) echo text;; *) echo none;; esac

### case fallthrough
case a in a) echo 1;& b) echo 2;; c) echo 3;; esac

### functions
f() { echo "got $1 of $#"; return 4; }; f a b; echo $?

### function local
x=1; f() { local x=2; echo $x; }; f; echo $x

### function recursion
fact() { if [ $1 -le 1 ]; then echo 1; else echo $(( $1 * $(fact $(($1-1))) )); fi; }; fact 5

### function output
upper() { echo "$1" | tr a-z A-Z; }; r=$(upper abc); echo $r

### arrays
a=(x y z); echo ${a[0]} ${a[@]} ${#a[@]}; a+=(w); echo ${a[-1]} ${a[@]:1:2}

### array loop
a=("one two" three); for i in "${a[@]}"; do echo "[$i]"; done

### array indices
a=(x y z); for i in "${!a[@]}"; do echo $i=${a[$i]}; done

### array from command
a=($(cat data/a.txt)); echo ${#a[@]} ${a[2]}

### array unset
a=(1 2 3); unset 'a[1]'; echo "${a[@]}" ${#a[@]}

### associative
declare -A m; m[a]=1; m[b]=2; echo ${m[a]} ${#m[@]}; for k in $(echo ${!m[@]} | tr ' ' '\n' | sort); do echo $k; done

### mapfile
mapfile -t l < data/a.txt; echo ${#l[@]} "${l[1]}"

### read variables
echo "1 2 3" | { read a b; echo "$a|$b"; }

### read array
read -ra w <<< "a b c"; echo ${w[1]}

### read here string
IFS=: read -r a b <<< "x:y"; echo $b $a

### read delimiter
printf 'a\0b\0' | while IFS= read -r -d '' x; do echo "<$x>"; done

### heredoc
cat <<EOF
value: $((1+1)) $HOME_NOT_SET
EOF

### heredoc quoted
cat <<'EOF'
no $expansion `here`
EOF

### heredoc to file
cat > out.md <<EOF
# Title

text
EOF
cat out.md

### heredoc tabs
cat <<-EOF
	indented
	EOF

### heredoc pipe
cat <<EOF | grep b
a
b
EOF

### command substitution
echo "today $(echo nested $(echo deep))"; echo `echo old`

### exit status
true; echo $?; false; echo $?; (exit 7); echo $?

### and or
true && echo a || echo b; false && echo a || echo b

### not
! true; echo $?; ! false; echo $?

### exit
echo a; exit 5; echo b

### exit in subshell
(exit 3); echo $?; echo still

### subshell
x=1; (x=2; echo $x); echo $x

### group
{ echo a; echo b; } | wc -l

### cd in subshell
(cd docs && pwd); pwd

### cd
cd docs/internal && pwd; cd ..; pwd; cd - >/dev/null; pwd

### cd missing
cd nothing; echo $?

### cd home
cd; pwd; cd ~; pwd

### pushd popd
pushd docs > /dev/null; pwd; popd > /dev/null; pwd

### pwd logical
cd docs-link && pwd

### redirect
echo a > f; echo b >> f; cat f

### redirect stderr
ls nothing 2> err; wc -l < err

### redirect both
{ echo out; echo err >&2; } > f 2>&1; cat f

### redirect both short
ls nothing &> f; wc -l < f

### redirect null
ls nothing 2>/dev/null || echo failed

### redirect descriptors
exec 3> f; echo x >&3; exec 3>&-; cat f

### swap streams
{ echo out; echo err >&2; } 2>&1 >/dev/null

### noclobber
set -C; echo a > f; (echo b > f) 2>/dev/null; cat f

### pipe status
false | true; echo ${PIPESTATUS[0]} ${PIPESTATUS[1]}

### pipefail
set -o pipefail; false | true; echo $?

### errexit
set -e; echo a; false; echo b

### errexit condition
set -e; if false; then :; fi; false || true; echo ok

### nounset
set -u; (echo $nope) 2>/dev/null; echo $?

### xtrace
set -x; echo hi 2>&1

### glob none
echo *.nope

### glob question
echo data/?.txt

### glob brackets
echo data/[ab].txt

### glob braces
echo {a,b}{1,2} {01..03} {a..e..2}

### glob star star
shopt -s globstar; echo **/*.py

### glob null
shopt -s nullglob; echo x *.nope

### glob dot
shopt -s dotglob; echo .e* *ignore

### extglob
shopt -s extglob; echo data/!(*.txt)

### tilde
cd docs; echo ~ | sed "s|$HOME|HOME|"

### positional
set -- a b c; echo $1 $# "$*"; shift; echo $@

### getopts
set -- -a -b val rest; while getopts ab: o; do echo $o $OPTARG; done; shift $((OPTIND-1)); echo $1

### printf formats
printf '%s-%d-%05.2f-%x-%q\n' a 3 2.5 255 'a b'

### printf repeat
printf '%s\n' a b c

### printf into variable
printf -v x '%03d' 7; echo $x

### printf percent
printf '100%%\n'

### printf escapes
printf 'a\tb\\n\x41\n'

### source
source scripts/lib.sh; greet bob; echo $VERSION

### dot
. ./scripts/lib.sh && greet al

### run script
./scripts/run.sh one two; echo $?

### bash script
bash scripts/run.sh x; echo $?

### bash c
bash -c 'echo $0 $1' name arg

### sh c
sh -c 'echo hi; exit 2'; echo $?

### script from heredoc
bash <<'EOF'
echo inside
EOF

### eval
c='echo $((1+2))'; eval $c

### export
export A=1; bash -c 'echo $A'

### env prefix
A=5 bash -c 'echo $A'; echo "[$A]"

### env command
env A=1 bash -c 'echo $A'

### trap exit
trap 'echo bye' EXIT; echo hi

### trap in function
(trap 'echo cleanup' EXIT; exit 2); echo $?

### command not found
nosuchcommand 2>/dev/null; echo $?

### command v
command -v cd; command -v nosuch; echo $?

### type
type cd; type -t ls >/dev/null && echo found

### which missing
which nosuchprogram; echo $?

### not executable
./README.md 2>/dev/null; echo $?

### here string quotes
x="a  b"; cat <<< $x; cat <<< "$x"

### process substitution diff
diff <(echo a) <(echo b)

### comments
echo a # comment

### line continuation
echo a \
  b

### semicolons
a=1; b=2; echo $a$b

### background wait
sleep 0.01 & wait; echo done

### date epoch
date -u -d @0 +%Y-%m-%dT%H:%M:%S

### date arithmetic
date -u -d '2026-01-31 +1 day' +%F

### date format
date -u -d '2026-03-05 14:07:09' '+%d/%m/%y %I:%M %p %j %A %b'

### date iso
date -u -d 2026-01-01 -Iseconds

### basename dirname
basename /a/b.txt .txt; dirname /a/b.txt; basename a/

### realpath
realpath docs/../README.md | sed "s|.*/||"

### readlink
readlink latest; readlink -f latest | sed 's|.*/docs|docs|'

### sleep zero
sleep 0; echo $?

### true false
true; false || echo f

### yes head
yes | head -2

### string compare
[[ b > a ]] && echo gt; [[ "10" -gt "9" ]] && echo num

### regex extract
s="v1.22.3"; [[ $s =~ v([0-9]+)\.([0-9]+) ]] && echo ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}

### ifs split
IFS=,; set -- $(echo a,b,c); echo $# $2

### ifs join
a=(1 2 3); IFS=-; echo "${a[*]}"

### word splitting
x="a   b"; echo $x; echo "$x"

### multiline string
x="a
b"; echo "$x" | wc -l

### unterminated quote
bash -c 'echo "abc' 2>/dev/null; echo $?

### syntax error
bash -c 'if then fi' 2>/dev/null; echo $?

### select random range
r=$((RANDOM % 10)); [ $r -ge 0 ] && [ $r -lt 10 ] && echo ok

### seconds
[ $SECONDS -lt 5 ] && echo ok

### readonly
readonly r=1; (r=2) 2>/dev/null; echo $? $r

### declare integer
declare -i n=3+4; echo $n

### nameref
f() { local -n ref=$1; ref=changed; }; v=x; f v; echo $v

### time loop
for i in $(seq 1 100); do :; done; echo $i

### nested functions
outer() { inner() { echo in; }; inner; }; outer; inner

### brace group redirect
{ echo a; echo b; } > f; cat f

### loop redirect
for i in 1 2; do echo $i; done > f; cat f

### loop pipe
for i in 3 1 2; do echo $i; done | sort

### test and or
[ 1 = 1 -a 2 = 2 ] && echo a; [ 1 = 2 -o 2 = 2 ] && echo o

### quoted glob
echo "*.md" '*.md'

### ANSI quotes
echo $'a\tb\'c'

### umask mkdir
mkdir -m 700 d; stat -c %a d
