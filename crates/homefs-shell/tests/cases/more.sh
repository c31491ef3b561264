# tree: project

### ls two flags
ls -1a docs

### ls sort by size long
ls -lS data | awk 'NR>1{print $5}' | head -3

### ls human sort
ls -lhS data | awk 'NR>1{print $5, $NF}' | head -2

### ls count by kind
ls -F | grep -c '/$'

### ls star
ls docs/* src/*.py

### ls nested glob
ls */*.md

### ls d star
ls -d docs/*

### ls la total fields
ls -la docs | awk 'NR==2{print $1, $NF}'

### ls file with path
ls -l docs/api.md | awk '{print $NF}'

### ls missing status
ls nothing >/dev/null 2>&1 || echo "status $?"

### ls to file
ls data > l.txt; wc -l < l.txt

### tree count
find . -type d | wc -l; find . -type l | wc -l

### cat heredoc two
cat <<A; cat <<B
one
A
two
B

### cat number range
cat -n src/main.py | sed -n '5,7p'

### head bytes k
head -c 1k logs/app.log | wc -c

### tail plus
tail -n +2 data/users.csv | head -1

### tail bytes plus
tail -c +5 data/a.txt | head -1

### wc several flags
wc -lw data/words.txt

### wc stdin all
cat data/words.txt | wc

### grep word and number
grep -nw 'fox' data/words.txt

### grep regex plus
grep -E 'took [0-9]{3}ms' logs/app.log | wc -l

### grep or list
grep -E 'Alice|Eve' data/users.csv

### grep not two
grep -v -e one -e two data/a.txt

### grep begin class
grep -E '^[A-Z]' README.md

### grep dot escape
grep '1\.50' data/table.tsv

### grep star greedy
echo 'aXbXc' | grep -o 'a.*X'

### grep question
printf 'color\ncolour\n' | grep -E 'colou?r'

### grep optional group
printf 'ab\nabab\n' | grep -xE '(ab){2}'

### grep alternation anchors
printf 'foo\nbar\nfoobar\n' | grep -E '^foo$|^bar$'

### grep slash path
grep -rn 'GET /users' docs

### grep dollar literal
printf 'a$b\n' | grep 'a\$b'

### grep bracket literal
printf '[x]\n' | grep '\[x\]'

### grep backslash
printf 'a\\b\n' | grep 'a\\b'

### grep in hidden
grep -r API_KEY . | cut -d: -f1

### grep list count
grep -rl 'import' src | wc -l

### grep with glob exclude
grep -rn 8080 . --exclude-dir=.config --exclude=.env | sort

### grep A B together
grep -A1 -B1 '^3' docs/guide.md

### grep count zero
grep -c nothing data/a.txt; echo $?

### grep exit in and
grep -q one data/a.txt && grep -q two data/a.txt && echo both

### grep multiple m
grep -m1 -n o data/a.txt data/b.txt

### grep stdin name
echo x | grep -H x

### grep stdin count
printf 'a\nb\na\n' | grep -c a

### grep perl class
echo 'abc123' | grep -oP '[a-z]+(?=\d)'

### grep perl lookbehind
echo 'price=42' | grep -oP '(?<=price=)\d+'

### grep unicode class
printf 'é\ne\n' | grep -c '[é]'

### find name or type
find . -maxdepth 1 \( -type d -name 'd*' -o -type f -name 'R*' \) | sort

### find not
find docs -type f ! -name 'a*' | sort

### find size zero
find . -type f -size 0

### find exec plus many
find data -name '*.txt' -exec grep -c . {} + | sort

### find exec two
find data -name a.txt -exec echo A {} \; -exec echo B {} \;

### find printf multiple
find docs -type f -printf '%f %s %m\n' | sort

### find print with path
find docs/internal -type f -print | sort

### find maxdepth zero
find docs -maxdepth 0

### find iname type
find . -type f -iname '*READ*'

### find delete pattern
find docs -name 'g*' -type f -delete; ls docs

### find or print
find docs -name 'api*' -print -o -name 'gui*' -print | sort

### find empty result
find . -name 'zzz*'; echo $?

### find depth order
find docs -depth | tail -1

### find xargs 0 sort
find docs -type f -print0 | sort -z | xargs -0 -n1 echo

### find mindepth name
find . -mindepth 3 -name '*.md'

### find comma group
find docs \( -name '*.md' -printf 'm' \) , \( -name '*.txt' -printf 't' \) | fold -w1 | sort | uniq -c

### find exec mv
find data -name '*.json' -exec mv {} build/ \;; ls build

### find exec sh plus
find docs -name '*.md' -exec sh -c 'for f; do basename "$f"; done' _ {} + | sort

### sed print two ranges
sed -n '1,2p;4p' data/a.txt

### sed replace path
echo 'a/b/c' | sed 's#/#.#g'

### sed delete range
sed '2,3d' data/a.txt

### sed last line add
sed '$a last' data/a.txt

### sed first match only
sed '0,/e/s//E/' data/a.txt

### sed group swap
echo 'key=value' | sed -E 's/(.*)=(.*)/\2=\1/'

### sed indent
sed 's/^/    /' data/a.txt

### sed strip tags
echo '<b>x</b>' | sed 's/<[^>]*>//g'

### sed newline
echo 'a,b' | sed 's/,/\n/g'

### sed in place several
sed -i 's/o/0/g' data/a.txt data/b.txt; cat data/a.txt | head -1; cat data/b.txt | head -1

### sed script file
echo 's/one/1/' > s.sed; sed -f s.sed data/a.txt

### sed conditional branch
printf 'a\nb\n' | sed '/a/{s/a/x/;b};s/b/y/'

### sed n command
sed 'n;d' data/a.txt

### sed E plus
echo aaab | sed -E 's/a+/X/'

### sed nth and on
echo aaaa | sed 's/a/b/3g'

### awk fields reorder
awk -F, '{print $3","$2}' data/users.csv | head -2

### awk printf widths
awk -F, 'NR>1{printf "%-10s%5d\n",$2,$3}' data/users.csv | head -2

### awk two conditions
awk -F, '$3>25 && $4=="Paris"{print $2}' data/users.csv

### awk regex not
awk '!/e/' data/a.txt

### awk nr modulo
awk 'NR%2==0' data/a.txt

### awk sum column by key
awk -F'\t' 'NR>1{t+=$2*$3}END{print t}' data/table.tsv

### awk min max
awk 'NR==1{min=max=$1} {if($1<min)min=$1; if($1>max)max=$1} END{print min,max}' data/numbers.txt

### awk string concat
awk '{s=s $1 ","} END{print s}' data/a.txt

### awk ofs tab
awk -F, 'BEGIN{OFS="\t"}{print $1,$2}' data/users.csv | head -1

### awk split loop
echo 'a:b:c' | awk '{n=split($0,p,":"); for(i=n;i>0;i--) printf "%s ", p[i]; print ""}'

### awk sort inside
awk -F, 'NR>1{print $3,$2}' data/users.csv | sort -n | awk '{print $2}' | head -1

### awk env
X=5 awk 'BEGIN{print ENVIRON["X"]}'

### awk substitute group
echo 'foo123' | awk '{gsub(/[0-9]+/,"<&>"); print}'

### awk tolower
awk '{print tolower($0)}' README.md | head -1

### awk nf last
awk 'NF{print $NF}' README.md | tail -1

### awk field assign
echo 'a b c' | awk '{$2="X"; print}'

### awk print to file
awk '{print > "out_" NR ".txt"}' data/a.txt; cat out_2.txt

### awk getline cmd
awk 'BEGIN{"echo hi" | getline x; print x}'

### awk printf percent
awk 'BEGIN{printf "%d%%\n", 50}'

### awk multiple files
awk 'FNR==1{print FILENAME}' data/a.txt data/b.txt

### awk do while
awk 'BEGIN{do{i++}while(i<3); print i}'

### awk in operator
awk 'BEGIN{a["x"]=1; print ("x" in a), ("y" in a)}'

### awk number string
awk 'BEGIN{print 1e3, 0.1+0.2, 10/3, 2^10, 7%3}'

### awk length array
awk '{a[NR]=$0} END{print length(a), a[1]}' data/a.txt

### awk next
awk '/two/{next} {print}' data/a.txt

### awk range by number
awk 'NR==2,NR==3' data/a.txt

### sort by second field
sort -t, -k2,2 data/users.csv | head -2

### sort numeric reverse key
sort -t, -k3,3nr data/users.csv | head -2

### sort unique key
sort -t, -k4,4 -u data/users.csv | wc -l

### sort months
printf 'Mar\nJan\n' | sort -M

### sort general
printf '1e2\n5\n' | sort -g

### uniq repeated group
printf 'a\na\nb\n' | uniq -D

### cut bytes
echo abcdef | cut -b2-4

### cut last field
echo a/b/c | rev | cut -d/ -f1 | rev

### tr delete newline
printf 'a\nb\n' | tr -d '\n'; echo

### tr rot13
echo hello | tr 'a-z' 'n-za-m'

### tr punct
echo 'a,b.c!' | tr -d '[:punct:]'

### paste three
paste -d: data/a.txt data/b.txt data/a.txt | head -1

### join on key
join -t, <(printf '1,a\n2,b\n') <(printf '1,x\n2,y\n')

### column names
head -1 data/users.csv | tr ',' '\n' | nl

### date weekday
date -u -d 2026-02-14 +%A

### date seconds
date -u -d '2026-01-01 00:00:00' +%s

### date relative shape
date -u -d 'yesterday' +%Y | grep -c 20

### date next month
date -u -d '2026-01-15 12:30' '+%H:%M'

### printf hex
printf '%02x' 10 255; echo

### printf char
printf '%c' hello; echo

### printf width star
printf '%*d\n' 5 42

### printf string precision
printf '%.3s\n' abcdef

### brace nested
echo {a,b{1,2}}

### param error default
f() { echo "${1:?need arg}"; }; (f) 2>/dev/null; echo $?

### param substring negative
s=abcdef; echo ${s: -3:2} ${s:0:-1}

### param pattern all
f=a.b.c; echo ${f//./_} ${f/./-}

### param case pattern
s=hello; echo ${s^h} ${s^^[el]}

### array slice
a=(a b c d); echo ${a[@]:1:2} ${a[@]: -1}

### array append loop
a=(); for i in 1 2 3; do a+=("x$i"); done; echo ${a[*]} ${#a[@]}

### array keys
declare -A m=([a]=1 [b]=2); echo ${m[b]}; unset m[a]; echo ${#m[@]}

### array replace
a=(foo bar); echo ${a[@]/o/0}

### here string loop
while read -r a b; do echo "$b $a"; done <<< $'1 2\n3 4'

### read n chars
read -n 2 x <<< abcd; echo $x

### read default ifs
read -r x <<< "  a b  "; echo "[$x]"

### arith assign
((x = 5, y = x * 2)); echo $y $((x << 2)) $((x & 4)) $((~x))

### arith compare
(( 3 > 2 )) && echo yes; echo $(( 3 == 3 )) $(( !0 ))

### arith increment
i=5; echo $((i++)) $i $((++i)) $((i--)) $i

### while break count
n=0; while true; do n=$((n+1)); if [ $n -gt 3 ]; then break; fi; done; echo $n

### until loop
n=0; until [ $n -ge 2 ]; do n=$((n+1)); echo $n; done

### case ranges
for c in a Z 5 _; do case $c in [a-z]) echo lower;; [A-Z]) echo upper;; [0-9]) echo digit;; *) echo other;; esac; done

### select function
show() { for a in "$@"; do printf '<%s>' "$a"; done; echo; }; show "a b" c

### function with pipe
count() { wc -l; }; cat data/a.txt | count

### function stdin
up() { tr a-z A-Z; }; echo hi | up

### subshell variables
(x=1; echo $x); echo "[${x:-unset}]"

### nested substitution
echo $(echo $(basename $(pwd)))

### pipe to while with counter
cat data/numbers.txt | { s=0; while read n; do s=$((s+n)); done; echo $s; }

### exit code of substitution
x=$(false); echo $?; x=$(exit 4); echo $?

### or exit
true || exit 3; echo on

### trap err
trap 'echo err' ERR; false; echo on

### set options string
set -u; echo ${undefined:-ok}

### quotes in substitution
echo "$(echo "a b")" '$(no)'

### long pipeline
cat data/*.txt | tr ' ' '\n' | grep -E '^[a-z]+$' | sort | uniq -c | sort -k1,1rn -k2 | head -3 | awk '{print $2}'

### tar append list
tar cf a.tar data/a.txt; tar rf a.tar data/b.txt; tar tf a.tar

### gzip ratio
gzip -c logs/app.log | gzip -dc | wc -l

### md5 several
md5sum data/a.txt data/b.txt | wc -l

### xargs sh multi
printf 'a\nb\n' | xargs -I{} sh -c 'echo "{}-{}"'

### xargs n2 sum
seq 4 | xargs -n2 sh -c 'echo $(($0+$1))'

### xargs trim
echo '  a   b  ' | xargs

### comm three
comm -3 <(printf 'a\nb\n') <(printf 'b\nc\n')

### diff quiet status
diff -q data/a.txt data/a.txt; echo $?

### diff dirs status
diff -rq docs src > /dev/null; echo $?

### cp glob into dir
cp data/*.txt build && ls build | wc -l

### mv rename dir into dir
mkdir -p x && mv docs x/ && ls x/docs | head -1

### rm many
rm data/a.txt data/b.txt && ls data | head -1

### rm dir status
rm -r nothing; echo $?

### mkdir several
mkdir a b c && ls -d a b c

### mkdir brace
mkdir -p p/{x,y}/{1,2} && find p -type d | sort

### touch several
touch n{1..3}.txt && ls n*.txt

### ln relative
ln -s ../data/a.txt docs/l && cat docs/l | head -1

### stat several formats
stat -c '%n %s %F' data/a.txt docs | sed 's/ [0-9]* directory/ directory/'

### du one file
du -b README.md | cut -f1

### realpath simple
realpath docs | sed 's|.*/||'

