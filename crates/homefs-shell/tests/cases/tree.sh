# tree: project

### plain
tree

### directory
tree docs

### all
tree -a .config

### depth
tree -L 1

### depth two
tree -L 2 src

### directories only
tree -d

### full path
tree -f docs

### no report
tree --noreport docs

### pattern
tree -P '*.md' docs

### ignore
tree -I '*.md' docs

### ignore two
tree -I 'docs|data|logs' -L 1

### directories first
tree --dirsfirst -L 1

### sizes
tree -s docs | grep api | awk '{print $NF}'

### ascii
tree --charset=ascii docs

### no indentation
tree -i docs

### missing
tree nothing

### file classify
tree -F scripts

### json
tree -J docs

### prune
tree --prune -P '*.py' src

### two
tree docs scripts
