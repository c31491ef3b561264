# tree: project

### what is here
pwd | sed 's|.*/||'; ls -la | wc -l; find . -maxdepth 1 -type d | sort

### read first lines of all docs
for f in $(find docs -name '*.md' | sort); do echo "=== $f ==="; head -n 3 "$f"; done

### where is port
grep -rn "8080" --include="*.py" --include="*.js" --include="*.toml" --include=".env" . | sort

### how many todo
grep -r "LATER" . 2>/dev/null | wc -l; grep -rl "LATER" . | sort | head -5

### errors by day
grep ERROR logs/app.log | cut -dT -f1 | sort | uniq -c

### slowest five
sed -nE 's/.*id=([0-9]+) took ([0-9]+)ms.*/\2 \1/p' logs/app.log | sort -rn | head -5

### average duration
grep -oP 'took \K[0-9]+' logs/app.log | awk '{s+=$1} END {printf "%.1f\n", s/NR}'

### status counts
awk -F'status=' '{c[$2]++} END {for (s in c) print s, c[s]}' logs/app.log | sort

### worker table
awk '{print $3}' logs/app.log | tr -d '[]' | sort | uniq -c | awk '{print $2": "$1}'

### json names
jq -r '.[].name' data/users.json | sort -r | tr '\n' ','; echo

### json older than
jq '[.[] | select(.age > 26)] | length' data/users.json

### csv oldest
tail -n +2 data/users.csv | sort -t, -k3,3nr | head -1 | cut -d, -f2

### csv cities
cut -d, -f4 data/users.csv | tail -n +2 | sort -u | paste -sd ' '

### csv to json with jq
tail -n +2 data/users.csv | jq -R -s -c 'split("\n") | map(select(. != "")) | map(split(",")) | map({id: .[0], name: .[1]})'

### table price sum
awk -F'\t' 'NR>1 {sum += $2 * $3} END {print "Total:", sum}' data/table.tsv

### create and check a file
cat > notes.md << 'EOF'
# Notes
- first
- second
EOF
wc -l notes.md; cat notes.md

### append and show
echo "- third" >> notes2.md; echo "- fourth" >> notes2.md; cat -n notes2.md

### replace in many
grep -rl "8080" --include="*.py" --include="*.js" src | xargs sed -i 's/8080/9090/g'; grep -rn 9090 src | sort

### rename all
for f in data/*.txt; do mv "$f" "${f%.txt}.text"; done; ls data

### make a tree of dirs
mkdir -p project/{src,tests,docs}/{a,b}; find project -type d | sort

### move by extension
mkdir -p out/txt out/json; find data -maxdepth 1 -name '*.txt' -exec mv -t out/txt {} +; mv data/*.json out/json/; ls out/txt out/json

### delete old logs
find logs -name "*.log" -mtime +30 -print | sort; find logs -type f -name '*.log' | wc -l

### copy with structure
mkdir bk; cp -r docs src bk/; diff -r docs bk/docs && diff -r src bk/src && echo identical

### biggest files
find . -type f -printf '%s %p\n' | sort -rn | head -3

### biggest by ls
ls -lS data | awk 'NR>1 {print $5, $9}' | head -3

### file count per dir
find . -type f | sed 's|/[^/]*$||' | sort | uniq -c | sort -k1,1nr -k2 | head -4

### loc per language
for ext in py js rs; do printf '%s %s\n' "$ext" "$(find src -name "*.$ext" -exec cat {} + | wc -l)"; done

### functions per file
grep -c "^def\|^    def" src/*.py

### line of main
grep -n "def main" src/main.py | cut -d: -f1

### show around
sed -n '5,9p' src/main.py

### show between
awk '/class Server/,/pass/' src/main.py

### extract headings
grep -h '^#' docs/*.md README.md | sed 's/^#* *//' | sort

### links in markdown
grep -oE '\[[^]]+\]\([^)]+\)' docs/*.md

### code blocks
sed -n '/^```/,/^```/p' README.md

### word frequency
tr -s '[:space:][:punct:]' '\n' < README.md | tr 'A-Z' 'a-z' | sort | uniq -c | sort -k1,1nr -k2 | head -5

### unique lines of two
sort data/a.txt data/b.txt | uniq -u

### compare sorted
diff <(sort data/a.txt) <(sort data/b.txt) | grep '^[<>]'

### side by side with paste
paste -d'|' <(head -3 data/a.txt) <(head -3 data/b.txt)

### numbers stats
sort -n data/numbers.txt | awk '{a[NR]=$1; s+=$1} END {print "min="a[1], "max="a[NR], "median="a[int((NR+1)/2)], "mean="s/NR}'

### seq big
seq 150000 | tail -1; seq 1 200000 | wc -l

### seq math
seq 1 10 | paste -sd+ | bc; seq 1 5 | awk '{p=p?p*$1:$1} END{print p}'

### bc money
echo "scale=2; 19.99 * 3" | bc; echo "scale=2; 100 / 7" | bc; echo "12.5 + 7.25" | bc; echo "(3+4)*2" | bc

### bc compare
if (( $(echo "3.14 > 2.71" | bc -l) )); then echo bigger; fi

### percentage
total=120; part=45; echo "scale=1; $part*100/$total" | bc; awk "BEGIN{printf \"%.2f%%\n\", $part/$total*100}"

### date diff
a=$(date -d 2026-01-01 +%s); b=$(date -d 2026-03-01 +%s); echo $(( (b-a)/86400 ))

### date shift
date -d '2026-02-28 +1 day' +%F; date -d '2024-02-28 + 1 day' +%F 2>/dev/null; date -d '2026-01-01 12:00 -2 hours' '+%F %H:%M'

### date parts
date -d '2026-07-04 15:30:45' '+Year %Y, month %B, day %-d, %I:%M %p'

### date week
for d in 2026-01-01 2026-06-15 2026-12-31; do date -d "$d" '+%a %V %j'; done

### loop dates
d=2026-01-30; for i in 1 2 3; do echo $d; d=$(date -I -d "$d + 1 day"); done

### touch and sort by time
touch -d '3 days ago' a1; touch -d yesterday a2; touch a3; ls -t a1 a2 a3; ls -tr a[123]

### newer files
touch -d '2026-05-01' ref; touch -d '2026-06-01' n1; find . -maxdepth 1 -newer ref -type f; [ n1 -nt ref ] && echo newer

### stat size loop
for f in data/a.txt data/b.txt; do printf '%s: %s bytes\n' "$f" "$(stat -c%s "$f")"; done

### checksum compare
[ "$(md5sum < data/a.txt)" = "$(md5sum < data/b.txt)" ] && echo same || echo different

### base64 file
base64 -w0 data/a.txt; echo; base64 data/a.txt | base64 -d | head -1

### hex
xxd -l 16 data/a.txt; od -An -c -N 8 data/a.txt; printf '%x\n' 255

### tar list
tar -czf x.tar.gz docs && tar -tzf x.tar.gz | sort && rm x.tar.gz

### gz and search
gzip -c logs/app.log > l.gz; zcat l.gz | grep -c ERROR; zgrep -c ERROR l.gz

### env var in script
NAME=World bash -c 'echo "Hello, $NAME"'; export X=1; bash -c 'echo $X'; env | grep '^X='

### script with args
cat > s.sh <<'E'
#!/usr/bin/env bash
set -euo pipefail
usage() { echo "usage: $0 NAME" >&2; exit 2; }
[ $# -ge 1 ] || usage
echo "hi $1"
E
chmod +x s.sh; ./s.sh bob; ./s.sh 2>/dev/null; echo $?; bash s.sh al

### function library
source scripts/lib.sh; greet you; echo $VERSION; type -t greet

### retry
n=0; until [ $n -ge 3 ]; do n=$((n+1)); echo "attempt $n"; [ $n -eq 2 ] && break; done

### case menu
for a in start stop restart foo; do case "$a" in start|restart) echo "$a ok";; stop) echo stopping;; *) echo "unknown: $a" ;; esac; done

### arrays and maps
declare -A ages; while IFS=, read -r id name age city; do [ "$id" = id ] && continue; ages[$name]=$age; done < data/users.csv; for n in Alice Bob Eve; do echo "$n=${ages[$n]}"; done

### mapfile and join
mapfile -t L < data/a.txt; (IFS=,; echo "${L[*]}"); echo "${L[@]: -2}"; printf '%s\n' "${L[@]^^}" | head -2

### read csv nicely
while IFS=',' read -r id name age city; do printf '%-6s %3s %s\n' "$name" "$age" "$city"; done < <(tail -n +2 data/users.csv)

### string ops
s="hello_world_test"; echo "${s//_/-}"; echo "${s%%_*}"; echo "${s##*_}"; echo "${s^^}"; echo "${#s}"; echo "${s:6:5}"

### path ops
p=/a/b/c.tar.gz; echo "${p##*/} ${p%/*} ${p%%.*} ${p#*.}"; dirname $p; basename $p .tar.gz

### arithmetic
a=7; b=3; echo $((a+b)) $((a-b)) $((a*b)) $((a/b)) $((a%b)) $((a**b)); ((a>b)) && echo gt; echo $(( (a+b)*2 ))

### test chain
[ -f README.md ] && [ -d docs ] && echo ok; [ ! -e nope ] && echo missing; test -s empty.txt || echo empty; [[ README.md == *.md ]] && echo md

### regex capture
line='2026-01-02 ERROR code=42 msg="x y"'; [[ $line =~ code=([0-9]+) ]] && echo ${BASH_REMATCH[1]}; [[ $line =~ msg=\"([^\"]*)\" ]] && echo "${BASH_REMATCH[1]}"

### pipe status
cat nothing 2>/dev/null | wc -l; echo ${PIPESTATUS[0]}; set -o pipefail; cat nothing 2>/dev/null | wc -l; echo $?

### errors to stdout
cat nothing 2>&1; ls nothing 2>&1; cd nothing 2>&1; cp nothing x 2>&1; rm nothing 2>&1; mkdir docs/x/y 2>&1; head nothing 2>&1; tail nothing 2>&1; wc nothing 2>&1; grep x nothing 2>&1; sed p nothing 2>&1

### more errors
mv nothing x 2>&1; rmdir docs 2>&1; touch no/x 2>&1; ln -s a README.md 2>&1; chmod 999 README.md 2>&1 | head -1; du nothing 2>&1; find nothing 2>&1; stat nothing 2>&1; cmp data/a.txt nothing 2>&1; diff nothing data/a.txt 2>&1

### bad options
ls -y 2>&1 | head -1; cat -y 2>&1 | head -1; cp -y 2>&1 | head -1; rm -y 2>&1 | head -1; wc -y 2>&1 | head -1; head -y 2>&1 | head -1; mkdir 2>&1; touch 2>&1 | head -1

### try lines
rm 2>&1; mv x 2>&1; cp --bogus 2>&1; mkdir -Q x 2>&1; ln 2>&1; wc --bogus 2>&1; stat 2>&1; realpath 2>&1; expr 2>&1; date --bogus 2>&1

### numbers of bad arguments
head -n x README.md 2>&1; tail -n x README.md 2>&1; seq x 2>&1 | head -1; date -d bogus 2>&1; expr 1 + x 2>&1; printf '%d\n' x 2>/dev/null; echo $?

### command not found kinds
foo 2>&1; foo bar | cat; x=$(foo 2>&1); echo "$? $x"; foo && echo yes || echo no

### xargs kinds
ls data/*.txt | xargs -n1 basename | sort | xargs; find docs -name '*.md' | sort | xargs -I{} sh -c 'echo "{}: $(wc -l < {})"'; echo a b c | xargs -n1 -I@ echo "<@>"

### xargs grep
find . -name '*.md' -print0 | xargs -0 grep -l LATER | sort

### while with find null
find docs -type f -print0 | sort -z | while IFS= read -r -d '' f; do echo "${f##*/}"; done

