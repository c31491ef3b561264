# tree: project

### sort by two keys
sort -t, -k4,4 -k3,3nr data/users.csv

### sort numeric key in columns
sort -k2,2n <<< $'a 10\nb 9\nc 100'

### sort version and human
printf '1.10\n1.9\n1.2\n' | sort -V; printf '2K\n1M\n10\n' | sort -h

### sort by part of field
printf 'x20\nx3\nx100\n' | sort -k1.2n

### sort stable
printf 'b 1\na 1\nb 0\n' | sort -s -k1,1

### sort fold and dictionary
printf 'b\nA\na\nB\n' | sort -f; printf 'b\nA\n' | LC_ALL=C sort

### sort check
sort -c data/a.txt 2>&1; echo $?; sort -C data/numbers.txt; echo $?

### sort merge
sort -m <(printf '1\n3\n') <(printf '2\n4\n')

### sort output same file
sort data/fruits.txt -o data/fruits.txt; head -1 data/fruits.txt

### sort zero
printf 'b\0a\0' | sort -z | tr '\0' '\n'

### sort unique reverse numeric
sort -nru data/numbers.txt | head -2

### sort leading blanks
printf ' b\na\n' | sort -b

### sort months
printf 'Feb x\nJan y\nDec z\n' | sort -M -r

### sort missing
sort nothing 2>&1; echo $?

### uniq counts padded
sort data/fruits.txt | uniq -c

### uniq unique and repeated
sort data/fruits.txt | uniq -u; sort data/fruits.txt | uniq -d

### uniq skip fields
printf '1 a\n2 a\n3 b\n' | uniq -f1; printf 'xa\nya\n' | uniq -s1

### uniq ignore case width
printf 'A\na\nab\n' | uniq -i; printf 'abc\nabd\n' | uniq -w2

### cut fields range
cut -d, -f2- data/users.csv | head -2; cut -d, -f-2 data/users.csv | tail -1; cut -d, -f1,3-4 data/users.csv | sed -n 2p

### cut characters
cut -c1-3 data/words.txt; cut -c3- data/a.txt | head -1

### cut output delimiter
cut -d, -f1,2 --output-delimiter=' - ' data/users.csv | head -2

### cut only delimited
printf 'a,b\nno\n' | cut -d, -f2; printf 'a,b\nno\n' | cut -s -d, -f2

### cut complement
cut -d, --complement -f2 data/users.csv | head -2

### cut default tab
cut -f2 data/table.tsv

### tr ranges and sets
echo 'Hello' | tr 'a-zA-Z' 'b-zaB-ZA'; echo hello | tr '[:lower:]' '[:upper:]'

### tr squeeze
echo 'aabb  cc' | tr -s 'a-z '; echo 'a  b' | tr -s ' ' '_'

### tr delete complement
echo 'a1b2c3' | tr -cd '0-9'; echo; echo 'a1!' | tr -dc '[:alnum:]\n'

### tr complement to newline
tr -cs 'A-Za-z' '\n' < data/words.txt | sort | uniq -c | sort -k1,1nr -k2 | head -2

### tr escapes
printf 'a\tb\n' | tr '\t' ' '; echo 'a:b' | tr ':' '\n'; echo ab | tr 'ab' 'x'

### paste columns
paste data/a.txt data/b.txt | head -2; paste -d, data/a.txt data/b.txt | tail -1

### paste serial
paste -s data/a.txt; paste -sd+ data/numbers.txt; paste -sd+ data/numbers.txt | bc

### paste dashes
seq 6 | paste - - -; seq 4 | paste -d' ' - -

### join defaults
join <(printf '1 a\n2 b\n3 c\n') <(printf '1 x\n3 z\n')

### join outer
join -a1 -a2 -e NA -o 0,1.2,2.2 <(printf '1 a\n2 b\n') <(printf '2 x\n3 y\n')

### join other fields
join -1 2 -2 1 -t, <(printf 'x,1\ny,2\n') <(printf '1,one\n2,two\n')

### join unmatched only
join -v1 <(printf 'a 1\nb 2\n') <(printf 'b 3\n')

### comm columns
comm <(printf 'a\nb\nc\n') <(printf 'b\nc\nd\n'); comm -12 <(sort data/a.txt) <(sort data/b.txt)

