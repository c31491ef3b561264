# tree: project

### links in a condition
ln -s README.md link; ln -s nothing broken
for f in README.md nothing link broken docs; do
  [[ -L $f ]] && echo "$f L"; [[ -h $f ]] && echo "$f h"; [[ ! -L $f ]] && echo "$f not"
done

### links and names with blanks in a condition
ln -s README.md "a  b"; f="a  b"; [[ -L $f && -e "$f" ]] && echo link
g='*'; [[ -L $g ]] || echo none

### executable in a condition
printf x > tool; chmod 755 tool; for f in tool README.md docs nothing; do [[ -x $f ]] && echo "$f"; done; echo "$?"

### kinds in a condition
for f in README.md docs nothing /dev/null; do
  [[ -b $f ]] && echo "b $f"; [[ -c $f ]] && echo "c $f"; [[ -p $f ]] && echo "p $f"; [[ -S $f ]] && echo "S $f"
  [[ -u $f ]] && echo "u $f"; [[ -g $f ]] && echo "g $f"; [[ -k $f ]] && echo "k $f"
done; echo end

### options in a condition
set -o pipefail; [[ -o pipefail ]] && echo on; [[ -o noglob ]] || echo off

### conditions within others
x=$(if [[ -L README.md || ( -x nothing && ! -h docs ) ]]; then echo yes; else echo no; fi); echo "$x"
echo "$( [[ -L README.md ]] && echo link || echo file ) [[ -L x ]]"
case $( [[ -x nothing ]]; echo $? ) in (1) echo one;; 0) echo zero;; esac

### conditions in what is evaluated
eval '[[ -L README.md ]] && echo link || echo file'
bash -c '[[ -x README.md ]] && echo runs || echo does not'
printf '[[ -L $1 ]] && echo "link $1" || echo "file $1"\n' > look.sh; . ./look.sh README.md; bash look.sh docs
cat look.sh

### words that look like a condition
echo '[[ -L x ]]' "[[ -L y ]]" [[ -L z ]]; x="[[ -x nothing ]]"; echo "$x"
[[ "-L" == -L ]] && echo same; [[ "-x" ]] && echo text; [[ -n -L ]] && echo full

### the same file in a condition
ln README.md hard; ln -s README.md soft; cp README.md copy
[[ README.md -ef hard ]] && echo hard; [[ README.md -ef soft ]] && echo soft; [[ README.md -ef copy ]] || echo other
[[ nothing -ef nothing ]] || echo nothing; [[ ./docs -ef docs/ ]] && echo docs

### splitting is kept and put back
OLD=$IFS; IFS=,; set -- $(echo a,b,c); echo $#; IFS=$OLD; set -- $(echo "a b c"); echo $#; printf %q "$IFS"; echo

### splitting signs are set from the start
echo "${#IFS} ${IFS+set}"; f() { local IFS=:; local p="a:b:c"; set -- $p; echo "$#"; }; f; x="p q"; set -- $x; echo $#

### splitting signs are not exported
env | grep -c '^IFS='; unset IFS; echo "${IFS-none}"; x="a b"; set -- $x; echo $#

### output into a command
exec > >(tee log) 2>&1
echo one; echo two >&2; ls nothing-here > /dev/null 2>&1
echo three

### output into a command that ends early
exec > >(cat > log); echo one; x=5; echo "x is $x"; exit 3

### moving to a directory that is not there
echo x > f; mv f nodir/ 2>/dev/null; echo $?; ls; mv f README.md/ 2>/dev/null; echo $?; ls f

### copying to a directory that is not there
echo x > f; cp f nodir/ 2>/dev/null; echo $?; cp f README.md/ 2>/dev/null; echo $?; cp f docs/ && ls docs; cp -r docs new/ && ls new; mv docs moved/ && ls moved

### names that end in a slash
echo x > f; cat f/ 2>/dev/null; echo $?; ls f/ 2>/dev/null; echo $?; rm f/ 2>/dev/null; echo $?; ln -s f g/ 2>/dev/null; echo $?; stat -c %n f/ 2>/dev/null; echo $?; cp f/ g 2>/dev/null; echo $?; ls

### files of a user
find docs -user "$(stat -c %U README.md)" | wc -l; find . -user nobody-at-all 2>/dev/null; echo $?; find docs -user 12345; find docs -group 54321

### new files and the mask
umask; umask 077; umask; echo x > f; mkdir d; touch g; cp f h; stat -c '%a %n' f d g h
umask 022; echo x > i; stat -c '%a %n' i; umask -S; umask u=rwx,g=rx,o=; umask

