# tree: project

### source files without tests
find . -type f \( -name '*.py' -o -name '*.js' -o -name '*.rs' \) -not -path '*/tests/*' | sort

### prune two directories
find . \( -path ./docs -o -path ./logs \) -prune -o -type f -print | sort | head -12

### prune by name and print directories
find . -name internal -prune -o -type d -print | sort

### hidden files only
find . -maxdepth 2 -name '.*' ! -name . | sort

### no hidden at all
find . -type f -not -path '*/.*' | wc -l

### files larger than
find . -type f -size +1k -printf '%p %s\n' | sort

### files smaller than bytes
find data -type f -size -30c -printf '%f\n' | sort

### size in blocks
find data -type f -size 1 -printf '%f\n' | sort

### size range
find . -type f -size +100c -size -400c -printf '%s %p\n' | sort -n

### executable files
find . -type f -perm /111

### exact permissions
find scripts -type f -perm 755 -o -type f -perm 644 -print | sort

### permissions all of
find . -type f -perm -u+x -printf '%f %m %M\n'

### newer than a file
find . -type f -newer data/a.txt -name '*.log' | sort

### not newer
find src -type f ! -newer src/app.js | sort

### newermt
find . -type f -newermt '2026-01-02 03:15' | sort | head -5

### newer between two days
find . -newermt 2026-01-01 ! -newermt 2026-01-02 | wc -l

### regex default
find . -regex '.*/[a-z]+\.py' | sort

### regex extended
find . -regextype posix-extended -regex '.*\.(md|txt)$' | sort

### regex not case
find . -iregex '.*readme.*'

### empty ones
find . -empty | sort

### empty directories only
find . -type d -empty

### links and targets
find . -type l -printf '%p -> %l\n' | sort

### broken links
find . -xtype l

### links followed
find -L docs-link -type f | sort

### depth and type letters
find docs -printf '%d %y %P\n' | sort

### printf time
find data -name 'a.txt' -printf '%TY-%Tm-%Td %TH:%TM %f\n'

### printf epoch
find data -name '*.json' -printf '%T@ %f\n' | sort | cut -d. -f1

### latest file
find . -type f -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-

### three latest names
find . -type f -printf '%T+ %p\n' | sort -r | head -3 | awk '{print $2}'

### directory of each
find src -type f -printf '%h\n' | sort | uniq -c

### percent and tabs
find docs -maxdepth 1 -type f -printf '%f\t%s bytes%%\n' | sort

### padded printf
find docs -maxdepth 1 -type f -printf '[%-12f|%6s]\n' | sort

### exec grep names
find . -name '*.md' -exec grep -l 'LATER' {} \; | sort

### exec with shell and quotes
find data -name '*.txt' -exec sh -c 'printf "%s %s\n" "$(wc -l < "$1")" "$1"' _ {} \; | sort -n

### exec plus with wc
find data -name 'a.txt' -o -name 'b.txt' | sort | xargs wc -l

### exec test status
find data -type f -exec grep -q Alice {} \; -print | sort

### exec not
find data -name '*.txt' ! -exec grep -q one {} \; -print | sort

### execdir
find docs -name notes.md -execdir head -1 {} \;

### exec basename
find src -name '*.py' -exec basename {} .py \; | sort

### exec two pluses
find docs -name '*.md' -exec wc -l {} + -exec true {} + | tail -1

### ok to delete
find logs -name '*.log' -size -60c -delete -print | sort; find logs -type f | sort

