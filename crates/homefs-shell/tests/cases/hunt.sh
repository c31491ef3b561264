# tree: project

### files with many dirs excluded
grep -rln 8080 . --exclude-dir={.config,data} | sort

### several includes
grep -rn 'import' --include='*.py' --include='*.js' . | sort

### include in braces
grep -rlE 'def|fn' --include=*.{py,rs} src | sort

### word in all
grep -rnw 'add' src | sort

### word boundary
grep -rnoE '\badd\b' src | sort

### only matching with file
grep -roh 'worker-[0-9]' logs | sort | uniq -c

### count per file sorted
grep -rc LATER . | grep -v ':0$' | sort -t: -k2,2nr -k1,1

### files without
grep -rL LATER docs src | sort

### inverted count
grep -vc '^$' README.md

### inverted and numbered
grep -vn '^\s*$' docs/guide.md

### context after in two files
grep -n -A1 'oauth' docs/guide.md docs/internal/notes.md

### context before only
grep -n -B2 'return' src/main.py

### context merged
grep -C1 -n 'LATER' README.md docs/api.md

### context groups separator
grep -A1 --group-separator='#####' 'two\|line 10' data/a.txt long.txt | head -6

### no group separator
grep --no-group-separator -A1 'line 1[05]$' long.txt

### perl digits
grep -oP '\d+(?=ms)' logs/app.log | sort -n | tail -3

### perl keep out
grep -oP 'id=\K\d+' logs/app.log | head -3

### perl lazy
echo '<a><b>' | grep -oP '<.+?>'

### perl alternation and case
grep -rnP '(?i)oauth' docs | wc -l

### perl named
echo 'k=v; x=y' | grep -oP '\w+(?==)' | tr '\n' ' '

### perl negative
grep -nP '^(?!.*INFO).*status=500' logs/app.log | head -3

### fixed with dots
printf 'a.b\naxb\n' | grep -F 'a.b'; printf 'a.b\naxb\n' | grep -c 'a.b'

### fixed several
grep -F -e Alice -e 'Eve' data/users.csv

### patterns from file
printf 'apple\ndate\n' > p.txt; grep -f p.txt data/fruits.txt | sort | uniq -c

### patterns from process
grep -vxFf <(printf 'one\nthree\n') data/a.txt

### patterns by newline
grep $'one\nfour' data/a.txt

### whole lines
grep -x 'one' data/a.txt data/b.txt

### first matches
grep -m 2 -n ERROR logs/app.log

### first match of each
grep -rm1 'LATER' docs | sort

### names only null
grep -rlZ LATER docs | tr '\0' '\n' | sort

### null lines
printf 'a\0b\0ab\0' | grep -z b | tr '\0' ' '; echo

### quiet or
grep -q nothing README.md || echo absent

### quiet with missing
grep -q Demo README.md nothing 2>/dev/null; echo $?

### missing file message
grep x nothing 2>&1; echo $?

### missing file with other
grep -c one data/a.txt nothing 2>&1; echo $?

### silent
grep -s x nothing; echo $?

### directory message
grep x docs 2>&1; echo $?

### recursive on file
grep -rn two data/a.txt

### names always
grep -H one data/a.txt; grep -h one data/a.txt data/b.txt

### byte offsets
grep -b -o three data/a.txt

### color never
grep --color=never -n main src/main.py

### color always
grep --color=always -o two data/a.txt | od -c | head -2

### color auto
grep --color=auto one data/a.txt

### binary file
grep LATER assets/logo.bin; grep -c LATER assets/logo.bin; grep -a -c LATER assets/logo.bin

### binary without
grep -rI LATER assets; echo $?

### several e and v
grep -v -e '^#' -e '^$' README.md | head -4

### i and w
grep -iw 'oauth' -r docs | sort

### back reference
printf 'abab\nabcd\n' | grep -E '(ab)\1'; printf 'xyzzy\n' | grep '\(z\)\1'

### intervals basic
grep 'l\{2\}' data/words.txt README.md

### alternation basic
grep 'fox\|dog' data/words.txt

### plus basic
printf 'ab\naab\nb\n' | grep 'a\+b'

### classes
printf 'A1\nb2\n_3\n' | grep -E '^[[:upper:]][[:digit:]]$'

### dot star anchors
grep -E '^.{4}$' data/a.txt

### empty pattern
grep -c '' data/a.txt empty.txt

### leading dash pattern
printf -- '-x\ny\n' | grep -e -x; printf -- '--help\n' | grep -- --help

### bad regex
grep -E '(' data/a.txt 2>&1; echo $?

### bad bracket
grep '[' data/a.txt 2>&1; echo $?

### bad option
grep --nope x 2>&1 | head -1

### no pattern
grep 2>&1 | head -1

### env style lookup
grep -E '^(PORT|DEBUG)=' .env | sort

### key value cut
grep -oE '[a-z]+ = .*' .config/settings.toml

### urls and paths
grep -rhoE '/[a-z]+(/\{[a-z]+\})?' docs/api.md | sort -u

### ip like
printf 'x 10.0.0.1 y\n192.168.1.300\n' | grep -oE '([0-9]{1,3}\.){3}[0-9]{1,3}'

### emails
printf 'a@b.co, c.d@e.org\n' | grep -oE '[[:alnum:].]+@[[:alnum:].]+'

### levels histogram
grep -oE 'INFO|WARN|ERROR|DEBUG' logs/app.log | sort | uniq -c | sort -rn

### slow requests
grep -E 'took (4[5-9][0-9])ms' logs/app.log | awk '{print $3, $6}' | head -4

### hours with errors
grep ERROR logs/app.log | cut -c12-13 | sort | uniq -c | sort -k1,1nr -k2 | head -3

### chain of greps
grep -rn . --include='*.md' docs | grep -i oauth | grep -v internal | cut -d: -f1,2

### grep in loop
for w in oauth LATER zebra; do printf '%s %s\n' "$w" "$(grep -ril "$w" docs | wc -l)"; done

### if grep
if grep -rq 'secret' docs; then echo "found in $(grep -rl secret docs)"; fi

### grep and xargs
grep -rl 'LATER' src | sort | xargs -I{} basename {}

### grep and xargs sed
grep -rlZ LATER docs | xargs -0 sed -i 's/LATER/NOW/'; grep -rhc NOW docs | sort | uniq -c

### grep stdin dash
cat data/a.txt | grep -n two -; echo two | grep -H two - data/a.txt

### label
echo x | grep --label=input -H x

### unicode
grep -rn 'café' . | sort; grep -c 日本 unicode/*

### unicode any
grep -oE '日.' unicode/*.txt

### end of word
grep -oE '[a-z]+s\b' data/words.txt

### word start angle
grep -o '\<t[a-z]*' data/words.txt

### not word class
echo 'a-b_c' | grep -oE '\W'; echo 'a b' | grep -oE '\s' | wc -l

### line end spaces
printf 'x \ny\n' | grep -nE ' +$'

### windows ends
printf 'a\r\nb\r\n' | grep -c $'\r'

### max count and context
grep -m1 -A2 'INFO' logs/app.log | wc -l

### count recursive total
grep -ro 'users' docs data | wc -l

### exclude pattern with path
grep -rl 'a' --exclude='*.txt' --exclude='*.json*' data | sort

### exclude from file
printf '*.md\n' > ex; grep -rl LATER --exclude-from=ex . | sort

### dereference recursive
grep -Rl 'OAuth' docs-link | sort; grep -rl 'OAuth' docs-link | wc -l

### directories skip
grep -d skip -c one docs data/a.txt

### line buffered
grep --line-buffered one data/a.txt | cat

### only matching empty
echo abc | grep -o 'x*'; echo $?

### o with several matches
echo 'one two one' | grep -on one

### egrep and fgrep
egrep 'one|two' data/a.txt 2>/dev/null; fgrep '.' data/a.txt 2>/dev/null; echo $?

### zgrep
gzip -k logs/error.log; zgrep -n retry logs/error.log.gz

### heading like
for f in $(grep -rl LATER docs | sort); do echo "== $f"; grep -n LATER "$f"; done

### lines between by grep
grep -n -A100 '## Setup' docs/guide.md | grep -E '^[0-9]+-[0-9]\.' | sed 's/^[0-9]*-//'

### functions list
grep -nE '^\s*(def|class|fn|pub fn|function)\s+\w+' -r src | sed -E 's/:\s+/:/' | sort

### import names
grep -hoP '^import \K\w+' src/*.py | sort | paste -sd,

### duplicates over files
grep -hx '[a-z]*' data/a.txt data/b.txt | sort | uniq -d

### complement of files
comm -23 <(grep -rl . docs | sort) <(grep -rl LATER docs | sort)

### count words
grep -o '\w\+' data/words.txt | sort | uniq -c | sort -k1,1nr -k2 | head -2

### longest match
printf 'foobar\n' | grep -oE 'foo|foobar'

### case folded fixed
grep -Fic 'ERROR' logs/error.log

### options after operands
grep one data/a.txt -n -i

### combined flags
grep -rniE 'todo|later' src --include=*.py

### numbers only
grep -E '^[0-9]+$' data/numbers.txt | wc -l

### star literal
printf '*x\n' | grep '*x'; printf 'a+b\n' | grep 'a+b'

### escaped braces
printf '{x}\n' | grep -E '\{x\}'; printf 'a{1\n' | grep 'a{1'
