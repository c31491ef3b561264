# tree: small

### zip and list
zip a.zip a.txt; echo "$?"; seq 1 500 > n; zip -q a.zip b.txt n sub/c.txt; unzip -l a.zip | sed 's/2[0-9-]* [0-9:]* /DATE/' | sort; unzip -p a.zip n | tail -1
unzip -l a.zip b.txt 'sub/*' | grep -c txt; unzip -lq a.zip a.txt; unzip -lqq a.zip a.txt

### an archive is one for other programs
zip -q a.zip a.txt; head -c 4 a.zip | xxd -p; tail -c 22 a.zip | head -c 4 | xxd -p; file a.zip | cut -c 1-18

### an archive that another program made
printf %s UEsDBBQAAAAIAIMYIlwAiFkLCwAAABgAAAAFAAAAYS50eHTLSM3JyVfIQCe5AFBLAQIUAxQAAAAIAIMYIlwAiFkLCwAAABgAAAAFAAAAAAAAAAAAAACAAQAAAABhLnR4dFBLBQYAAAAAAQABADMAAAAuAAAAAAA= | base64 -d > p.zip
unzip -l p.zip; unzip -t p.zip > /dev/null; echo "$?"

### zip recursively and unpack
mkdir -p sub/deep/er; touch sub/deep/f; chmod 600 sub/d; zip -rq all sub x\ y; echo "$?"; unzip -q all.zip -d out; echo "$?"
find out | sort; cat out/sub/c.txt out/x\ y; stat -c '%a %y' out/sub/d | cut -d. -f1; unzip -tq all.zip; unzip -t all.zip | sort; unzip -tqq all; echo "$?"

### zip a whole directory without itself and other files
zip -r x.zip . -x 'sub/*' '*.sh' > /dev/null 2>&1; zip -qr x.zip . -x 'sub/*' '*.sh' -y > /dev/null; unzip -lqq x.zip | awk '{print $4}' | sort
zip -rx '*.txt' @ y.zip sub; unzip -lqq y | wc -l

### zip names without directories
zip -j j.zip sub/c.txt a.txt; unzip -lqq j.zip | awk '{print $4}'; zip -rD d.zip sub | sort

### zip what is not there
zip n.zip none a.txt; echo "$?"; zip m.zip none; echo "$?"; ls m.zip 2> /dev/null; zip -q n.zip none b.txt; echo "$?"

### zip again
zip u.zip a.txt b.txt; echo more >> a.txt; zip u.zip a.txt; unzip -p u.zip a.txt | tail -1; unzip -lqq u.zip | wc -l; echo text > t.zip; zip t.zip a.txt > /dev/null; echo "$?"

### stored or deflated
seq 1 2000 > n; zip -0 s.zip n; zip -q9 h.zip n; [ $(stat -c %s h.zip) -lt $(stat -c %s s.zip) ] && echo smaller
unzip -o s.zip -d S; unzip -o h.zip -d H; cmp n S/n && cmp n H/n && echo same

### unpack what is there already
zip -q a.zip a.txt b.txt; echo new > a.txt; rm b.txt; unzip -n a.zip; echo "$?"; cat a.txt; unzip -o a.zip; cat a.txt
unzip a.zip < /dev/null 2> /dev/null; echo "$?"; cat a.txt

### unpack a part
zip -qr a.zip sub a.txt; unzip a.zip 'sub/*' -x sub/d -d part; find part | sort; unzip -j a.zip sub/d -d flat; ls flat
unzip a.zip none -d q 2> /dev/null; echo "$?"; unzip -p a.zip none 2> /dev/null; echo "$?"; unzip -l a.zip none; echo "$?"

### unpack what is no archive
unzip none.zip 2> /dev/null; echo "$?"; unzip a.txt 2> /dev/null; echo "$?"; unzip a.txt -d out 2> /dev/null; ls out 2> /dev/null; zip -q a.zip a.txt; unzip -q a.zip -d no/dir 2> /dev/null; echo "$?"

### links in an archive
zip -qy l.zip link a.txt; unzip -q l.zip -d out; readlink out/link; zip -q f.zip link; unzip -p f.zip

### lengths of what gzip made
seq 1 1000 > n; gzip -k n; gzip -l n.gz | awk '{print $2, $4}'; gzip -lv n.gz 2> /dev/null | awk 'NR == 2 {print $(NF-2), $NF}'; gzip -l none.gz 2> /dev/null; echo "$?"
gzip -c a.txt > z.gz; gzip -l z.gz n.gz | awk '{print $2, $4}'

### tar behind an archive
tar cf a.tar a.txt; tar rf a.tar b.txt; tar -rvf a.tar sub/c.txt; tar tf a.tar; tar rf new.tar a.txt; tar tf new.tar; tar xf a.tar -C sub -O | head -2
tar czf z.tgz a.txt; tar rf z.tgz b.txt 2> /dev/null; echo "$?"; tar rf a.tar none 2> /dev/null; echo "$?"; tar tf a.tar | wc -l

### tar what is newer
tar cf a.tar a.txt b.txt; tar uf a.tar a.txt b.txt; tar tf a.tar; echo new > a.txt; tar -uvf a.tar a.txt b.txt sub/c.txt; tar tf a.tar; mkdir x; tar xf a.tar -C x; cat x/a.txt

### tar under other names
tar cf a.tar --transform 's,^sub,other,' sub/c.txt a.txt; tar tf a.tar; tar cf b.tar --transform='s/\(.*\)\.txt/new-\1.md/' a.txt b.txt; tar tf b.tar
mkdir x y; tar xf a.tar -C x --transform 's/c/d/'; find x | sort; tar czf z.tgz a.txt sub/c.txt; tar xzf z.tgz --xform 's,.*/,,' -C y; ls y; tar tzf z.tgz --transform 's/a/b/'
tar cf c.tar --transform 's/a/b/;s/b/c/g' a.txt b.txt; tar tf c.tar; tar cf d.tar --transform 'odd' a.txt 2> /dev/null; echo "$?"

### tar in all forms of options
tar -c -f a.tar a.txt; tar -tvf a.tar | awk '{print $1, $NF}'; tar cCf sub b.tar c.txt; tar tf b.tar; tar --create --file=c.tar --verbose a.txt; tar cvzf d.tgz a.txt sub/c.txt; gzip -t d.tgz && echo packed
tar cf - a.txt | tar tf -; tar czf - a.txt | tar xzf - -O; tar cvf - a.txt 2> /dev/null | tar tf -; tar cf e.tar -T - <<< b.txt; tar tf e.tar