### delete empty directories
mkdir -p e/1 e/2/3; find e -type d -empty -delete; ls -d e/* 2>/dev/null | wc -l

### missing start
find nothing docs -maxdepth 1 -type f 2>&1 | sort

### unknown predicate
find . -nam x 2>&1; echo $?

### missing argument of name
find . -name 2>&1; echo $?

### bad type
find . -type q 2>&1; echo $?

### paths before expression
find . -name '*.md' docs 2>&1 | head -1

### mindepth and maxdepth
find . -mindepth 2 -maxdepth 2 -type d | sort

### quit at first
find docs -name '*.md' -print -quit | wc -l

### user root or not
find docs -maxdepth 1 -type f -readable | wc -l

### path pattern
find . -path '*/internal/*' | sort

### wholename and not
find . -wholename './data/u*' ! -name '*.csv' | sort

### samefile link
ln data/a.txt data/hard.txt; find data -samefile data/a.txt | sort; find data -type f -links 2 | sort

### mmin and mtime
touch new.txt; find . -maxdepth 1 -type f -mmin -5; find . -maxdepth 1 -name 'R*' -mtime +0

### daystart
touch fresh; find . -daystart -maxdepth 1 -type f -mtime 0

### lname
find . -lname '*guide*'

### print0 count
find docs -type f -print0 | tr '\0' '\n' | wc -l

### print0 xargs md5
find data -name '?.txt' -print0 | sort -z | xargs -0 md5sum

### two starts
find docs src -name '*.md' -o -name '*.rs' | sort

### iname with brackets
find . -iname '[rm]*' -type f | sort

### fprintf to file
find docs -type f -fprintf list.txt '%f\n'; sort list.txt

### ls output of find
find docs -name api.md -ls | awk '{print $3, $NF}'

### true and false
find docs -maxdepth 1 -false -o -name api.md

### parentheses and comma
find data \( -name 'a*' -o -name 'b*' \) -a -type f | sort

### count by extension
find . -type f -name '*.*' | sed 's/.*\.//' | sort | uniq -c | sort -k1,1nr -k2 | head -5

### total size by awk
find data -type f -printf '%s\n' | awk '{s+=$1} END {print s}'

### while read null
find 'with space' -type f -print0 | while IFS= read -r -d '' f; do echo "<$f>"; done

### array from find
mapfile -t files < <(find docs -name '*.md' | sort); echo "${#files[@]} ${files[0]}"

### array from find with null
mapfile -d '' -t files < <(find docs -name '*.md' -print0 | sort -z); printf '%s;' "${files[@]}"; echo

### ls recursive
ls -R docs

### ls recursive with slashes
ls -RF src

### ls several directories
ls docs src

### ls file and directory
ls README.md docs Makefile

### ls all but dots
ls -A | head -5

### ls long without owner
ls -lgG data | awk 'NR>1{print $1,$3,$NF}' | head -3

### ls long human one
ls -lh long.txt | awk '{print $1, $5, $NF}'

### ls sorted by time and reversed
ls -1tr docs

### ls by size names
ls -1S data | head -4

### ls by extension
ls -1X data

### ls version sort
touch v1.10 v1.9 v1.2; ls -1v v1.*

### ls sort option
ls -1 --sort=size data | tail -2; ls --sort=time -1 docs | head -1

### ls group directories
ls -1 --group-directories-first | head -9

### ls hide and ignore
ls -1 -I '*.txt' data; ls --hide='*.json' -1 data | wc -l

### ls link itself
ls -ld docs-link | awk '{print $1, $(NF-2), $(NF-1), $NF}'

### ls link followed
ls -L1 docs-link

### ls indicator
ls -1p | grep / ; ls -1F | grep '@'

### ls quoting
ls -Q 'with space'; ls -1b 'with space'

### ls comma
ls -m data

### ls inode count
ls -i data | awk '{print NF}' | sort -u

### ls blocks total
ls -s data | head -1

### ls missing with others
ls docs/api.md nope.txt 2>&1; echo $?

### ls glob without match
ls *.xyz 2>&1; echo $?

### ls full time
ls -l --time-style=long-iso data/a.txt | awk '{print $6, $7, $8}'

### ls iso format plus
ls -l --time-style=+%Y data/a.txt | awk '{print $6, $7}'

### ls full-iso
ls --full-time data/a.txt | awk '{print $6,$7,$8,$9}'

### ls directory without slash
ls -d */ | tr '\n' ' '

