# tree: project

### print range by pattern
sed -n '/^## Setup/,/^$/p' docs/guide.md

### delete comments and blanks
sed -e '/^#/d' -e '/^$/d' docs/guide.md

### replace from a line on
sed '3,$s/o/0/g' data/a.txt

### except lines
sed '/two/!s/e/E/g' data/a.txt

### every third
seq 9 | sed -n '0~3p'

### first plus step
seq 10 | sed '1~4d' | paste -sd' '

### address plus count
sed -n '/two/,+1p' data/a.txt

### address to multiple
seq 10 | sed -n '3,~4p'

### last line
sed -n '$p' data/a.txt; sed '$d' data/a.txt | tail -1

### quit early
sed '2q' data/a.txt; sed -n '3{p;q}' data/a.txt

### quit status
sed '2q5' data/a.txt; echo $?

### insert before and after
sed '/two/i before' data/a.txt; sed '/two/a after' data/a.txt

### change line
sed '/two/c\TWO' data/a.txt; sed '2,3c changed' data/a.txt

### append with backslash
sed '1a\
  indented\
  second' data/a.txt

### append several expressions
sed -e '1i top' -e '$a bottom' data/b.txt

### transliterate
sed 'y/abcdefgh/ABCDEFGH/' data/fruits.txt | head -2

### nth occurrence
echo 'a-b-c-d' | sed 's/-/+/2'; echo 'a-b-c-d' | sed 's/-/+/2g'

### case insensitive flag
sed 's/oauth/OIDC/Ig' docs/guide.md | grep OIDC

### print changed only
sed -n 's/port/PORT/p' .config/settings.toml

### upper case
echo 'hello world' | sed 's/\b./\u&/g'; echo hello | sed 's/.*/\U&/'

### lower and mixed
echo 'HELLO World' | sed -E 's/(\w+) (\w+)/\L\1\E \U\2/'

### ampersand
echo 'x=1' | sed 's/[0-9]/<&>/; s/x/\&/'

### groups extended
sed -E 's/^([^,]*),([^,]*),(.*)$/\2|\1|\3/' data/users.csv | head -3

### groups basic
echo 'John Smith' | sed 's/\(.*\) \(.*\)/\2, \1/'

### other delimiters
echo '/usr/local/bin' | sed 's|/usr|/opt|; s,/bin,/sbin,'

### delimiters in brackets
echo 'a/b' | sed 's/[/]/_/'

### trim both ends
printf '  a b  \n' | sed 's/^[ \t]*//;s/[ \t]*$//' | cat -A

### squeeze blank lines
sed '/^$/N;/^\n$/D' src/main.py | head -12

### join lines with comma
sed ':a;N;$!ba;s/\n/,/g' data/a.txt

### join continued
printf 'a \\\nb\nc\n' | sed -e ':a' -e '/\\$/N; s/\\\n//; ta'

### reverse with hold
sed -n '1!G;h;$p' data/a.txt

### double space
sed G data/a.txt | head -4

### number lines
sed = data/a.txt | sed 'N;s/\n/\t/'

### swap pairs
sed -n 'h;n;G;p' data/a.txt

### keep previous line
sed -n '/three/{x;p;x;p};h' data/a.txt

### last of two lines
sed '$!N;$!D' data/a.txt

### exchange at end
sed -n 'H;${x;s/\n/|/g;p}' data/a.txt

### delete first of pattern space
printf 'a\nb\nc\n' | sed 'N;P;D'

### remove duplicates in row
printf 'a\na\nb\nb\nc\n' | sed '$!N; /^\(.*\)\n\1$/!P; D'

### in place
sed -i 's/8080/9090/' .env src/app.js && grep -h 9090 .env src/app.js

### in place with backup
sed -i.bak 's/one/ONE/' data/a.txt; head -1 data/a.txt data/a.txt.bak

### in place delete
sed -i '/LATER/d' docs/internal/todo.txt; cat docs/internal/todo.txt

### in place append
sed -i '$ a\last: yes' .env; tail -1 .env

### in place insert at top
sed -i '1i # header' data/a.txt; head -2 data/a.txt

### in place range
sed -i '2,3d' data/a.txt && cat data/a.txt

### in place missing
sed -i 's/a/b/' nothing 2>&1; echo $?

### write to file
sed -n '/a/w out.txt' data/fruits.txt; wc -l < out.txt

### read file
sed '/two/r data/numbers.txt' data/a.txt | head -4

### separate files
sed -s -n '$p' data/a.txt data/b.txt; sed -n '$p' data/a.txt data/b.txt

### line number
sed -n '/three/=' data/a.txt; sed -n '$=' long.txt

### list unambiguous
printf 'a\tb\\\n' | sed -n l

### null data
printf 'a\0b\0' | sed -z 's/^/x/' | tr '\0' '\n'

### script with comments
sed -n '
# only the second
2 {
  s/t/T/
  p
}
' data/a.txt

### script file with several
cat > x.sed <<'E'
s/one/1/
/two/ {
  s/two/2/
  a added
}
E
sed -f x.sed data/a.txt

### branch on success
echo 'aaa' | sed ':x; s/a/b/; tx'; echo 1234567 | sed -E ':a;s/^([0-9]+)([0-9]{3})/\1,\2/;ta'