### removing asks
echo a > a; echo b > b; printf 'y\nn\n' | rm -i a b; echo $?; ls a b 2>/dev/null; rm -i b < /dev/null; ls b; yes | rm -i b; ls b 2>/dev/null; rm -i nothing < /dev/null 2>/dev/null; echo $?

### removing directories asks
mkdir -p d/e; echo x > d/e/f; printf 'y\ny\ny\ny\ny\n' | rm -ri d; echo $?; ls -d d 2>/dev/null; mkdir -p d/e; echo x > d/e/f; printf 'y\nn\n' | rm -ri d 2>/dev/null; find d

### moving asks
echo a > a; echo b > b; echo n | mv -i a b 2>/dev/null; cat a b; echo y | mv -i a b 2>/dev/null; cat b; ls a 2>/dev/null; mv -i b c < /dev/null; cat c

### copying asks
echo a > a; echo b > b; echo n | cp -i a b 2>/dev/null; cat b; echo y | cp -i a b 2>/dev/null; cat b; cp -i a c </dev/null; cat c

### the last word on asking counts
echo a > a; rm -i -f a < /dev/null; ls a 2>/dev/null; echo a > a; echo b > b; mv -i -f a b < /dev/null; cat b

### rows by a key
printf '[{"id":1,"v":"a"},{"id":2,"v":"b"}]' | jq -c 'INDEX(.id)'; printf '[{"id":1}]' | jq -c 'INDEX(.[]; .id) | keys'; echo 65 | jq -r '[.] | implode'

### arguments of a script that is read
echo 'echo "$# $1 $2"' | bash -s a "b c"; printf 'echo "$0 $#"\n' | bash -s -- x; echo 'echo plain' | bash -s; bash -s q <<< 'echo "<$1>"'

### names that are unpacked
mkdir t; echo a > t/a; tar cf t.tar t; tar xvf t.tar; tar cvf u.tar t; tar -czvf t.tgz t/a; tar -xvzf t.tgz

### packed files are tested and found below
mkdir -p d/e; echo a > d/a; echo b > d/e/b; gzip -r d; find d -type f | sort; gzip -t d/a.gz; echo $?; gzip -tv d/e/b.gz 2>/dev/null; echo $?; echo no > bad.gz; gzip -t bad.gz 2>/dev/null; echo $?; gunzip -r d; find d -type f | sort; cat d/e/b; echo x | gzip | gzip -t; echo $?; gzip -v d/a 2>/dev/null; ls d

### lines of a descriptor
while read -r l <&3; do echo "<$l>"; done 3< <(printf '1\n2\n'); printf 'a b\nc\n' > f; while IFS= read -r x y <&4; do echo "$y$x"; done 4< f

### files without a name
x=; for t in -e -f -d -r -w -x -s -L; do [ $t "$x" ] && echo "$t"; done; [ ! -d "$x" ] && echo none; test -e "" || echo no; [ "$x" -nt README.md ] || echo older; [ README.md -nt "$x" ] && echo newer
[[ -e $x ]] && echo e; [[ -d "$x" ]] && echo d; [[ ! -f $x && -d docs ]] && echo f; [[ -e $(echo) ]] && echo s; [[ -e ${x:-README.md} ]] && echo given; [[ -s "$x$y" ]] || echo both

### commands in backquotes that are added
x=a; x+="`echo b`"; x+=`echo "c d"`; echo "$x"; y+="<`echo \`echo e\``>"; echo "$y"

### arguments of xargs in a file
printf 'a\nb\n' > f; xargs -a f echo; xargs -a f -n 1 echo -; xargs --arg-file=f; xargs -a nothing echo 2>/dev/null; echo $?; find docs -quit; find docs -name '*.md' -print -quit | wc -l

### commands in backquotes that are declared
f() { local a="`echo one`" b="x`echo two`"; echo "$a $b"; }; f; export E="`echo three`"; echo "$E"; declare -r R=`echo four`; echo "$R"

### what is declared beside quotes
f() { local p="$1"/$2 q=$2-"$1"; echo "$p|$q"; }; f "a b" "c  d"; x="e f"; export y="$x"/$x; echo "$y"; readonly z=$x"$x"; echo "$z"; g() { local d=$(dirname "a b/c") e="$1"/$(basename "a b/c d") k="$1"${1%b}; echo "$d|$e|$k"; }; g "a b"; h() { local o="-n -e" n=$(printf '[%s]' $o "$o") m="$(printf '<%s>' $o)"; echo "$n$m"; }; h

