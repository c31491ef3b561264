# tree: project

### overview
ls -la > /dev/null && cat README.md | head -5; echo ok | cat

### find todo with context
grep -rn -B1 -A1 "LATER" src/ | sort | head -20

### list functions
grep -nE '^\s*(def|class) ' src/*.py

### imports
grep -hE '^(import|from)' src/*.py | sort -u

### count lines of code
find src -name '*.py' -o -name '*.js' -o -name '*.rs' | xargs wc -l | sort -n | tail -5

### largest files
find . -type f -exec ls -l {} + | awk '{print $5, $9}' | sort -rn | head -3

### biggest by du
du -ab . | sort -n | grep -v ' \.$' | awk -F'\t' '$2 ~ /\./ && $2 != "." {print $2}' | grep '\.log$' | tail -1

### recently changed
ls -lt docs | awk 'NR>1{print $NF}'

### env port
grep PORT .env | cut -d= -f2

### load env
set -a; source .env; set +a; echo "$API_KEY $PORT"

### export env lines
export $(grep -v '^#' .env | xargs); echo $DEBUG

### json in a loop
for n in $(jq -r '.[].name' data/users.json); do echo "user: $n"; done

### csv to table
cut -d, -f2,4 data/users.csv | tail -n +2 | sort -t, -k2 | head -3

### csv average
awk -F, 'NR>1{s+=$3;c++}END{printf "%.2f\n", s/c}' data/users.csv

### csv filter
awk -F, 'NR==1 || $4=="Berlin"' data/users.csv

### markdown headings
grep -rn '^#' --include='*.md' . | sort | head -5

### markdown toc
grep '^##' README.md | sed 's/^## \(.*\)/- \1/'

### replace in place everywhere
find docs -name '*.md' -exec sed -i 's/OAuth/OIDC/g' {} +; grep -rc OIDC docs | sort

### rename extension
for f in data/*.txt; do cp "$f" "build/$(basename "$f" .txt).md"; done; ls build

### backup
cp -r docs "docs.bak" && diff -r docs docs.bak && echo same

### new note
mkdir -p notes && cat > notes/today.md <<'EOF'
# Today

- [ ] one
- [x] two
EOF
grep -c '\[x\]' notes/today.md

### append note
echo "- new item" >> docs/internal/todo.txt && tail -2 docs/internal/todo.txt

### insert at top
printf '%s\n%s\n' "first" "$(cat data/a.txt)" > data/a.txt.new && mv data/a.txt.new data/a.txt && head -2 data/a.txt

### multi grep
grep -rlE 'oauth|OAuth' . | sort | while read -r f; do echo "$f: $(grep -ciE 'oauth' "$f")"; done

### line range
awk 'NR>=5 && NR<=8' src/main.py

### function body
sed -n '/^def main/,/^class/p' src/main.py | head -5

### first match with number
grep -n 'class' src/main.py | head -1 | cut -d: -f1

### context by number
n=$(grep -n 'class' src/main.py | cut -d: -f1); sed -n "$((n-1)),$((n+2))p" src/main.py

### log summary
awk '{c[$2]++} END {for (l in c) printf "%s %d\n", l, c[l]}' logs/app.log | sort

### log per hour
cut -c1-13 logs/app.log | sort | uniq -c | sort -rn | head -3

### log errors
grep ' ERROR ' logs/app.log | head -2 | cut -d' ' -f3-

### slowest
sed -E 's/.*id=([0-9]+) took ([0-9]+)ms.*/\2 \1/' logs/app.log | sort -rn | head -3

### percent
awk '/status=500/{e++} END {printf "%.1f%%\n", e*100/NR}' logs/app.log

### tail follow off
tail -n 5 logs/app.log | wc -l

### unique workers
grep -o 'worker-[0-9]' logs/app.log | sort -u | tr '\n' ' '

### both in file
grep -l LATER $(grep -rl oauth docs) | sort

### not in file
grep -rL LATER --include='*.md' . | sort

### tree like find
find . -not -path '*/.*' -type d | sort | sed 's|[^/]*/|  |g'

### extensions
find . -type f -name '*.*' | sed 's/.*\.//' | sort | uniq -c | sort -k1,1rn -k2 | head -4