### branch to end
printf '1\n2\n' | sed '/1/b; s/$/!/'

### branch unless
echo 'abc' | sed 's/x/y/; T; s/a/z/'

### zero address
sed '0,/apple/s/apple/APPLE/' data/fruits.txt | head -4

### range from one with pattern
sed '1,/apple/d' data/fruits.txt

### regex then number
sed -n '/three/,2p' data/a.txt

### negated range
sed -n '2,3!p' data/a.txt

### nested blocks
sed -n '/o/{/n/{p}}' data/a.txt

### empty regex
sed 's/one/X/;s//Y/' <<< 'one one'

### special replacement newline
echo 'a b c' | sed 's/ /\n/g' | wc -l; echo 'a,b' | sed 's/,/\
/'

### tabs in pattern
sed 's/\t/ | /g' data/table.tsv

### classes
echo 'ab12 cd' | sed 's/[[:digit:]]\+/#/; s/[[:space:]]/_/'

### quantifiers
echo 'aaa bb c' | sed -E 's/[a-z]{2,}/X/g'; echo 'ab' | sed 's/a\?b/Y/'

### alternation basic
echo 'cat dog' | sed 's/cat\|dog/pet/g'

### anchors in group
printf 'ab\nb\n' | sed -E 's/(^|a)b/X/'

### remove html
echo '<p class="x">Hi <b>you</b></p>' | sed -E 's/<[^>]+>//g'

### camel to snake
echo 'someVarName' | sed -E 's/([A-Z])/_\L\1/g'

### quote lines
sed 's/.*/"&"/' data/a.txt | paste -sd,

### extract between
echo 'x [inside] y' | sed -n 's/.*\[\(.*\)\].*/\1/p'

### version bump
echo 'version = "1.2.3"' | sed -E 's/([0-9]+)\.([0-9]+)\.[0-9]+/\1.\2.4/'

### comment lines
sed '2,3s/^/# /' data/a.txt

### uncomment
printf '#a\n# b\n' | sed -E 's/^#\s*//'

### delete to end
sed '/three/,$d' data/a.txt

### delete trailing blank lines
printf 'a\n\n\n' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'

### unknown command
sed 'k' data/a.txt 2>&1; echo $?

### unterminated
sed 's/a/b' data/a.txt 2>&1; echo $?

### missing file
sed p nothing 2>&1; echo $?

### no script
sed 2>&1 | head -1

### unbuffered and quiet
sed -u -n '1p' data/a.txt; sed --quiet 1p data/a.txt; sed --expression='1d' data/a.txt | head -1

### no newline at end
printf 'a' | sed 's/a/b/'; echo "|"

### e flag several files
sed -n '1p;$p' data/a.txt data/b.txt

### word boundaries
echo 'cat concat' | sed 's/\bcat\b/dog/g; s/\<con/X/'

### octal and hex
echo 'a b' | sed 's/\x20/-/'

### sed with variable
name=World; echo 'Hello NAME' | sed "s/NAME/$name/"

### sed with slash variable
p=/a/b; echo 'x P y' | sed "s|P|$p|"

### sed in pipeline after grep
grep -n LATER -r src | sed -E 's/^([^:]+):([0-9]+):.*/\1 (\2)/' | sort

### yaml value
printf 'name: demo\nport: 1\n' | sed -n 's/^port: *//p'

### ini section
printf '[a]\nx=1\n[b]\nx=2\n' | sed -n '/^\[b\]/,/^\[/{/^x=/s/x=//p}'

### tr and sed titles
sed -n 's/^## //p' README.md | tr 'A-Z ' 'a-z-'

### patch file
diff -u data/a.txt data/b.txt > d.patch; patch data/a.txt d.patch; cmp data/a.txt data/b.txt && echo equal

### patch strip
mkdir -p x; cp data/a.txt x/f; cp data/b.txt x/g; diff -u x/f x/g | sed 's|x/g|x/f|' > p; patch -p0 < p; diff x/f x/g && echo same

### patch dry run
diff -u data/a.txt data/b.txt | patch --dry-run data/a.txt; head -2 data/a.txt | tail -1

### patch reverse
diff -u data/a.txt data/b.txt > d.patch; patch -R data/b.txt < d.patch; cat data/b.txt

### ed like replace with awk
awk '{sub(/two/,"2")}1' data/a.txt > t && mv t data/a.txt && sed -n 2p data/a.txt

### printf into file then edit
printf 'k1=v1\nk2=v2\n' > c; sed -i 's/^k2=.*/k2=new/' c; grep -q '^k3=' c || echo 'k3=v3' >> c; cat c

### tee append
echo new | tee -a data/a.txt; tail -1 data/a.txt

### truncate
truncate -s 5 data/a.txt; wc -c < data/a.txt; : > data/b.txt; wc -c < data/b.txt

### heredoc into file with variables
v=7; cat > out <<END
v=$v
literal=\$v
cmd=$(echo hi)
END
cat out

### heredoc quoted
cat <<'END' | sed 's/x/y/'
$HOME `x` \n
END

### heredoc tabs
cat <<-END
	a
		b
	END

### heredoc in function
f() { cat <<E
arg: $1
E
}; f one; f two

### heredoc to while
while IFS='=' read -r k v; do echo "$k -> $v"; done <<E
a=1
b=2=3
E