### output that is redirected more than once
echo a > one > two; cat one two; echo b >> two >> one; cat one two; { echo c; } > /dev/null > two; cat two; ls nothing &> one > two; wc -c < two; echo d > one 2> /dev/null > two; cat two

### a descriptor of output where output is caught
exec 3>&1; echo one >&3; { echo two >&3; } 2> /dev/null; exec 3>&-; exec 5> f; x=$(echo three >&5; echo four); exec 5>&-; echo "$x"; cat f

### nothing is no name
echo x > f; x=; mv f "$x" 2>/dev/null; echo $?; cp f "$x" 2>/dev/null; echo $?; ls "$x" 2>/dev/null; echo $?; rm "$x" 2>/dev/null; echo $?; rm -f "$x"; echo $?; cat "$x" 2>/dev/null; echo $?; mkdir "$x" 2>/dev/null; echo $?; ln -s f "$x" 2>/dev/null; echo $?; find "$x" 2>/dev/null; echo $?; stat "$x" 2>/dev/null; echo $?; wc "$x" 2>/dev/null; echo $?; mv "$x" g 2>/dev/null; echo $?; cp -r "$x" g 2>/dev/null; echo $?; rm -rf "$x"; echo $?; ls

### commas in elements
declare -A h; h[k]="a,b"; h["l m"]='c,d'; h[n]+="e, f"; x=k; h[$x]+=",g"; for k in k "l m" n; do echo "$k=${h[$k]}"; done; a[1]="1,2"; a[2]="{p,q}"; a[3]="$(echo "r,s")"; echo "${a[@]}"; [ "${a[1]}" = "1,2" ] && echo same

### relative links
mkdir -p a/b c; ln -sr README.md a/b/up; readlink a/b/up; ln -sr a/b/up c/also; readlink c/also; ln -srv docs a/b; cat a/b/up | head -1
ln -r README.md x 2> /dev/null; echo "$?"; ln -sr none a/b/broken; readlink a/b/broken; cd a/b; ln -sr ../../docs/api.md here; readlink here

### links that would overwrite
echo 1 > one; echo 2 > two; echo y | ln -i one two 2> /dev/null; echo "$?"; cat two; echo 3 > three; echo n | ln -si one three 2> /dev/null; echo "$?"; cat three
ln -sbv one three; readlink three; cat three~; ln -sb -S .old two three; readlink three three.old; ln -s one three 2> /dev/null; echo "$?"
ln -sf --backup=numbered one three; ls three*; ln -L three hard; readlink hard; cat hard

### backups of copies
echo 1 > one; echo 2 > two; cp -b one two; cat two~; cp -bv one two; cp --backup=numbered one two; ls two*; cp -S .old one two; ls two*; cp --backup=none one two; ls two* | wc -l
mkdir -p d/sub e; echo n > d/sub/f; cp -r d e; echo m > d/sub/f; cp -rb d e; cat e/d/sub/f e/d/sub/f~; cp --backup=simple -S .b one two; ls two*; cp --backup=odd one two 2> /dev/null; echo "$?"

### backups of what is moved
echo 1 > one; echo 2 > two; mv -bv one two; cat two two~; echo 3 > one; mv --backup=t one two; ls two*; echo 4 > one; mv -S .old one two; ls two*; mv -b none two 2> /dev/null; echo "$?"; cat two

### copies that are links
cp -s README.md here; readlink here; cp -s README.md docs/there 2> /dev/null; echo "$?"; mkdir t; cp -rs "$PWD/docs" t; readlink t/docs/api.md; cp -s README.md here 2> /dev/null; echo "$?"
cp -sf LICENSE here 2> /dev/null; readlink here; echo 1 > one; cp -l one two; echo 2 >> one; cat two; cp -l README.md two 2> /dev/null; echo "$?"; cp -lf README.md two; head -1 two

### links that are copied
ln -s README.md l; mkdir d; ln -s ../README.md d/in; cp -Lr d e; [ -L e/in ] && echo link || echo file; cp -rH d f; [ -L f/in ] && echo link; cp -H l g; [ -L g ] || echo file; cp -rH l h; [ -L h ] || echo file; cp -P l i; readlink i; cp -r l j; readlink j

### what a copy keeps
echo x > one; chmod 600 one; touch -d 2020-01-01 one; cp --preserve=mode one two; stat -c %a two; [ two -nt one ] && echo new; cp --preserve=timestamps one three; stat -c '%y' three | cut -c1-10
mkdir d; mv --strip-trailing-slashes d/ m; mv -r m n 2> /dev/null; echo "$?"; ls -d n m 2> /dev/null

