# tree: project

### plain
grep LATER README.md

### recursive
grep -r LATER . | sort

### recursive numbers
grep -rn LATER . | sort

### recursive names
grep -rl LATER . | sort

### recursive without
grep -rL LATER docs | sort

### recursive count
grep -rc LATER docs | sort

### recursive default directory
grep -r oauth | sort

### recursive named directory
grep -rn oauth docs | sort

### ignore case
grep -i oauth docs/guide.md

### ignore case recursive
grep -rni oauth docs | sort

### two files
grep oauth docs/guide.md docs/api.md

### two files no name
grep -h LATER docs/api.md src/main.py

### one file with name
grep -H LATER README.md

### invert
grep -v e data/a.txt

### invert count
grep -vc e data/a.txt

### count
grep -c ERROR logs/app.log

### only matching
grep -o 'id=[0-9]*' logs/app.log | head -3

### only matching numbers
grep -on 'the' data/words.txt

### word
grep -w the data/words.txt

### word not part
grep -w err logs/error.log; echo $?

### line
grep -x one data/a.txt data/b.txt

### fixed
grep -F '[api]' docs/guide.md

### fixed dots
grep -F 'a.b' data/a.txt; echo $?

### extended
grep -E 'GET|POST' docs/api.md

### extended groups
grep -E '^(import|def) ' src/*.py

### extended repeat
grep -E 'o{2}' docs/internal/notes.md

### basic alternation
grep 'GET\|POST' docs/api.md

### basic plus
grep 'o\+' data/a.txt

### basic literal plus
grep 'a + b' src/util.py

### basic braces
grep 'o\{2\}' docs/internal/notes.md

### basic groups
grep '\(one\|two\)' data/a.txt

### basic literal braces
grep '{id}' docs/api.md

### basic star first
grep '*' README.md; echo $?

### anchors
grep '^#' README.md

### anchor end
grep 'e$' data/a.txt

### empty lines
grep -c '^$' README.md

### class
grep '[0-9]' data/b.txt

### negated class
grep '^[^#]' docs/guide.md

### posix class
grep '[[:upper:]]' data/words.txt; echo $?

### posix digit
grep -E '[[:digit:]]{3}' docs/guide.md

### backslash w
grep -E '\w+@\w+' -r . ; echo $?

### word boundary
grep '\bthe\b' data/words.txt

### word edges
grep '\<the\>' data/words.txt

### backreference
grep -E '(.)\1' data/fruits.txt | sort -u

### backreference basic
grep '\(.\)\1' data/fruits.txt | sort -u

### after
grep -A 2 Setup docs/guide.md

### before
grep -B 1 Setup docs/guide.md

### context
grep -C 1 Setup docs/guide.md

### context groups
grep -n -A 1 '##' docs/api.md

### context two files
grep -A 1 LATER docs/api.md src/app.js

### context no group separator
grep --no-group-separator -A 1 '##' README.md

### max
grep -m 2 ERROR logs/app.log

### max count
grep -m 2 -c ERROR logs/app.log

### quiet found
grep -q LATER README.md; echo $?

### quiet not found
grep -q nothing README.md; echo $?

### missing file
grep x nothing; echo $?

### missing file silent
grep -s x nothing; echo $?

### missing and found
grep LATER README.md nothing 2>/dev/null; echo $?

### quiet found with error
grep -q LATER README.md nothing 2>/dev/null; echo $?

### directory
grep x docs; echo $?

### directory skip
grep -d skip x docs README.md; echo $?

### stdin
cat data/a.txt | grep t

### stdin dash
cat data/a.txt | grep t - data/b.txt

### stdin label
echo hit | grep -H --label=input hit

### seq pipe
seq 20 | grep 1

### pipe chain
cat logs/app.log | grep ERROR | grep -v 500 | wc -l

### several patterns
grep -e one -e three data/a.txt

### pattern file
printf 'one\nfour\n' > pats; grep -f pats data/a.txt

### pattern lines
grep 'one
four' data/a.txt

### pattern starts with dash
grep -e '-v' README.md; grep -- '--help' README.md

### include
grep -rn LATER --include='*.py' . | sort

### include two
grep -rl LATER --include='*.py' --include='*.js' . | sort

### exclude
grep -rl LATER --exclude='*.md' . | sort

### exclude dir
grep -rl LATER --exclude-dir=docs . | sort

### exclude dir glob
grep -rl oauth --exclude-dir='int*' . | sort

### include after path
grep -r LATER src --include=*.js

### binary
grep LATER assets/logo.bin

### binary count
grep -c LATER assets/logo.bin

### binary text
grep -a 'inside' assets/logo.bin | tail -c 24

### binary list
grep -l LATER assets/logo.bin

### binary recursive
grep -r inside assets

### binary skip
grep -rI LATER assets; echo $?

### byte offset
grep -b three data/a.txt

### byte offset only
grep -bo the data/words.txt

### initial tab
grep -T one data/a.txt | cat -A

### null names
grep -rlZ LATER src | tr '\0' '\n' | sort

### null data
printf 'a\0b\0ab\0' | grep -z a | tr '\0' '\n'

### line buffered
grep --line-buffered one data/a.txt

### color never
grep --color=never one data/a.txt

### color always
grep --color=always one data/a.txt

### egrep
egrep 'one|two' data/a.txt 2>/dev/null

### fgrep
fgrep 'one' data/a.txt 2>/dev/null

### unicode
grep café unicode/*

### unicode dot
grep -o 'caf.' unicode/*

### unicode ignore case
grep -i CAFÉ unicode/*

### space in name
grep -r spaces "with space"

### link is not followed
grep -r OAuth . | sort

### link follow
grep -R 'OAuth tokens' . 2>/dev/null | sort

### link argument
grep Guide latest

### empty pattern
grep -c '' data/a.txt

### empty pattern empty file
grep '' empty.txt; echo $?

### no newline
grep last no_newline.txt

### no match
grep zzz data/a.txt; echo $?

### bad regex
grep -E '(' data/a.txt; echo $?

### bad bracket
grep '[' data/a.txt; echo $?

### no pattern
grep; echo $?

### combined flags
grep -rniH later src | sort

### flags after pattern
grep LATER -r docs -n | sort

### long flags
grep --recursive --line-number --ignore-case later docs/internal | sort

### context number short
grep -2 Setup docs/guide.md

### files from xargs
find . -name '*.md' | sort | xargs grep -l oauth

### dotfiles
grep -rn PORT . --include='.*' | sort

### tab
grep -P '\t' data/table.tsv | head -1

### perl digits
grep -oP 'id=\K\d+' logs/app.log | head -2

### perl lookahead
grep -P 'status=(?!200)' logs/app.log | wc -l

### perl lazy
grep -oP '\[.*?\]' logs/app.log | sort | uniq -c

### in if
if grep -q oauth docs/guide.md; then echo yes; else echo no; fi

### while read
grep -n LATER src/main.py | while IFS=: read -r n rest; do echo "$n -> $rest"; done

### count sum
grep -rc LATER . | awk -F: '{s+=$2} END {print s}'

### redirect in
grep two < data/a.txt

### here string
grep b <<< "abc"

### process substitution
grep -f <(echo one) data/a.txt

### only matching several
echo "a1b22c333" | grep -o '[0-9]\+'

### only ignore case
grep -oi 'oauth' docs/guide.md

### dotted dir output
grep -rn secret ./docs

### trailing slash
grep -rn secret docs/

### multiple dirs
grep -rl LATER docs src | sort

### not recursive glob
grep -n LATER docs/*

### max per file
grep -rm1 -n '##' docs | sort

### invert only
grep -vn one data/a.txt

### context overlap
grep -C 2 -n 'o' data/a.txt

### output to file
grep -rn LATER src > out.txt; sort out.txt

### stderr to null
grep -rn nothinghere . 2>/dev/null || echo none
