# tree: project

### sort
sort data/fruits.txt

### sort unique
sort -u data/fruits.txt

### sort numeric
sort -n data/numbers.txt

### sort reverse numeric
sort -rn data/numbers.txt | head -3

### sort key
sort -t, -k3 -n data/users.csv

### sort two keys
tail -n +2 data/users.csv | sort -t, -k4,4 -k3,3nr

### sort human
printf '10K\n2M\n1G\n5\n' | sort -h

### sort version
printf 'v1.10\nv1.9\nv1.2\n' | sort -V

### sort stable
printf 'b 1\na 1\nc 0\n' | sort -s -k2,2n

### sort ignore case
printf 'b\nA\na\nB\n' | sort -f

### sort check
sort -c data/numbers.txt 2>/dev/null; echo $?

### sort output
sort -o out data/fruits.txt; head -1 out

### sort merge
sort -m <(printf '1\n3\n') <(printf '2\n4\n')

### sort zero
printf 'b\0a\0' | sort -z | tr '\0' '\n'

### sort random size
sort -R data/a.txt | wc -l

### uniq
sort data/fruits.txt | uniq

### uniq count
sort data/fruits.txt | uniq -c

### uniq count ranked
sort data/fruits.txt | uniq -c | sort -rn

### uniq duplicates
sort data/fruits.txt | uniq -d

### uniq unique
sort data/fruits.txt | uniq -u

### uniq ignore case
printf 'a\nA\nb\n' | uniq -i

### uniq skip field
printf '1 a\n2 a\n3 b\n' | uniq -f1

### cut field
cut -d, -f2 data/users.csv

### cut fields
cut -d, -f1,3-4 data/users.csv

### cut characters
cut -c1-3 data/fruits.txt

### cut tab
cut -f2 data/table.tsv

### cut complement
cut -d, --complement -f1 data/users.csv

### cut output delimiter
cut -d, -f1,2 --output-delimiter=' | ' data/users.csv

### cut only delimited
printf 'a:b\nc\n' | cut -s -d: -f1

### cut to end
cut -d' ' -f2- data/words.txt

### tr upper
tr a-z A-Z < data/a.txt

### tr classes
echo "Hello World" | tr '[:upper:]' '[:lower:]'

### tr delete
echo "a1b2c3" | tr -d '0-9'

### tr squeeze
echo "aa  bb" | tr -s ' a'

### tr newline
tr '\n' ' ' < data/a.txt

### tr complement
echo "a1b2" | tr -cd '0-9\n'

### sed substitute
sed 's/one/1/' data/a.txt

### sed global
sed 's/e/E/g' data/a.txt

### sed delete
sed '2d' data/a.txt

### sed delete match
sed '/t/d' data/a.txt

### sed print match
sed -n '/t/p' data/a.txt

### sed range match
sed -n '/## Setup/,/^$/p' docs/guide.md

### sed several
sed -e 's/one/1/' -e 's/two/2/' data/a.txt

### sed in place
sed -i 's/one/1/' data/a.txt; cat data/a.txt

### sed in place backup
sed -i.bak 's/one/1/' data/a.txt; cat data/a.txt.bak data/a.txt | head -5

### sed extended
sed -E 's/([a-z]+) ([a-z]+)/\2 \1/' data/words.txt

### sed group basic
sed 's/\(quick\) \(brown\)/\2 \1/' data/words.txt

### sed ampersand
sed 's/[0-9]*/<&>/' data/numbers.txt | head -2

### sed delimiter
echo /usr/local/bin | sed 's|/usr|/opt|'

### sed ignore case
sed 's/ONE/1/I' data/a.txt

### sed nth
echo aaaa | sed 's/a/b/2'

### sed append
sed '/two/a after' data/a.txt

### sed insert
sed '1i first' data/a.txt

### sed change
sed '/two/c changed' data/a.txt

### sed last
sed -n '$p' data/a.txt

### sed quit
sed 2q data/a.txt

### sed transliterate
sed 'y/abc/xyz/' data/fruits.txt

### sed number lines
sed = data/a.txt | head -4

### sed empty lines
sed '/^$/d' README.md

### sed trim
echo "  x  " | sed 's/^ *//; s/ *$//'

### sed comments
sed 's/#.*//' src/main.py | head -8

### sed join
sed ':a;N;$!ba;s/\n/,/g' data/a.txt

### sed hold
sed -n '1!G;h;$p' data/a.txt

### sed print line number
sed -n '/LATER/=' src/main.py

### sed case convert
echo hello | sed 's/.*/\U&/'

### sed step
sed -n '1~2p' data/a.txt

### sed not
sed '/one/!d' data/a.txt

### sed write
sed -n '/o/w out.txt' data/a.txt; cat out.txt

### sed script lines
sed '
s/one/1/
s/two/2/' data/a.txt

### awk field
awk '{print $2}' data/words.txt

### awk separator
awk -F, '{print $2}' data/users.csv