### ls numeric ids
ls -ln data/a.txt | awk '{print NF, $2}'

### ls unknown option
ls --nonsense 2>&1 | head -1; ls -% 2>&1 | head -1

### tree two levels
tree -L 2 docs src

### tree directories
tree -d

### tree pattern
tree -P '*.md' --prune --noreport

### tree ignore
tree -I 'docs|data|logs' -L 1 --noreport

### tree all one level
tree -a -L 1 --noreport

### tree full path
tree -f docs --noreport

### tree with sizes
tree -s docs/internal --noreport | tail -n +2

### tree no indent
tree -i -f docs --noreport

### tree missing
tree nothing; echo $?

### tree json
tree -J docs/internal

### tree dirs first
tree --dirsfirst -L 1 src --noreport

### du summary bytes
du -sb data/a.txt docs/api.md

### du all in kilobytes
du -a docs | grep '\.md' | sort -k2

### du depth
du -d 1 . | cut -f2 | sort

### du human
du -sh docs/api.md; du -h --max-depth=0 data/a.txt

### du total
du -c data/a.txt data/b.txt

### du missing
du nothing 2>&1; echo $?

### du apparent
du --apparent-size -b -s data/fruits.txt

### stat several
stat -c '%n %s %A %a %F' data/a.txt scripts/run.sh

### stat time
stat -c '%y' data/a.txt | cut -c1-19; stat -c %Y data/a.txt

### stat link
stat -c '%N %F' latest; stat -L -c '%F %s' latest

### stat missing
stat nothing 2>&1; echo $?

### stat printf
stat --printf='%n:%s\n' data/a.txt data/b.txt

### stat format long
stat --format='%a %h' README.md

### file kinds
[ -L latest ] && echo link; [ -e broken ] || echo dangling; [ -d docs-link ] && echo dir; [ -s empty.txt ] || echo empty

### readlink
readlink latest; readlink docs-link; readlink README.md; echo $?

### readlink f
readlink -f latest | sed 's|.*/t/||'; readlink -f docs-link/api.md | sed 's|.*/t/||'

### readlink missing parent
readlink -f no/such/file; echo $?; readlink -e nothing; echo $?; readlink -m a/../b/c | sed 's|.*/t/||'

### realpath several
realpath docs/../data/a.txt latest | sed 's|.*/t/||'

### realpath missing
realpath nope/x 2>&1 | sed 's|/.*/t/||'; echo ${PIPESTATUS[0]}

### realpath relative
realpath --relative-to=docs data/a.txt; realpath --relative-to=. src/lib; realpath -s latest | sed 's|.*/||'

### basename kinds
basename /a/b/c.txt; basename /a/b/c.txt .txt; basename a/; basename /; basename -s .md docs/*.md

### dirname kinds
dirname /a/b/c; dirname a; dirname /a; dirname a/b/ /

### pwd and cd
cd docs/internal && pwd | sed 's|.*/t/||'; cd ../.. && basename "$PWD"; cd - > /dev/null; basename "$OLDPWD"

### cd missing
cd nowhere 2>&1; echo $?; cd README.md 2>&1; echo $?

### cd through link
cd docs-link && basename "$(pwd)"; basename "$(pwd -P)"

### pushd and popd
pushd docs > /dev/null; basename "$PWD"; popd > /dev/null; ls -d docs

### file command
file -b README.md | grep -c text; file data/users.json | cut -d: -f1

### wc of globs
wc -l docs/*.md; wc -c < README.md

### head several files
head -n 1 docs/*.md

### tail several quietly
tail -q -n 1 data/a.txt data/b.txt

### head all but last
head -n -2 data/a.txt; head -c -5 data/a.txt

### tail follow name
tail -n 2 -v data/a.txt

### which and type
type -t cd ls if; type -t nothing; echo $?

### command v
command -v cd; command -v nonsense_cmd; echo $?

### not found
false || nonsense_cmd --x; echo $?
