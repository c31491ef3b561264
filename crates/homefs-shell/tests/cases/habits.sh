# tree: project

### cat two files
cat data/a.txt data/b.txt

### cat with numbers
cat -n docs/guide.md | head -5

### cat heredoc append
cat >> data/a.txt <<EOF
five
six
EOF
tail -3 data/a.txt

### head tail middle
head -20 long.txt | tail -5

### tail reverse
tail -n 3 long.txt | tac

### line range awk
awk 'NR>=10 && NR<=12' long.txt

### grep and context numbers
grep -n -A2 -B2 'line 100$' long.txt

### grep regex years
grep -Eo '[0-9]{4}-[0-9]{2}-[0-9]{2}' logs/app.log | sort -u

### grep count by file
grep -c 'o' data/*.txt

### grep with find
find . -name '*.py' | xargs grep -n 'import' | sort

### grep exclude dir
grep -rn --exclude-dir=internal 'oauth' docs

### grep quiet if
if grep -q 'MIT' README.md; then echo licensed; else echo none; fi

### grep invert chain
cat logs/app.log | grep -v INFO | grep -v DEBUG | wc -l

### grep multiple words
grep -E 'WARN|ERROR' logs/app.log | head -3

### grep word start
grep -nE '^(def|class|import) ' src/main.py

### grep case insensitive recursive list
grep -ril 'server' . | sort

### grep whole word count
grep -ow 'the' data/words.txt | wc -l

### grep fixed string special
grep -rnF 'self.port' src

### find by name
find . -name '*.md' | sort

### find ignore case
find . -iname 'readme*'

### find directories
find . -type d -not -path '*/.*' | sort

### find exclude node
find . -type f -not -path './logs/*' -not -path './data/*' | sort

### find empty files
find . -type f -empty

### find by size
find . -size +2k -type f | sort

### find exec wc
find src -name '*.py' -exec wc -l {} \; | sort

### find exec plus
find docs -name '*.md' -exec grep -l 'OAuth' {} + | sort

### find newer than file
find docs -newer docs/guide.md -type f | sort

### find depth two
find . -maxdepth 2 -name '*.txt' | sort

### find count
find . -type f | wc -l

### find delete
find . -name '*.log' -delete; find . -name '*.log' | wc -l

### find or
find . \( -name '*.csv' -o -name '*.tsv' \) -print | sort

### ls long sorted
ls -lt docs | awk '{print $NF}' | tail -n +2

### ls one per line
ls -1 data | head -3

### ls all
ls -a docs | head -4

### ls human
ls -lh data | awk 'NR>1{print $5,$9}' | sort -k2 | head -3

### ls directories
ls -d */

### ls recursive count
ls -R | wc -l

