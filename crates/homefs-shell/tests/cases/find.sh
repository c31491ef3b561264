# tree: project

### everything
find . | sort

### name
find . -name '*.md' | sort

### iname
find . -iname 'readme*'

### type f
find . -type f | sort | head -5

### type d
find . -type d | sort

### type l
find . -type l | sort

### count
find . -type f | wc -l

### maxdepth
find . -maxdepth 1 | sort

### mindepth
find . -mindepth 2 -maxdepth 2 -type f | sort

### path
find . -path '*/internal/*' | sort

### not path
find . -type f -not -path './docs/*' | sort

### bang
find docs ! -name '*.md' | sort

### or
find . \( -name '*.py' -o -name '*.js' \) | sort

### or no parens
find src -name '*.py' -o -name '*.js' | sort

### prune
find . -name docs -prune -o -type f -print | sort

### prune hidden
find . -path './.*' -prune -o -type f -name '*.toml' -print

### size
find . -size +2k -type f | sort

### size bytes
find . -type f -size -20c | sort

### empty
find . -empty | sort

### empty files
find . -type f -empty

### newer
find data -newer data/a.txt | sort

### mtime
find . -type f -mtime +10000; echo done

### mmin
touch new.txt; find . -mmin -5 -type f

### perm
find . -type f -perm 755

### perm any
find . -type f -perm /111

### executable
find . -type f -executable

### exec
find data -name '*.txt' -exec wc -l {} \; | sort

### exec plus
find data -name 'a.txt' -exec cat {} +

### exec echo
find src -name '*.py' -exec echo found {} \; | sort

### exec grep
find . -name '*.md' -exec grep -l LATER {} + | sort

### exec basename
find src -type f -exec basename {} \; | sort

### exec sh
find src -name '*.py' -exec sh -c 'echo "$1: $(wc -l < "$1")"' _ {} \; | sort

### exec filter
find . -name '*.md' -exec grep -q oauth {} \; -print | sort

### execdir
find src/lib -name mod.rs -execdir echo {} \;

### delete
find . -name '*.log' -delete; find . -name '*.log' | wc -l

### print0
find data -name '*.json' -print0 | sort -z | tr '\0' '\n'

### print0 xargs
find . -name '*.txt' -print0 | xargs -0 wc -l | tail -1

### printf name
find data -name '*.csv' -printf '%f\n'

### printf size
find data -type f -printf '%s %p\n' | sort -n | head -3

### printf time
find data -name a.txt -printf '%TY-%Tm-%Td\n'

### printf depth
find docs -printf '%d %P\n' | sort

### printf kind
find docs -printf '%y %f\n' | sort

### ls
find data -name a.txt -ls | awk '{print $3, $7, $NF}'

### quit
find . -name '*.md' -print -quit | wc -l

### regex
find . -regex '.*/[a-z]+\.py' | sort

### regex extended
find . -regextype posix-extended -regex '.*\.(py|js)' | sort

### iregex
find . -iregex '.*README.*'

### wholename
find . -wholename './docs/*.md' | sort

### missing
find nothing; echo $?

### missing silent
find nothing 2>/dev/null; echo $?

### several starts
find docs src -name '*.md' -o -name '*.py' | sort

### start file
find README.md

### dot slash
find ./docs -name api.md

### trailing slash
find docs/ -name api.md

### follow
find -L docs-link -name '*.md' | sort

### no follow
find docs-link

### follow argument
find -H docs-link -name '*.md' | sort

### true false
find docs -maxdepth 0 -false -o -print

### depth
find docs -depth -name '*' | tail -1

### sort by size
find . -type f -name '*.md' -printf '%s\t%p\n' | sort -rn

### unknown
find . -nope 2>/dev/null; echo $?

### links
find . -lname '*guide*'

### type list
find . -type f,l -name 'l*' | sort

### newermt
find data -maxdepth 1 -name a.txt -newermt 2020-01-01

### not newermt
find data -maxdepth 1 -name a.txt -newermt 2030-01-01 | wc -l

### while read
find data -name '*.json' | sort | while read -r f; do echo "== $f"; head -c 5 "$f"; echo; done

### xargs
find src -name '*.py' | sort | xargs wc -l

### xargs placeholder
find src -name '*.py' | sort | xargs -I{} echo "file: {}"

### extension count
find . -type f | sed 's/.*\.//' | sort | uniq -c | sort -rn | head -3

### for loop
for f in $(find data -name '*.txt' | sort); do echo "$f $(wc -l < $f)"; done

### directories with count
for d in $(find . -maxdepth 1 -type d | sort); do echo "$d $(find $d -type f | wc -l)"; done

### newline in name
touch $'a\nb'; find . -name 'a*b' | wc -l

### hidden
find . -name '.*' -type f | sort

### and explicit
find . -type f -and -name '*.md' | wc -l

### exec status
find data -name a.txt -exec false \;; echo $?

### exec plus status
find data -name a.txt -exec false {} +; echo $?