### bits like those of another file
chmod 640 README.md; touch x; chmod --reference=README.md x; stat -c %a x; chmod -f 600 none; echo "$?"; chmod --reference=none x 2> /dev/null; echo "$?"

### find by what can be done
ln -s none broken; find . -maxdepth 1 -name 'b*' -readable; find README.md broken -writable; ln -s docs l; find l -follow -name api.md; find . -maxdepth 1 -type l -follow
touch -d yesterday y; touch t; find y t -daystart -mtime 0; find y t -daystart -mtime 1; find y t -daystart -mtime -1; find y t -mtime -2 -daystart -mmin -1500 | wc -l

### find by how many minutes or days ago
touch now; touch -d '90 seconds ago' m; touch -d '36 hours ago' d; for n in 0 1 2 3 -1 -2 -3 +0 +1 +2; do echo "$n" $(find now m d -mmin "$n") / $(find now m d -mtime "$n") / $(find d -daystart -mtime "$n"); done
for n in 1439 1440 1441 2160 2161 2880; do find now m d -mmin -"$n" | wc -l; find d -mmin +"$n"; done

### times in a zone
export TZ=America/New_York; touch -d yesterday y; find y -mtime -2; touch -t 202607040506.07 t; date -u -r t +%FT%T; touch -a -d 2020-01-01 t; date -u -r t +%FT%T; stat -c %x t | cut -c1-10; touch -r t -d '+1 day' r; date -u -r r +%FT%T
date -d '2026-03-08 02:30' 2> /dev/null; echo "$?"; date -u -d "$(date -d '2026-11-01 01:30' -Is)" +%T; export TZ=Europe/Berlin; date -d '2026-10-25 02:30' +%s; date -d '2026-03-29 02:30' 2> /dev/null; echo "$?"; [ "$(date -d now +%F-%H)" = "$(date +%F-%H)" ] && echo now

### touch what is not there
touch -c none; echo "$?"; touch none/; echo "$?"; touch -h none; echo "$?"; touch -; ls -; touch no/x; echo "$?"; touch -d bogus z; echo "$?"; touch -r README.md -t 01010000 z; echo "$?"; touch -t 1234 z; echo "$?"; touch --time=never z; echo "$?"; ls z; touch; echo "$?"; ln -s README.md l; touch -h -d 2020-01-01 l; stat -c %y l | cut -c1-10; touch /dev/null; echo "$?"

### backquotes in what is assigned
x=a y="`echo b`" z=`echo c`; echo "$x$y$z"; y="`echo \"q r\"`" w="`echo "s"`"; echo "$y$w"; x=1 v="`echo e`" bash -c 'echo "$v"'
a[1]="`echo f`"; b=("`echo g`" "`echo h`"); echo "${a[1]}${b[1]}"; n=`echo \`echo i\``; echo "$n"; p='`'; q="a\`b"; echo "$p$q"

### moments beside a date
date -u -d '2026-01-31 last friday' +%F; date -u -d '2026-01-31 10:30:05 next monday' '+%F %T'; date -u -d '2026-01-31 10:30:05 +90 minutes' 2> /dev/null; echo "$?"; date -u -d '2026-01-31 10:30 +1 day' '+%F %T'; date -u -d '2026-01-31 10:30 +130' '+%F %T'

### a file before a copy
echo a > f >&2; echo b > g 1>&2 2> /dev/null; { echo c; } > h >&2; wc -c f g h; echo d > i 2>&1; cat i; echo e 2>&1 > j | wc -l; cat j

### all elements in what is declared
f() { local x="$@"; echo "[$x]"; local y="${@:2}"; echo "[$y]"; local z="pre $@ post"; echo "[$z]"; local a=(1 2 3); local b="${a[@]}"; echo "[$b]"; declare c="${a[@]:1}"; echo "[$c]"; w="$@"; echo "[$w]"; v="${@:2}"; echo "[$v]"; local u="${a[@]/1/x}"; echo "[$u]"; export q="$@"; echo "[$q]"; }
g() { local x=$@ z=$*; local -a l=("$@" "${a[@]}"); local m=("$@"); echo "${#l[@]} ${#m[@]} $z"; declare -r y="${!a[@]} ${#a[@]}"; echo "[$x] [$y]"; }; a=(q r); g "a  b" c; f a b "c d"