### awk condition
awk -F, '$3 > 28 {print $2}' data/users.csv

### awk header skip
awk -F, 'NR>1 {print $4}' data/users.csv | sort | uniq -c

### awk sum
awk '{s+=$1} END {print s}' data/numbers.txt

### awk average
awk -F, 'NR>1 {s+=$3; n++} END {print s/n}' data/users.csv

### awk max
awk 'BEGIN{m=0} $1>m {m=$1} END {print m}' data/numbers.txt

### awk count by
awk -F, 'NR>1 {c[$4]++} END {for (k in c) print k, c[k]}' data/users.csv | sort

### awk printf
awk -F'\t' 'NR>1 {printf "%-6s %6.2f\n", $1, $2*$3}' data/table.tsv

### awk last field
awk '{print $NF}' data/words.txt

### awk field count
awk '{print NF}' data/words.txt

### awk line numbers
awk '{print NR": "$0}' data/a.txt

### awk match
awk '/LATER/ {print FILENAME": "$0}' README.md src/main.py

### awk range
awk '/## Setup/,/Run/' docs/guide.md

### awk variables
awk -v n=3 'NR==n' data/a.txt

### awk output separator
awk -F, -v OFS=';' '{$1=$1; print}' data/users.csv | head -2

### awk gsub
awk '{gsub(/o/, "0"); print}' data/a.txt

### awk substr
awk '{print substr($0, 1, 2)}' data/a.txt

### awk length
awk '{print length($0)}' data/a.txt

### awk split
awk 'BEGIN {n=split("a:b:c", p, ":"); print n, p[2]}'

### awk toupper
awk '{print toupper($0)}' data/a.txt

### awk begin end
awk 'BEGIN {print "start"} {n++} END {print n}' data/a.txt

### awk duplicates
awk '!seen[$0]++' data/fruits.txt

### awk index
awk '{print index($0, "e")}' data/a.txt

### awk ternary
awk '{print ($1 > 9 ? "big" : "small")}' data/numbers.txt

### awk join two files
awk 'NR==FNR {a[$1]; next} $1 in a' data/a.txt data/b.txt

### awk function
awk 'function f(x) {return x*x} {print f($1)}' data/numbers.txt

### awk while
awk 'BEGIN {i=0; while (i<3) {print i; i++}}'

### awk regex field
awk -F'[ =]' '/status=500/ {print $6}' logs/app.log | head -3

### awk getline
awk 'BEGIN {while ((getline line < "data/a.txt") > 0) n++; print n}'

### awk exit status
awk 'BEGIN {exit 3}'; echo $?

### awk sprintf
awk 'BEGIN {printf "%05.1f|%x|%s\n", 3.14159, 255, sprintf("%3d", 7)}'

### awk match function
echo "abc123" | awk '{if (match($0, /[0-9]+/)) print RSTART, RLENGTH}'

### awk delete
awk 'BEGIN {a[1]; a[2]; delete a[1]; print length(a)}'

### awk percentile
sort -n data/numbers.txt | awk '{a[NR]=$1} END {print a[int(NR/2)]}'

### awk multi separator line
awk 'BEGIN{RS=""} {print NR": "$1}' README.md

### join
join <(sort data/a.txt) <(sort data/b.txt)

### comm
comm <(sort data/a.txt) <(sort data/b.txt)

### comm only both
comm -12 <(sort data/a.txt) <(sort data/b.txt)

### comm only first
comm -23 <(sort data/a.txt) <(sort data/b.txt)

### seq step
seq 1 2 9

### seq separator
seq -s, 5

### seq format
seq -w 8 11

### seq down
seq 3 -1 1

### shuf count
shuf -n 2 data/a.txt | wc -l

### fmt
fmt -w 20 data/words.txt

### printf table
printf '%-10s|%5d\n' a 1 bb 22

### numfmt
numfmt --to=iec 1048576

### column tab
column -t -s $'\t' data/table.tsv

### base64
echo hello | base64

### base64 decode
echo aGVsbG8K | base64 -d

### md5
md5sum data/a.txt

### sha256
sha256sum data/a.txt | cut -c1-16

### sha1 stdin
echo -n hi | sha1sum

### md5 check
md5sum data/a.txt > sums; md5sum -c sums

### cksum
cksum data/a.txt

### bc
echo "3*4+1" | bc

### bc scale
echo "scale=2; 10/3" | bc

### expr
expr 3 + 4

### expr length
expr length hello

### top words
tr -s ' ' '\n' < data/words.txt | sort | uniq -c | sort -rn | head -2

### log levels
awk '{print $2}' logs/app.log | sort | uniq -c | sort -rn

### slow requests
grep -o 'took [0-9]*ms' logs/app.log | tr -dc '0-9\n' | sort -n | tail -1

### error rate
total=$(wc -l < logs/app.log); bad=$(grep -c 'status=500' logs/app.log); echo "$bad of $total"

### headings
grep -h '^#' README.md docs/*.md | sed 's/^#* //'
