# tree: project

### plain
ls

### one per line
ls -1

### all
ls -a

### almost all
ls -A

### directory argument
ls docs

### two directories
ls docs src

### file and directory
ls README.md docs

### recursive
ls -R docs

### recursive all
ls -aR .config docs

### glob
ls *.md

### glob deep
ls docs/*.md src/*.py

### missing
ls nothing; echo $?

### missing and present
ls README.md nothing; echo $?

### directory itself
ls -d docs

### directories glob
ls -d */

### classify
ls -F

### slash
ls -p

### reverse
ls -r

### by time
ls -t docs

### by time reversed
ls -tr docs

### by size
ls -S data

### by size reversed
ls -Sr data

### by extension
ls -X data

### long modes and sizes
ls -l data | awk '{print $1, $5, $NF}'

### long total
ls -l data | tail -n +2 | wc -l

### long fields
ls -l src/main.py | awk '{print NF, $1, $2, $5}'

### long date
ls -l --time-style=full-iso data/a.txt | awk '{print $6, $7}'

### long iso
ls -l --time-style=+%Y-%m-%d data/a.txt | awk '{print $6}'

### long human
ls -lh logs/app.log | awk '{print $5}'

### long all names
ls -la | awk 'NR>1{print $NF}'

### long all kinds
ls -la | awk 'NR>1{print substr($1,1,1)}' | sort | uniq -c

### long symlink
ls -l latest | sed 's/.*latest/latest/'

### long numeric
ls -ln data/a.txt | awk '{print $1,$5}'

### group less
ls -lg data/a.txt | awk '{print $1, $4}'

### inode count
ls -i data | wc -l

### hidden glob
ls -d .*

### link to directory
ls docs-link

### link to directory long
ls -ld docs-link | awk '{print $(NF-2), $(NF-1), $NF}'

### broken link
ls broken

### in a pipe
ls | head -3

### count files
ls -1 | wc -l

### sort and filter
ls -1 | grep -i read

### empty directory
ls build

### space in name
ls "with space"

### space in name quoted long
ls -l "with space" | tail -1 | awk '{print $NF}'

### unicode name
ls unicode

### comma
ls -m data

### columns to a pipe
ls -C data

### across
ls -x data

### width
ls -C -w 40 data

### dereference
ls -lL latest | awk '{print $1, $5}'

### no sort
ls -U data | sort

### hide backup
touch x~; ls -B

### ignore
ls --ignore='*.txt' data

### hide
ls --hide='*.txt' data

### group directories
ls --group-directories-first

### quote
ls -Q data

### quote name with space
ls -Q "with space"

### zero
ls --zero data | tr '\0' '\n'

### full recursive long count
ls -lR src | grep -c '^-'

### only directories long
ls -l | grep '^d' | awk '{print $NF}'

### newest file
ls -t data | head -1

### oldest file
ls -tr data | head -1

### largest file
ls -S data | head -1

### total line
ls -l build

### unknown flag
ls --nope 2>/dev/null; echo $?

### parent
cd docs && ls ..

### dot dot slash
cd docs/internal && ls ../

### root of tree absolute
ls $PWD/docs

### author and version sort
touch v1.10 v1.9 v1.2; ls -v v1*

### color never
ls --color=never data

### color auto
ls --color=auto data

### indicator
ls --indicator-style=slash
