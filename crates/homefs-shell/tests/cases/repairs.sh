# tree: project

### blanks of other languages
echo 日本　語 > a; ls > b; cat a b; x=$'a\u00a0b'; echo [$x] > c > d; cat d; echo [a　b] >> d; wc -l < d

### output of parts that redirect it themselves
(echo a > x) > y; cat x; wc -c < y; { echo b > x; } > y; cat x; wc -c < y; (echo c; echo d > x) > y > z; cat x y z

### several redirections of a part that writes into a command
{ echo é; } > >(cat) > d; cat d; { echo hi; } > >(cat) > e; cat e; (echo "日本" > f) > >(cat > g); cat f

### output and errors of a part into a command
{ echo a; echo b >&2; } &> >(cat)

### redirections before a command
> a echo b > c; ls a c; cat c; > d > e echo f; cat e; echo one > f; < f read -r x > g; echo "$x"

### redirections of what reads from a descriptor
printf 'one\ntwo\nthree\n' > f; exec 3< f; read -r x > a <&3 > b; echo "$x"; ls a b
while read -r l > c <&3 > d; do echo "<$l>"; done; ls c d

> c read -r x > d <&3; echo "$x"; wc -c c d; echo a > e > g >&2; wc -c e g

### lines that go on
ln -s README.md link
true && \
 [[ -L link ]] && echo link
if [[ -f README.md && \
  -L link ]] && \
  [[ ! -L README.md ]]; then echo both; fi
{ echo a | \
  while read -r l; do echo "got $l"; done > >(cat); }

### commands in backquotes within what is added
f() { echo "<$1>"; }; x=a; x+="`f \"b  c\"`"; echo "$x"; y+=`(echo a; echo b)`; echo $y; z+="`echo a # c`"; echo "$z"
g() { local p="`f \"d  e\"`"; echo "$p"; }; g; w+="`[[ -L README.md ]] || echo file`"; echo "$w"

h() { local x="$@" y=`f "$@"`"`(echo "q  r")`"; echo "$x|$y"; }; h a "b  c"; v=1 u="`f \"$x\" # c`" bash -c 'echo "$u"'

### programs of jq and scripts beside one another
printf 'INDEX(.name) | del(.b)' > by.jq; printf 'del(.a.name) | ["x > y > z"]' > all.jq; echo '[{"name":"a"},{"name":"b"}]' > rows.json
jq -cf by.jq rows.json | jq -cf all.jq | cat; printf 'del(.x)\n' > d.jq; jq -f nothing.jq rows.json 2> /dev/null; mkdir sub; mv d.jq sub/nothing.jq; cat sub/nothing.jq
jq -cnf ./all.jq; jq -c "$(< by.jq)" rows.json; sort by.jq; echo
printf '[[ -L README.md ]] || echo file\n' > s.sh; echo '"echo $1"' | jq -r . | bash -s s.sh; echo 'source ./s.sh; jq -cf by.jq rows.json' | bash -s -- x

### scripts that are read
ln -s README.md link
bash <<'E'
[[ -L README.md ]] && echo link || echo file
[[ -L link ]] && echo link
E
echo '[[ -L README.md ]] || echo file; echo "$# $0"' | bash
printf '[[ -L link ]] && echo link\nfalse\necho "not here"\n' > s.sh; bash -e < s.sh; echo $?
echo 'echo "$#: $@"' | bash -s a -- b; echo 'echo "$#: $@"' | bash -s -- a -- b; echo 'echo "$-"' | bash -es | grep -c e
bash -n < s.sh; echo $?; bash < /dev/null; echo $?; echo 'exit 3' | bash; echo $?

### options before a script
bash -euo pipefail -c '[[ -L README.md ]] || echo file; echo "$0 $1" > a > b; cat b' x y; echo '[[ -L $1 ]] || echo "file $1"' > s.sh
bash -euo pipefail s.sh README.md; bash -O extglob +x -- s.sh docs

### scripts that are run by their path
ln -s README.md link; mkdir bin
printf '#!/bin/bash\n[[ -L $1 ]] && echo "link $1" || echo "file $1"\necho "$0 ${X-}" > a > b; cat b\n' > bin/look.sh; chmod +x bin/look.sh
./bin/look.sh README.md; bin/look.sh link; d=bin; "$d/look.sh" link | cat; (cd bin && ./look.sh nothing); X=1 ./bin/look.sh link > out; cat out
if ! ./nothing.sh 2> /dev/null; then echo none; fi; ./nothing.sh 2> /dev/null; echo $?; chmod -x bin/look.sh; ./bin/look.sh 2> /dev/null; echo $?; ./docs 2> /dev/null; echo $?; cat bin/look.sh

### a script that is not there
mkdir app; printf 'a > b > c\nx\n' > app/conf.sh; source conf.sh 2> /dev/null; sed -i 's/x/y/' app/conf.sh; cat app/conf.sh
. ./conf.sh 2> /dev/null; while read -r l; do echo "$l"; done < app/conf.sh; bash conf.sh 2> /dev/null; echo "$(< app/conf.sh)"

### words of the shell as patterns
for w in read done esac x '{' if; do
  case $w in read) read -r l <&3; echo "read $l" ;; (done | fi) echo end ;; '{') echo brace ;; (esac) echo esac ;; [x]) echo x ;& *) echo other ;; esac
done 3< README.md
x=(a done '{' read case); echo "${#x[@]}"; case x in x) { echo a; } > >(cat);; esac

### lists of patterns into a command
shopt -s extglob
ls *.@(md|txt|toml) > >(sort -r)

### single quotes in patterns within quotes
v='a"b'; echo "${v%'"'*}" "${v#*'"'}" "${w:-'}'}" "${w:-'"'}"; [[ -L README.md ]] || echo file

### descriptors that are made anew
exec 3>&1; echo a >&3; exec 3>&-; exec 3>f; x=$(echo b >&3; echo c); exec 3>&-; echo "$x"; cat f