### wc lines
wc -l data/*.txt

### wc words
wc -w README.md

### wc chars
echo -n hello | wc -c

### sort numeric
sort -n data/numbers.txt | head -3

### sort reverse unique
sort -ru data/fruits.txt

### sort by column
sort -t$'\t' -k2 -n data/table.tsv

### sort by length
awk '{print length, $0}' data/fruits.txt | sort -n | cut -d' ' -f2- | uniq

### uniq count sort
sort data/fruits.txt | uniq -c | sort -rn

### cut columns
cut -d, -f1,3 data/users.csv

### tr upper
tr '[:lower:]' '[:upper:]' < data/a.txt

### tr spaces
echo 'a   b    c' | tr -s ' '

### sed replace
sed 's/apple/orange/g' data/fruits.txt | sort | uniq -c

### sed delete blank
sed '/^$/d' README.md | wc -l

### sed print range
sed -n '2,4p' data/users.csv

### sed in place
sed -i 's/LATER/DONE/' docs/internal/notes.md && grep DONE docs/internal/notes.md

### sed insert
sed '1i # Title' data/a.txt | head -2

### sed regex groups
sed -E 's/([a-z]+) ([a-z]+)/\2 \1/' data/words.txt

### awk column
awk -F, '{print $2}' data/users.csv

### awk sum
awk '{s+=$1} END {print s}' data/numbers.txt

### awk filter
awk -F, '$3 >= 30 {print $2, $3}' data/users.csv

### awk count lines by field
awk '{print $2}' logs/app.log | sort | uniq -c | sort -rn

### awk format
awk -F, 'NR>1 {printf "%-10s %d\n", $2, $3}' data/users.csv

### awk last field
awk '{print $NF}' data/words.txt

### xargs echo
echo 'a b c' | xargs -n 1 echo item

### xargs rm
ls data/*.txt | xargs rm; ls data

### xargs with placeholder
ls data/*.json | xargs -I {} cp {} {}.bak; ls data/*.bak

### diff two
diff data/a.txt data/b.txt

### diff unified labels
diff -u --label a --label b data/a.txt data/b.txt

### diff brief dirs
mkdir x y; echo 1 > x/f; echo 2 > y/f; diff -rq x y

### comm only first
comm -23 <(sort data/a.txt) <(sort data/b.txt)

### mkdir nested
mkdir -p a/b/c && ls -R a

### touch and list
touch new1 new2 && ls new*

### cp recursive
cp -r docs copy && ls copy

### mv file
mv data/a.txt data/z.txt && ls data | tail -1

### rm recursive
rm -rf docs && ls | grep docs

### ln symlink
ln -s data/a.txt link && cat link && readlink link

### chmod exec
chmod +x scripts/lib.sh && ls -l scripts/lib.sh | cut -c1-10

### stat format
stat -c '%n %s' data/*.txt

### file exists check
for f in README.md nothing.txt; do if [ -f "$f" ]; then echo "$f exists"; else echo "$f missing"; fi; done

### du file
du -b data/users.csv

### tree
tree docs

### tree depth
tree -L 1

### basename loop
for f in docs/*.md; do echo "$(basename "$f" .md)"; done

### read lines with numbers
i=0; while IFS= read -r line; do i=$((i+1)); echo "$i: $line"; done < data/a.txt

### for seq
for i in $(seq 1 5); do echo -n "$i "; done; echo

### c style for
for ((i=0; i<3; i++)); do echo "i=$i"; done

### while counter
n=3; while [ $n -gt 0 ]; do echo $n; n=$((n-1)); done

### if elif
x=5; if [ $x -lt 3 ]; then echo low; elif [ $x -lt 10 ]; then echo mid; else echo high; fi

### case extension
for f in a.py b.js c.txt; do case ${f##*.} in py) echo python;; js) echo javascript;; *) echo other;; esac; done

### function
add() { echo $(($1 + $2)); }; add 2 3

### array loop
arr=(one two three); for x in "${arr[@]}"; do echo "- $x"; done; echo ${#arr[@]}

### assoc
declare -A m; m[a]=1; m[b]=2; for k in a b; do echo "$k=${m[$k]}"; done

### string replace
s="foo bar foo"; echo "${s/foo/baz}"; echo "${s//foo/baz}"

### default value
echo "${NOPE:-default}"; NAME=${NAME:-anon}; echo $NAME

### arithmetic
echo $((10 * 3 + 2)) $((17 % 5)) $((2 ** 8))

### command substitution
count=$(ls data | wc -l); echo "There are $count files"

### date fixed
date -u -d '2026-01-15' '+%d/%m/%Y'

### printf
printf 'Name: %s, Age: %d\n' Alice 30

### jq field
jq '.name' data/config.json; jq -r '.version' data/config.json

### jq array map
jq '[.[] | .name]' data/users.json

### jq filter
jq -c '.[] | select(.age > 26) | {name, age}' data/users.json

### jq length
jq 'length' data/users.json; jq '.[0] | keys' data/users.json

### jq pretty nested
jq '.server' data/config.json

### jq raw join
jq -r '.[] | .tags | join(",")' data/users.json

### jq from stdin
echo '{"a":{"b":[1,2,3]}}' | jq '.a.b[1]'

### base64
echo -n secret | base64; echo c2VjcmV0 | base64 -d; echo

### md5
echo -n abc | md5sum; printf abc | sha256sum | cut -c1-8

### column
column -t -s, data/users.csv

### paste join
paste -sd, data/a.txt

### nl
nl data/a.txt

### rev
echo abc | rev

### tee
echo hi | tee out.txt; cat out.txt

### pipe chain
cat data/users.csv | tail -n +2 | cut -d, -f4 | sort | uniq -c | sort -rn | head -1 | awk '{print $2}'

### and or
[ -d docs ] && echo yes || echo no; [ -d nothing ] && echo yes || echo no

### exit status
false; echo $?; true; echo $?; (exit 7); echo $?

### multi line pipeline
cat data/words.txt |
  tr ' ' '\n' |
  sort |
  uniq -c |
  sort -rn |
  head -1

### env
export FOO=bar; echo $FOO; env | grep ^FOO=; unset FOO; echo "[$FOO]"

### which
command -v bash > /dev/null && echo has-bash; command -v nonsense_cmd || echo none

### history of errors
ls /nonexistent 2>/dev/null || echo "not there"; cat nothing 2>&1 | sed 's/^/E: /'

### subshell
(cd docs; ls | head -1); ls -d docs

### heredoc to python absent
cat <<'PY' > x.py
print("hi")
PY
wc -l < x.py; head -1 x.py

### seq sum
seq 1 100 | awk '{s+=$1} END {print s}'

### bc
echo '2.5 * 4' | bc; echo 'scale=3; 1/3' | bc

### rg
rg LATER src -n | sort; rg -l 'import' | sort; rg --files src | sort

### zip of gzip
gzip -k data/a.txt && gunzip -c data/a.txt.gz

### tar
tar cf t.tar docs && tar tf t.tar | sort | head -3

### realpath of file
realpath README.md | sed 's|.*/||'

### split file
split -l 100 long.txt chunk_ && wc -l chunk_* | tail -1

### sleep
sleep 0.1 && echo awake

### test string
[ "abc" = "abc" ] && echo same; [[ "hello" == h* ]] && echo starts; [[ "a1" =~ [0-9] ]] && echo digit; [ -z "" ] && echo empty
