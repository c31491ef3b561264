# tree: project

### plain
cat data/a.txt

### two
cat data/a.txt data/b.txt

### number
cat -n data/a.txt

### number non blank
cat -b README.md

### squeeze
printf 'a\n\n\n\nb\n' | cat -s

### show all
printf 'a\tb\r\n' | cat -A

### show ends
cat -E data/a.txt

### show tabs
cat -T data/table.tsv

### missing
cat nothing; echo $?

### missing then present
cat nothing data/a.txt 2>/dev/null; echo $?

### directory
cat docs; echo $?

### stdin dash
echo hi | cat - data/a.txt

### no newline
cat no_newline.txt; echo; cat no_newline.txt

### empty
cat empty.txt | wc -c

### through link
cat latest | head -1

### through directory link
cat docs-link/api.md | head -1

### broken link
cat broken; echo $?

### binary bytes
cat assets/logo.bin | wc -c

### binary checksum
cat assets/logo.bin | md5sum

### space
cat "with space/my file.txt"

### unicode
cat unicode/*

### head default
head logs/app.log | wc -l

### head n
head -n 3 long.txt

### head short
head -2 long.txt

### head negative
head -n -195 long.txt

### head bytes
head -c 10 long.txt

### head two files
head -n 1 data/a.txt data/b.txt

### head quiet
head -q -n 1 data/a.txt data/b.txt

### head verbose
head -v -n 1 data/a.txt

### tail default
tail long.txt

### tail n
tail -n 3 long.txt

### tail short
tail -2 long.txt

### tail from
tail -n +198 long.txt

### tail bytes
tail -c 5 long.txt

### tail two files
tail -n 1 data/a.txt data/b.txt

### tail missing
tail nothing; echo $?

### middle
head -n 12 long.txt | tail -n 3

### sed range
sed -n '10,12p' long.txt

### tac
tac data/a.txt

### rev
rev data/a.txt

### nl
nl data/a.txt

### nl all
nl -ba README.md | head -5

### wc
wc data/a.txt

### wc lines
wc -l data/a.txt

### wc words
wc -w data/words.txt

### wc bytes
wc -c data/a.txt

### wc chars
wc -m unicode/*

### wc many
wc -l data/*.txt

### wc stdin
wc -l < data/a.txt

### wc longest
wc -L data/words.txt

### wc missing
wc -l nothing data/a.txt; echo $?

### less is cat
less data/a.txt | head -1

### more is cat
more data/a.txt | head -1

### fold
fold -w 10 data/words.txt

### fold words
fold -s -w 10 data/words.txt

### paste
paste data/a.txt data/b.txt

### paste delimiter
paste -d, data/a.txt data/b.txt

### paste serial
paste -sd+ data/numbers.txt

### column
column -t -s, data/users.csv

### expand
expand -t 4 data/table.tsv

### od
head -c 16 assets/logo.bin | od -An -tx1

### xxd
echo hello | xxd

### xxd plain
echo hello | xxd -p

### hexdump
echo hello | hexdump -C

### strings
strings assets/logo.bin | tail -1

### split
split -l 50 long.txt part_ && ls part_* && wc -l < part_aa

### tee
echo x | tee t1 t2; cat t1 t2

### tee append
echo x > t1; echo y | tee -a t1; cat t1

### truncate
truncate -s 3 data/a.txt; cat data/a.txt

### file kind
file data/a.txt | cut -d: -f1

### wc directory
wc -l docs data/a.txt 2>/dev/null; echo $?

### wc dash and file
cat data/a.txt | wc -l - data/b.txt

### wc unicode longest
wc -L unicode/*

### wc no newline
wc no_newline.txt; wc -l < no_newline.txt

### wc empty
wc empty.txt