### duplicate lines
cat data/*.txt | sort | uniq -d | head -3

### compare lists
comm -13 <(sort data/a.txt) <(sort data/b.txt)

### set difference
grep -vxFf data/a.txt data/b.txt

### word frequency
cat docs/*.md | tr -cs 'A-Za-z' '\n' | tr A-Z a-z | sort | uniq -c | sort -k1,1rn -k2 | head -3

### char count
tr -d '\n' < data/words.txt | wc -c

### longest line
awk '{ if (length($0) > m) { m = length($0); l = $0 } } END { print m }' logs/app.log

### columns
awk -F'\t' '{print NF}' data/table.tsv | sort -u

### transpose
awk -F, 'NR<=2{for(i=1;i<=NF;i++)a[NR,i]=$i} END{for(i=1;i<=4;i++)print a[1,i], a[2,i]}' data/users.csv

### conditional
[ -f docs/guide.md ] && echo exists || echo missing

### conditional missing
test -d nothing && echo yes || echo no

### default argument
f() { local n=${1:-10}; echo $n; }; f; f 5

### loop with index
i=0; for f in data/*.json; do i=$((i+1)); echo "$i $f"; done

### loop over lines
while IFS=$'\t' read -r a b c; do echo "$a costs $c"; done < <(tail -n +2 data/table.tsv)

### accumulate
total=0; while read -r n; do total=$((total+n)); done < data/numbers.txt; echo $total

### max in bash
m=0; for n in $(cat data/numbers.txt); do (( n > m )) && m=$n; done; echo $m

### string contains
s="hello world"; if [[ $s == *world* ]]; then echo yes; fi

### string starts
s="hello"; case $s in he*) echo yes;; esac

### trim
s="  x y  "; s="${s#"${s%%[![:space:]]*}"}"; s="${s%"${s##*[![:space:]]}"}"; echo "[$s]"

### split string
IFS='/' read -ra p <<< "a/b/c"; echo "${#p[@]} ${p[-1]}"

### join array
a=(x y z); (IFS=,; echo "${a[*]}")

### reverse array
a=(1 2 3); for ((i=${#a[@]}-1;i>=0;i--)); do echo -n "${a[i]} "; done; echo

### sort array
a=(c a b); sorted=($(printf '%s\n' "${a[@]}" | sort)); echo "${sorted[@]}"

### array contains
a=(x y); [[ " ${a[*]} " =~ " y " ]] && echo found

### associative count
declare -A c; while read -r w; do c[$w]=$(( ${c[$w]:-0} + 1 )); done < data/fruits.txt; for k in "${!c[@]}"; do echo "$k ${c[$k]}"; done | sort

### upper first
s=hello; echo "${s^}"

### repeat char
printf '=%.0s' {1..10}; echo

### padding
printf '%-8s|%8s|\n' left right

### zero pad loop
for i in $(seq -w 1 3); do touch "file_$i.txt"; done; ls file_*

### date stamp shape
date +%Y-%m-%d | grep -cE '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'

### random file
f=$(mktemp tmp.XXXXXX); [ -f "$f" ] && echo made; rm "$f"

### cleanup trap
t=$(mktemp); trap 'rm -f "$t"' EXIT; echo data > "$t"; cat "$t"

### error handling
cp nothing x 2>/dev/null || { echo "copy failed"; exit 4; }

### set euo
set -euo pipefail; x=$(cat data/a.txt | head -1); echo "$x"

### check command
command -v jq >/dev/null 2>&1 && echo has || echo lacks

### heredoc variable
name=Bob; cat <<EOF
Hello, $name!
Today: $(echo fine)
EOF

### heredoc append
cat >> data/a.txt <<'END'
five
END
tail -1 data/a.txt

### multi line awk
awk '
BEGIN { FS="," }
NR > 1 {
  sum[$4] += $3
  n[$4]++
}
END {
  for (c in sum) printf "%s: %.1f\n", c, sum[c]/n[c]
}' data/users.csv | sort

### multi line script
process() {
  local file="$1"
  local count
  count=$(wc -l < "$file")
  if (( count > 5 )); then
    echo "$file is long ($count)"
  else
    echo "$file is short ($count)"
  fi
}
for f in data/a.txt data/users.csv; do
  process "$f"
done

### nested quotes
bash -c "echo \"it's \$((1+1))\""

### sed multi edit
sed -e 's/^/> /' -e '/two/s/$/ !/' data/a.txt

### sed between
sed -n '/^## Install/,/^## /{/^## /!p}' README.md | grep -v '^$'

### sed delete blank and comments
sed '/^#/d;/^$/d' docs/guide.md | head -3

### sed key value
sed -n 's/^port = //p' .config/settings.toml

### toml value
grep '^host' .config/settings.toml | cut -d'"' -f2

### yaml write
printf 'a: 1\nb:\n  - x\n' > c.yml; grep -A1 '^b' c.yml | tail -1 | tr -d ' -'

### tar list
tar -cf a.tar docs/api.md && tar -tf a.tar

### tar gz round trip
tar -czf a.tgz docs && rm -r docs && tar -xzf a.tgz && ls docs

### checksum compare
a=$(md5sum < data/a.txt); cp data/a.txt c; b=$(md5sum < c); [ "$a" = "$b" ] && echo same

### xargs with basename
find docs -name '*.md' | sort | xargs -n1 basename

### xargs rm
ls data/*.json | xargs rm && ls data | wc -l

### find newer than file
touch -d '2026-06-01' marker; find data -newer marker | wc -l

### find by two names
find . \( -name '*.json' -o -name '*.csv' \) -type f -print | sort

### find exclude dirs
find . \( -path ./docs -o -path ./logs \) -prune -o -type f -name '*.*' -print | sort | head -4

### find with depth and size
find . -maxdepth 2 -type f -size +1k | sort

### find sum sizes
find data -type f -printf '%s\n' | awk '{s+=$1} END {print s}'

### find empty dirs
find . -type d -empty

### find and copy
mkdir out; find data -name '*.json' -exec cp {} out/ \;; ls out

### grep in files with spaces
find . -name '*.txt' -print0 | xargs -0 grep -l hello

### read whole file
x=$(<data/a.txt); echo "$x" | wc -l

### last field path
p=/a/b/c.txt; echo "${p##*/} ${p%/*} ${p##*.}"

### number formatting
printf "%'d\n" 1234567; printf '%.3e\n' 12345.678

### hex
printf '%d\n' 0xff; printf '%x\n' 255; echo $((16#ff))

### float compare
awk 'BEGIN{exit !(1.5 > 1.2)}' && echo bigger

### bc precision
echo "scale=4; 22/7" | bc

### seq sum
seq 1 100 | paste -sd+ | bc

### fibonacci
a=0; b=1; for i in {1..10}; do echo -n "$a "; t=$((a+b)); a=$b; b=$t; done; echo

### prime check
for n in 2 3 4 5; do p=1; for ((i=2;i*i<=n;i++)); do ((n%i==0)) && p=0; done; ((p)) && echo $n; done

### pipeline status
grep -q nothing data/a.txt; echo "status $?"

### stderr only
{ ls nothing; } 2>&1 >/dev/null | grep -c 'No such file'

### both streams
ls README.md nothing 2>&1 | wc -l

### cat many
cat data/a.txt data/b.txt | sort | uniq -c | awk '$1==2{print $2}'

### head and tail together
(head -1; tail -1) < data/a.txt | head -1

### subshell cd
(cd docs; ls *.md); ls -d docs

### which shell
echo ${BASH_VERSION%%.*}

### args count
set -- "a b" c; echo $#; for a; do echo "[$a]"; done

### shift loop
set -- 1 2 3; while (( $# )); do echo $1; shift; done

### local scope
f() { local v=in; g; }; g() { echo "${v:-none}"; }; f; g

### return value
is_even() { (( $1 % 2 == 0 )); }; is_even 4 && echo even; is_even 3 || echo odd

### printf q
printf '%q\n' "a'b" 'x y' '$z'

### base64 file
base64 data/a.txt | base64 -d | cmp - data/a.txt && echo same

### url encode
s='a b&c'; printf '%s' "$s" | jq -sRr @uri

### json build
jq -n --arg n "x y" --argjson c 3 '{name:$n,count:$c}' -c

### json merge
jq -sc '.[0] * .[1]' <(echo '{"a":1,"b":{"c":2}}') <(echo '{"b":{"d":3}}')

### json to csv
jq -r '.[] | [.id,.name,.age] | @csv' data/users.json | head -2

### json keys count
jq 'keys | length' data/config.json

### json edit in place
jq '.debug = false' data/config.json > t && mv t data/config.json && jq .debug data/config.json

### json lines filter
jq -r 'select(.e=="tick") | .t' data/events.jsonl

### json nested default
jq -r '.server.name // "none"' data/config.json

### diff to patch
cp data/a.txt o; sed -i 's/two/TWO/' data/a.txt; diff -u o data/a.txt | grep '^[-+]' | grep -v '^[-+][-+]'

### patch apply
cp data/a.txt o; printf 'one\nTWO\nthree\nfour\n' > n; diff -u o n > p; patch -s o p; cat o

### wc total
wc -l docs/*.md | tail -1

### cut last chars
echo abcdef | rev | cut -c1-3 | rev

### nl format
nl -w2 -s': ' data/a.txt

### paste columns
paste -d' ' <(cut -d, -f1 data/users.csv) <(cut -d, -f2 data/users.csv) | head -2

### tee and count
ls data | tee list.txt | wc -l; head -1 list.txt

### sponge like
sort data/fruits.txt > t && mv t data/fruits.txt && head -1 data/fruits.txt

### history of changes
echo v1 > f; cp f f.1; echo v2 > f; diff f.1 f

### timeout ok
timeout 5 echo fine; echo $?

### timeout fires
timeout 0.1 sleep 5; echo $?

### nohup like
(sleep 0.01; echo later) & wait; echo end

### parallel jobs
{ for i in 1 2 3; do (echo job $i) & done; wait; } | sort; echo all

### mapfile loop
mapfile -t a < <(ls data/*.json); for x in "${a[@]}"; do echo "${x##*/}"; done

### expr match
expr "abc123" : '[a-z]*'

### test regex email
for e in a@b.co bad; do [[ $e =~ ^[^@]+@[^@]+\.[a-z]+$ ]] && echo "$e ok" || echo "$e no"; done

### globstar count
shopt -s globstar nullglob; f=(**/*.md); echo ${#f[@]}

### hidden files only
ls -d .[!.]* | sort

### count dirs
ls -d */ | wc -l

### ls long pick
ls -l data | awk 'NR>1 && $5>100 {print $NF}'

### stat loop
for f in data/a.txt data/b.txt; do echo "$f $(stat -c %s "$f")"; done

### chmod and check
chmod 600 .env && ls -l .env | cut -c1-10

### ln and follow
ln -s docs/api.md link && cat link | head -1 && readlink link

### realpath relative
realpath --relative-to=docs src/main.py

### file exists loop
for f in README.md nope Makefile; do [ -e "$f" ] && echo "$f yes" || echo "$f no"; done

### make target names
grep -E '^[a-z]+:' Makefile | cut -d: -f1

### unicode length
s='naïve'; echo ${#s}

### unicode upper
echo 'é' | tr 'a-z' 'A-Z'; s=é; echo ${s^^}

### emoji
echo '✓ done' | grep -c '✓'

### crlf
printf 'a\r\nb\r\n' > w; tr -d '\r' < w | wc -c; grep -c $'\r' w

### tabs to spaces
printf 'a\tb\n' | expand -t4

### column alignment
printf 'a bb\nccc d\n' | column -t

### loop over cat with grep inside
cat data/a.txt | while read -r w; do grep -c "$w" data/b.txt; done

### loop over grep with cat inside
grep -rl LATER src | sort | while read -r f; do echo "== $f"; cat "$f" | head -1; done

### loop over seq with tr inside
seq 3 | while read -r n; do echo "n$n" | tr n N; done

### endless writer
while true; do echo again; done | head -2

### endless count
i=0; while :; do i=$((i+1)); [ $i -ge 5 ] && break; done; echo $i