### basename several
basename -a a/b.txt c/d.txt; basename -s .txt a/b.txt

### dirname several
dirname a/b/c d

### seq format string
seq -f 'n%02g' 3

### tee stderr
echo x | tee /dev/stderr 2>/dev/null

### yes count
yes no | head -n 3

### rev words
echo 'a b c' | tr ' ' '\n' | tac | tr '\n' ' '; echo

### json pretty
echo '{"a":[1,2]}' | jq .

### json string escape
jq -n '"a\"b\n"' -c

### json number ops
jq -n '[1,2,3] | map(. * 2) | add'

### json select null
jq -c '.[] | select(.tags | length == 0) | .name' data/users.json

### json index
jq -r '.[-1].name' data/users.json

### json slice
jq -c '.[0:2] | map(.id)' data/users.json

### json to entries map
jq -c '.server | to_entries | map(.key)' data/config.json

### json with entries
jq -c '.server | with_entries(.value |= tostring)' data/config.json

### json group count
jq -c 'group_by(.age > 28) | map({k: (.[0].age > 28), n: length})' data/users.json

### json flatten
jq -c '[.[].tags] | flatten' data/users.json

### json env
X=1 jq -n 'env.X'

### json args
jq -n --args '$ARGS.positional' a b -c

### json input file status
jq . nothing 2>/dev/null; echo $?

### json min by
jq -r 'min_by(.age).name, max_by(.age).name' data/users.json

### json sub
jq -r '.name | sub("d"; "D")' data/config.json

### json ltrimstr
jq -nr '"v1.2" | ltrimstr("v")'

### json tostring
jq -c '.server | tostring' data/config.json

### json fromjson
echo '"{\"a\":1}"' | jq -c fromjson

### json has
jq 'has("name"), has("x")' data/config.json

### json recurse
jq -c '[.. | numbers]' data/config.json

### json alternative
jq -r '.x? // .name' data/config.json

### json assign many
jq -c '.a=1 | .b=.a+1 | {a,b}' <<< '{}'

### json del key
jq -c 'del(.b)' <<< '{"a":1,"b":2}'

### json raw input
printf 'a\nb\n' | jq -R . | jq -sc .