### nested loops to table
for i in 1 2 3; do for j in 1 2 3; do printf '%3d' $((i*j)); done; echo; done

### here doc with expansion to command
grep -c o <<EOF
one
two
$(echo four)
EOF

### tee and count
seq 5 | tee nums.txt | wc -l; cat nums.txt | tail -1

### sort by several
sort -t, -k4,4 -k2,2r data/users.csv | tail -n +1 | head -4

### join csv
join -t, -1 1 -2 1 <(tail -n +2 data/users.csv | sort) <(printf '1,admin\n3,user\n') | cut -d, -f2,5

### awk report
awk -F, 'NR>1 {c[$4]++; s[$4]+=$3} END {for (k in c) printf "%-8s %d %.1f\n", k, c[k], s[k]/c[k]}' data/users.csv | sort

### awk with begin end header
awk 'BEGIN{print "start"} {print NR": "$0} END{print "total", NR}' data/a.txt

### awk fields by header
awk -F, 'NR==1{for(i=1;i<=NF;i++)if($i=="age")c=i;next}{print $c}' data/users.csv | sort -n | head -2

### awk longest
awk 'length($0)>max{max=length($0);l=$0}END{print max": "l}' data/words.txt

### sed multiple
sed -e 's/one/1/' -e '/two/d' -e '$a end' data/a.txt

### sed in place check
sed -i.orig '1s/^/# /' data/a.txt; head -1 data/a.txt; diff data/a.txt.orig data/a.txt

### column pretty
column -t -s, data/users.csv | head -3; cut -d, -f1,2 data/users.csv | column -t -s ,

### jq update file
jq '.server.port = 9000' data/config.json > c.json && mv c.json data/config.json && jq -c .server data/config.json

### jq keys and types
jq -r 'to_entries[] | "\(.key)=\(.value|type)"' data/config.json

### jq merge
jq -c -s '.[0] * .[1]' data/config.json <(echo '{"debug":false,"extra":1}') | jq -S -c .

### jq events
jq -r 'select(.e=="tick") | .t' data/events.jsonl; jq -s 'length' data/events.jsonl; jq -r '[.t,.e]|@tsv' data/events.jsonl

### jq group
jq -c 'map({(.name): .age}) | add' data/users.json; jq -c 'map(.tags) | add | group_by(.) | map({(.[0]): length}) | add' data/users.json

### rg basics
rg -n 'def \w+' src | sort; rg -c LATER | sort; rg -l oauth docs | sort

### tree two
tree -L 2 --dirsfirst docs src; tree -d -L 1

### du and sort
du -ab docs | grep '\.md' | sort -k2; du -sb data/a.txt

### wc total
wc -l data/*.txt | tail -1; cat data/*.txt | wc -w

### tail follow up
tail -n 2 logs/*.log; tail -n +119 logs/app.log | head -1

### nl and cut
nl -ba data/a.txt | cut -f2; nl data/a.txt | head -1

### fold and fmt
fold -w 20 data/words.txt | head -3

### tr and sort
echo "banana" | fold -w1 | sort | uniq -c | sort -k1,1nr -k2; echo "hello" | rev; echo hello | tr 'a-y' 'b-z'

### printf table
printf '%-10s|%5s|%5.2f\n' apple 3 1.5 pear 12 0.333

### trap and temp
tmp=$(mktemp); trap 'rm -f "$tmp"' EXIT; echo data > "$tmp"; cat "$tmp"

### subshell cd
(cd docs && ls *.md | wc -l); basename "$PWD"

### command grouping
{ echo a; echo b; } | wc -l; (echo c; echo d) > g; cat g

### background
for i in 1 2 3; do (echo "job $i") & wait $!; done; echo all

### set e or true
set -e; grep -q nothing README.md || true; echo survived; false; echo no

### exit code capture
ls nothing 2>/dev/null; rc=$?; echo "rc=$rc"; if ! grep -q zzz README.md; then echo absent; fi

### brace rename
touch report_{jan,feb,mar}.txt; for f in report_*.txt; do echo "${f#report_}"; done; ls report_{jan,feb}.txt

### glob patterns
ls data/[ab].txt data/u*.{csv,json}; echo docs/**/*.md; shopt -s globstar; echo docs/**/*.md

### local in functions
counter() { local n=${1:-0}; echo $((n+1)); }; x=$(counter 5); echo $x $(counter)

### printf quoting
printf '%s\n' "a b" 'c"d' $'e\tf'; printf '%q\n' 'x y'; echo "\$HOME 'single' \"double\""

### comm sets
comm -12 <(sort data/a.txt) <(sort data/b.txt); comm -3 <(sort data/a.txt) <(sort data/b.txt) | tr -d '\t'

### diff unified small
diff -u data/a.txt data/b.txt | sed 1,2d; diff data/a.txt data/b.txt > /dev/null; echo $?

### patch flow
cp data/a.txt new.txt; echo five >> new.txt; sed -i 's/two/TWO/' new.txt; diff -u data/a.txt new.txt > p.diff; patch data/a.txt < p.diff; cat data/a.txt

### split and join
split -l 50 long.txt part_; ls part_* | wc -l; cat part_* | cmp - long.txt && echo same

### realpath and readlink
readlink latest; realpath --relative-to=. latest; readlink -f docs-link | sed 's|.*/||'; ls -l latest | awk '{print $NF}'

### hidden config
cat .env | grep -v '^#' | while IFS='=' read -r k v; do echo "$k is $v"; done; ls -A | grep '^\.' | sort

### id and names
[ -n "$(whoami)" ] && echo user; [ -n "$HOME" ] && echo home; echo ${UID:+uid} ${HOSTNAME:+host}

### random temp names
f="tmp_$$_$RANDOM"; touch "$f"; ls tmp_* | wc -l; rm -f tmp_*; ls tmp_* 2>/dev/null | wc -l