### comm delimiter
comm --output-delimiter=: <(printf 'a\nb\n') <(printf 'b\nc\n')

### column table
column -t -s, data/users.csv

### column output separator
column -t -s $'\t' -o ' | ' data/table.tsv

### nl kinds
nl data/a.txt; nl -ba -w3 -s': ' README.md | head -3

### nl start and step
nl -v10 -i5 -nrz -w4 data/a.txt

### fold and spaces
echo 'the quick brown fox jumps' | fold -w 10; echo 'the quick brown fox jumps' | fold -s -w 10

### fmt paragraphs
printf 'one two three four five six seven eight nine ten eleven twelve\n' | fmt -w 30

### tac and rev
tac data/a.txt | rev

### head bytes and lines
head -c 10 data/words.txt; echo; head -3 data/numbers.txt | tail -1; head -n1 -q data/a.txt data/b.txt

### tail from
tail -n +3 data/a.txt; tail -c 5 data/a.txt; tail -1 data/a.txt

### wc kinds
wc data/a.txt data/words.txt; wc -w < data/words.txt; wc -L data/words.txt; wc -m unicode/*

### wc files from find
find data -name '*.txt' -print0 | sort -z | wc -l --files0-from=- | tail -1

### tee several
echo x | tee t1 t2 | cat - t1 t2

### split lines
split -l 2 data/a.txt part_; ls part_*; cat part_ab

### split bytes and numeric
split -b 5 -d data/a.txt p; ls p0*; split -n 2 data/numbers.txt n_; ls n_* | wc -l

### split suffix
split -l 3 --additional-suffix=.txt -a 1 data/numbers.txt s_; ls s_*

### csplit
csplit -s -z README.md '/^## /' '{*}'; ls xx* | wc -l; head -1 xx01

### seq kinds
seq 2 2 8 | paste -sd' '; seq -s, 5; seq -w 8 10; seq 3 -1 1 | tr '\n' ' '; seq 0.5 0.5 1.5

### expand and unexpand
printf 'a\tb\n' | expand -t4; printf '        x\n' | unexpand | cat -A

### od formats
printf 'AB\n' | od -c; printf 'AB' | od -An -tx1; printf 'AB' | od -An -td1; printf '\001\002' | od -tx2

### xxd plain
printf 'hello' | xxd; printf 'hello' | xxd -p; echo 68656c6c6f | xxd -r -p; echo

### hexdump canonical
printf 'hello world 12345' | hexdump -C

### base64 both ways
echo 'hello world' | base64; echo aGVsbG8= | base64 -d; printf '%080d' 0 | base64 -w 40

### checksums
md5sum data/a.txt; sha256sum < data/a.txt; sha1sum data/a.txt data/b.txt; printf abc | sha512sum | cut -c1-16

### checksum check
md5sum data/a.txt data/b.txt > sums; md5sum -c sums; echo x >> data/a.txt; md5sum -c sums 2>/dev/null; echo $?

### sha256 quiet check
sha256sum data/a.txt > s; sha256sum --quiet -c s && echo fine; sha256sum --status -c s; echo $?

### cksum
cksum data/a.txt; printf abc | cksum

### date formats
date -u -d '2026-03-04 05:06:07' '+%Y/%m/%d %I:%M:%S %p %j %a %b %e %u %w %U %y %s'

### date iso
date -u -d 2026-03-04 -I; date -u -d '2026-03-04 05:06:07' -Iseconds; date -u -d @0 --rfc-3339=seconds; date -u -d @86400 -R

### date default format
date -u -d '2026-03-04 05:06:07'

### date arithmetic on day
date -u -d '2026-03-04 +3 days' +%F; date -u -d '2026-03-01 -1 day' +%F; date -u -d '2026-01-31 1 month' +%F; date -ud '2026-03-04 2 weeks ago' +%F

### date arithmetic words
date -u -d '2026-03-04 next week' +%F 2>&1; date -u -d 'tomorrow' +%F | grep -cE '^[0-9-]{10}$'; date -u -d '1 hour ago' +%H | grep -c .

### date of file
date -u -r data/a.txt +%F_%T

### date difference
echo $(( ($(date -u -d 2026-03-10 +%s) - $(date -u -d 2026-03-01 +%s)) / 86400 ))

### date invalid
date -d 'not a date' 2>&1; echo $?

### date nanoseconds length
date +%N | tr -d '\n' | wc -c; date +%3N | tr -d '\n' | wc -c

### printf kinds
printf '%5.2f|%-5s|%05d|%+d|%x|%X|%o|%e\n' 3.14159 ab 42 7 255 255 8 12345.678

### printf reuse
printf '%s=%s\n' a 1 b 2 c; printf '%s\n' one two

### printf escapes
printf 'a\tb\x41\101\u00e9\n'; printf '%b' 'x\ny\n'; printf '%q\n' "a b'c" ''

### printf errors
printf '%d\n' abc 2>&1; echo $?; printf '%d %d\n' 0x1f 017; printf "%d\n" "'A"

### printf to variable
printf -v x '%03d' 7; echo "$x"; printf -v 'a[1]' '%s' z; echo "${a[1]}"

### printf time
printf '%(%Y-%m-%d)T\n' 0; printf '%s\n' "${EPOCHSECONDS:0:2}" | grep -c .

### expr kinds
expr 3 + 4 \* 2; expr 7 % 3; expr length hello; expr substr hello 2 3; expr index hello l; expr 5 \> 3

### expr match
expr 'abc123' : '[a-z]*'; expr 'abc123' : '.*\([0-9][0-9]\)'; expr match hello 'h.l'; expr a = b; echo $?

### expr errors
expr 1 / 0 2>&1; echo $?; expr a + 1 2>&1; echo $?; expr 0; echo $?

### bc scale
echo '10/3' | bc; echo 'scale=4; 10/3' | bc; echo '2^10; 7%3; (1+2)*3' | bc; echo 'scale=2; 5/8*100' | bc

### bc functions
echo 'sqrt(16); scale=3; sqrt(2)' | bc; echo 'e(1); s(0)' | bc -l; echo '3 > 2; 1 == 2' | bc

### bc variables and bases
echo 'x=5; y=x*2; y+1' | bc; echo 'obase=16; 255' | bc; echo 'ibase=2; 1010' | bc; echo 'for(i=0;i<3;i++) i' | bc

### bc negative scale
echo '-7/2; -7%3; .5+.25; 1.10*2' | bc; echo 'scale=2; -1/3; 2/3' | bc

### numfmt
numfmt --to=iec 1048576 1500; numfmt --to=si 1500000; echo 1K | numfmt --from=iec

### shuf sorted
shuf -i 1-5 | sort | paste -sd' '; printf 'a\nb\n' | shuf -n1 | wc -l

### factor and tsort
factor 12 97; printf 'a b\nb c\n' | tsort

### yes and head
yes | head -2; yes a b | head -1

### xargs forms
printf 'a b\nc\n' | xargs echo; printf 'a\nb\n' | xargs -n1 echo x; echo 'a b c' | xargs -n2; printf 'a\nb\n' | xargs -I{} echo '<{}>'

### xargs with null and parallel
printf 'a b\0c\0' | xargs -0 -n1 -P2 echo | sort; printf '' | xargs -r echo none; printf '' | xargs echo empty

### xargs status
printf '1\n2\n' | xargs -n1 sh -c 'exit $0'; echo $?; echo x | xargs nonsense_cmd 2>/dev/null; echo $?; echo x | xargs false; echo $?

### xargs delimiter and lines
printf 'a,b,c' | xargs -d, -n1; printf 'a b\nc d\n' | xargs -L1 echo line; echo a | xargs -t echo 2>&1

### xargs with quotes
echo "'a b' c" | xargs -n1; echo 'a\ b c' | xargs -n1; printf '%s\n' "it's" | xargs -d '\n' echo

### xargs bash c
printf 'x\ny\n' | xargs -I% bash -c 'echo %; echo "${0}"' z; seq 3 | xargs -n1 -I N echo "n=N"

### diff normal
diff data/a.txt data/b.txt; echo $?

### diff unified without times
diff -u data/a.txt data/b.txt | tail -n +3; diff -U0 data/a.txt data/b.txt | tail -n +3

### diff labels
diff -u --label old --label new data/a.txt data/b.txt

### diff context
diff -c data/a.txt data/b.txt | tail -n +3

### diff side by side
diff -y -W 40 data/a.txt data/b.txt; diff -y --suppress-common-lines -W 30 data/a.txt data/b.txt

### diff brief and same
diff -q data/a.txt data/b.txt; diff -s data/a.txt data/a.txt; diff --brief data/a.txt data/b.txt

### diff recursive
cp -r docs d2; echo x >> d2/api.md; rm d2/guide.md; touch d2/new; diff -r docs d2; echo $?

### diff recursive brief
cp -r docs d2; echo x >> d2/api.md; touch d2/new; diff -rq docs d2; diff -rqN docs d2

### diff ignoring
printf 'a  b\n\nC\n' > l; printf 'a b\nc\n' > r; diff -wBi l r; echo $?; diff -b l r; diff -i l r | head -3

### diff missing
diff data/a.txt nothing 2>&1; echo $?; diff docs src/app.js 2>&1; echo $?

### diff standard input
sort data/fruits.txt | diff - data/fruits.txt | head -3; diff <(sort data/a.txt) <(sort data/b.txt)

### diff exclude
cp -r docs d2; rm d2/internal/todo.txt; diff -r -x '*.txt' docs d2; echo $?

### diff no newline
printf 'a' > l; printf 'a\n' > r; diff l r; diff -u l r | tail -n +3

### diff stats by grep
diff data/a.txt data/b.txt | grep -c '^[<>]'

### cmp kinds
cmp data/a.txt data/b.txt; echo $?; cmp -s data/a.txt data/a.txt; echo $?; cmp -l data/a.txt data/b.txt 2>/dev/null | head -2

### tar roundtrip
tar czf d.tgz docs && tar tzf d.tgz | sort && mkdir o && tar xzf d.tgz -C o && diff -r docs o/docs && echo same

### tar list and one file
tar cf x.tar -C data a.txt b.txt; tar tf x.tar; tar xOf x.tar a.txt | head -1; tar -xf x.tar b.txt && cat b.txt | head -1

### tar exclude and verbose
tar -cvf x.tar --exclude='*.txt' docs | sort; tar -tf x.tar | grep -c txt

### tar strip
tar cf x.tar docs/internal; mkdir o; tar xf x.tar -C o --strip-components=1; ls o

### gzip keep and stdout
gzip -k data/a.txt; ls data/a.txt*; gunzip -c data/a.txt.gz | head -1; zcat data/a.txt.gz | wc -l; gzip -t data/a.txt.gz; echo $?

### gzip replaces
gzip data/a.txt; ls data/a.txt* ; gzip -d data/a.txt.gz; ls data/a.txt*; echo hi | gzip | gunzip

### bzip and xz absent or there
echo hi | gzip -9c | zcat -f

### cat flags
cat -A data/table.tsv | head -1; cat -s README.md | wc -l; cat -b README.md | head -3; cat -E data/a.txt | head -1; cat -T data/table.tsv | head -1

### cat several with missing
cat data/a.txt nothing data/b.txt 2>&1 | head -6; cat docs 2>&1; echo $?

### strings
strings assets/logo.bin | tail -1; printf 'ab\0cdefg\0' | strings

### look for columns
printf 'a b\nccc d\n' | column -t; printf '1\n2\n3\n' | column -c 20 | head -1

### pr double
printf 'a\nb\n' | pr -t -2 -l2 | sed 's/ *$//'

### iconv
printf 'caf\303\251\n' | iconv -f utf-8 -t latin1 | od -An -tx1

### envsubst absent
echo "x" | tr x y | tee >(cat >/dev/null) | cat

### top words
cat docs/*.md | tr '[:upper:]' '[:lower:]' | grep -oE '[a-z]{4,}' | sort | uniq -c | sort -k1,1nr -k2,2 | head -4

### lines in common by sort
sort data/a.txt data/b.txt | uniq -d | wc -l

### csv column sum
tail -n +2 data/users.csv | cut -d, -f3 | paste -sd+ | bc

### longest line
awk '{print length, $0}' README.md | sort -rn | head -1 | cut -d' ' -f2-

### random of fixed
echo {a..e} | tr ' ' '\n' | sed -n '2p;4p' | paste -sd:
