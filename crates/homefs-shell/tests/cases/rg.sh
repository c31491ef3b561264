# tree: project

### plain
rg LATER | sort

### numbers
rg -n LATER docs | sort

### one file
rg oauth docs/guide.md

### names
rg -l LATER | sort

### count
rg -c LATER docs | sort

### ignore case
rg -i oauth docs | sort

### smart case
rg -S oauth docs | sort

### word
rg -w the data/words.txt

### glob
rg LATER -g '*.py'

### glob not
rg LATER -g '!*.md' docs

### type
rg -t py LATER

### fixed
rg -F '[api]' docs

### only
rg -o 'id=\d+' logs/app.log -m 2

### files
rg --files docs | sort

### context
rg -C 1 Setup docs/guide.md

### after
rg -A 1 Setup docs/guide.md

### invert
rg -v e data/a.txt

### no name
rg -I LATER docs | sort

### with name
rg -H LATER README.md

### hidden
rg --hidden PORT | sort

### none
rg nothinghere; echo $?

### pipe
cat data/a.txt | rg two

### replace
rg one -r 1 data/a.txt

### max count
rg -m 1 'id' logs/app.log

### json status
rg -q LATER README.md; echo $?

### no heading
rg --no-heading -n secret

### digits
rg '\d{4}' docs

### several
rg -e one -e two data/a.txt

### line number off
rg -N LATER README.md

### sort
rg --sort path -l LATER
