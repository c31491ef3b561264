# tree: project

### mkdir
mkdir new && ls -d new

### mkdir parents
mkdir -p a/b/c && find a

### mkdir exists
mkdir docs; echo $?

### mkdir parents exists
mkdir -p docs; echo $?

### mkdir missing parent
mkdir x/y; echo $?

### mkdir verbose
mkdir -v newdir

### rmdir
rmdir build; echo $?; ls -d build 2>/dev/null

### rmdir not empty
rmdir docs 2>/dev/null; echo $?

### touch
touch new.txt; ls new.txt; wc -c < new.txt

### touch time
touch -d '2026-01-02 03:04:05' f; stat -c %y f | cut -c1-19

### touch reference
touch -r data/a.txt f; stat -c %Y f data/a.txt

### touch no create
touch -c nope; ls nope 2>/dev/null; echo $?

### cp
cp data/a.txt copy.txt; cmp data/a.txt copy.txt; echo $?

### cp into directory
cp data/a.txt data/b.txt build/; ls build

### cp recursive
cp -r docs copy; find copy | sort

### cp recursive into existing
cp -r docs build; find build | sort

### cp directory without r
cp docs x 2>/dev/null; echo $?

### cp missing
cp nothing x; echo $?

### cp preserve
cp -p data/a.txt c; stat -c %Y c data/a.txt

### cp archive
cp -a docs c; stat -c %Y c/api.md docs/api.md

### cp no clobber
echo x > f; cp -n data/a.txt f; cat f

### cp verbose
cp -v data/a.txt build/

### cp link
cp latest l2; head -1 l2

### cp keep link
cp -d latest l2; readlink l2

### cp dot
cp -r docs/. build; ls build

### mv
mv data/a.txt moved.txt; ls moved.txt data

### mv into directory
mv data/a.txt data/b.txt build; ls build

### mv directory
mv docs papers; ls papers

### mv overwrite
echo x > f; mv f data/a.txt; cat data/a.txt

### mv missing
mv nothing x; echo $?

### mv verbose
mv -v data/a.txt x

### mv no clobber
echo x > f; mv -n f data/a.txt; head -1 data/a.txt

### rm
rm data/a.txt; ls data

### rm missing
rm nothing; echo $?

### rm force missing
rm -f nothing; echo $?

### rm directory
rm docs 2>/dev/null; echo $?

### rm recursive
rm -rf docs; ls

### rm glob
rm data/*.txt; ls data

### rm verbose
rm -v data/a.txt

### rm link keeps target
rm latest; ls docs

### ln symbolic
ln -s data/a.txt l; cat l; readlink l

### ln symbolic force
ln -s x l; ln -sf data/a.txt l; readlink l

### ln exists
ln -s x README.md 2>/dev/null; echo $?

### ln hard
ln data/a.txt h; echo more >> data/a.txt; tail -1 h

### ln hard count
ln data/a.txt h; stat -c %h h

### chmod
chmod 600 data/a.txt; stat -c %a data/a.txt

### chmod x
echo 'echo ran' > s.sh; chmod +x s.sh; ./s.sh

### chmod symbolic
chmod u=rwx,go=r data/a.txt; stat -c %A data/a.txt

### chmod recursive
chmod -R 700 docs; find docs -perm 700 | wc -l

### stat size
stat -c '%s %n' data/a.txt

### stat format
stat -c '%F|%a|%A' data/a.txt docs latest; stat -c %s data/a.txt latest

### stat mtime
stat -c %Y data/a.txt

### stat human time
stat -c %y data/a.txt

### stat printf
stat --printf='%n\t%s\n' data/a.txt

### stat missing
stat nothing; echo $?

### stat follow
stat -L -c '%F %s' latest

### du file
du -b data/a.txt

### du apparent summary
du -sb data | cut -f2

### du summary names
du -s docs src | cut -f2

### du depth
du -d 1 . | cut -f2 | sort

### du all
du -ab docs | grep -v '/$' | grep '\.md' | sort

### du human
du -sh docs | cut -f2

### du total
du -cb data/a.txt data/b.txt

### df
df . > /dev/null; echo $?

### diff same
diff data/a.txt data/a.txt; echo $?

### diff normal
diff data/a.txt data/b.txt; echo $?

### diff unified
diff -u data/a.txt data/b.txt | tail -n +3

### diff unified labels
diff -u --label old --label new data/a.txt data/b.txt

### diff unified header
diff -u data/a.txt data/b.txt | head -2 | cut -f1

### diff unified context
diff -U1 --label a --label b data/a.txt data/b.txt

### diff context
diff -c data/a.txt data/b.txt | tail -n +3

### diff brief
diff -q data/a.txt data/b.txt; echo $?

### diff side
diff -y -W 40 data/a.txt data/b.txt

### diff recursive
cp -r docs d2; echo x >> d2/api.md; rm d2/guide.md; diff -r docs d2; echo $?

### diff recursive brief
cp -r docs d2; echo x >> d2/api.md; touch d2/new; diff -rq docs d2

### diff new file
cp -r docs d2; echo x > d2/new; diff -rN docs d2

### diff ignore case
diff -i <(echo A) <(echo a); echo $?

### diff ignore space
diff -w <(echo 'a  b') <(echo 'a b'); echo $?

### diff ignore blank
diff -B <(printf 'a\n\nb\n') <(printf 'a\nb\n'); echo $?

### diff missing
diff data/a.txt nothing; echo $?

### diff no newline
diff <(printf 'a') <(printf 'a\n')

### diff stdin
echo one | diff - data/a.txt

### diff directory file
diff data/a.txt data 2>/dev/null; echo $?

### diff report same
diff -s data/a.txt data/a.txt

### diff binary
diff assets/logo.bin data/a.txt; echo $?

### cmp
cmp data/a.txt data/b.txt; echo $?

### cmp silent
cmp -s data/a.txt data/b.txt; echo $?

### patch
diff -u data/a.txt data/b.txt > p; patch data/a.txt < p > /dev/null; cmp data/a.txt data/b.txt; echo $?

### xargs
cat data/a.txt | xargs echo

### xargs one
cat data/a.txt | xargs -n 1 echo item

### xargs two
seq 5 | xargs -n 2 echo

### xargs placeholder
seq 3 | xargs -I{} echo "<{}>"

### xargs null
printf 'a b\0c\0' | xargs -0 -n1 echo

### xargs no input
xargs echo x < /dev/null

### xargs no run
xargs -r echo x < /dev/null

### xargs status
seq 3 | xargs -n1 false; echo $?

### xargs status 1
echo nothing | xargs ls 2>/dev/null; echo $?

### xargs not found
echo a | xargs nosuchcmd 2>/dev/null; echo $?

### xargs sh
seq 2 | xargs -I{} sh -c 'echo $(({}*2))'

### xargs delimiter
echo a,b,c | tr -d '\n' | xargs -d, -n1 echo

### xargs quotes
echo '"a b" c' | xargs -n1 echo

### xargs parallel
seq 4 | xargs -P2 -n1 echo | sort

### xargs grep
ls docs/*.md | xargs grep -l OAuth

### xargs max lines
printf 'a b\nc d\n' | xargs -L1 echo

### tar
tar czf x.tgz docs && tar tzf x.tgz | sort

### tar extract
tar cf x.tar docs && mkdir o && tar xf x.tar -C o && find o | sort

### gzip
gzip -k data/a.txt && ls data/a.txt.gz && zcat data/a.txt.gz

### gzip stdout
gzip -c data/a.txt | gunzip

### gunzip
gzip data/a.txt; ls data | head -1; gunzip data/a.txt.gz; cat data/a.txt

### zcat pipe
gzip -c data/a.txt | zcat

### zgrep
gzip -k logs/error.log; zgrep -c ERROR logs/error.log.gz

### mktemp
f=$(mktemp); echo x > $f; cat $f; rm $f; [ -e $f ] || echo gone

### mktemp directory
d=$(mktemp -d); touch $d/x; ls $d

### tmp
echo scratch > /tmp/homefs_case_scratch; cat /tmp/homefs_case_scratch; rm /tmp/homefs_case_scratch

### install
install -m 755 scripts/lib.sh x; stat -c %a x

### name with newline
touch $'new\nline'; ls | grep -c new; rm $'new\nline'; ls | grep -c new

### name with dash
touch -- -x; ls -- -x; rm -- -x; echo $?

### name with glob
touch 'a*b'; ls 'a*b'; ls a\*b

### cat into directory
echo x > docs; echo $?

### write below file
echo x > README.md/y; echo $?

### write missing directory
echo x > nope/y; echo $?

### append creates
echo a >> fresh; cat fresh

### tee into directory
echo x | tee build/a build/b; ls build

### rename loop
for f in data/*.txt; do mv "$f" "${f%.txt}.bak"; done; ls data

### count lines per file
for f in docs/*.md; do printf '%s %d\n' "$f" "$(wc -l < "$f")"; done

### replace across files
grep -rl oauth docs | xargs sed -i 's/oauth/OIDC/g'; grep -rc OIDC docs | sort

### insert into file
sed -i '1a inserted' data/a.txt; head -2 data/a.txt

### frontmatter
printf -- '---\ntitle: x\n---\nbody\n' > n.md; sed -n '/^---$/,/^---$/p' n.md
