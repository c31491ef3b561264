# tree: project

### sum by city
awk -F, 'NR>1{s[$4]+=$3; n[$4]++} END{for(c in s) printf "%s %d %.1f\n", c, s[c], s[c]/n[c]}' data/users.csv | sort

### count words over files
awk '{for(i=1;i<=NF;i++) c[$i]++} END{for(w in c) print c[w], w}' data/words.txt | sort -k1,1nr -k2 | head -3

### join two files
awk -F, 'NR==FNR{a[$1]=$2; next} $1 in a{print $1, a[$1]}' data/users.csv <(printf '2,x\n5,y\n9,z\n')

### lines not in other
awk 'NR==FNR{s[$0];next} !($0 in s)' data/a.txt data/b.txt

### dedupe keeping order
awk '!seen[$0]++' data/fruits.txt

### transpose
awk -F'\t' '{for(i=1;i<=NF;i++) a[i]=a[i] (NR>1?",":"") $i} END{for(i=1;i<=3;i++) print a[i]}' data/table.tsv

### user function
awk 'function max(a,b){return a>b?a:b} {m=max(m,$1)} END{print m}' data/numbers.txt

### recursive function
awk 'function f(n){return n<2?n:f(n-1)+f(n-2)} BEGIN{print f(15)}'

### array parameter
awk 'function fill(a,n, i){for(i=1;i<=n;i++)a[i]=i*i} BEGIN{fill(x,4); print x[1],x[4]}'

### match and substr
echo 'id=1042 ok' | awk '{if(match($0,/[0-9]+/)) print RSTART, RLENGTH, substr($0,RSTART,RLENGTH)}'

### split with regex
echo 'a1b22c' | awk '{n=split($0,p,/[0-9]+/); print n, p[1], p[3]}'

### gsub count
awk '{n+=gsub(/o/,"0")} END{print n}' data/words.txt

### gsub with ampersand
echo 'a b' | awk '{gsub(/[ab]/,"[&]"); print; gsub(/\[/,"\\&"); print}'

### sub on field
awk -F, -v OFS=, '{sub(/^A/,"@",$2)}1' data/users.csv | head -2

### sprintf padding
awk 'BEGIN{s=sprintf("%05d|%-6s|%6.2f|%x|%c", 42, "ab", 3.14159, 255, 65); print s}'

### printf without newline
awk 'NR<=3{printf "%s%s", (NR>1?", ":""), $0} END{print ""}' data/a.txt

### toupper and length
awk '{print toupper(substr($1,1,1)) substr($1,2), length($1)}' data/fruits.txt | sort -u

### index
awk '{print index($0,"o")}' data/words.txt

### output separator
awk -F: -v OFS='|' '{$1=$1; print}' <<< 'a:b:c'

### record separator paragraph
printf 'a\nb\n\nc\n' | awk 'BEGIN{RS="";FS="\n"}{print NR": "$1" ("NF")"}'

### record separator letter
printf 'a;b;c' | awk 'BEGIN{RS=";"}{print NR, $0}'

### ors
awk 'BEGIN{ORS=" "}{print}' data/a.txt; echo

### field separator regex
echo 'a1, b2;c3' | awk -F'[,;] *' '{print $1"-"$2"-"$3}'

### single space separator
echo ' a  b ' | awk -F' ' '{print NF, $1}'; echo 'a  b' | awk -F'[ ]' '{print NF}'

### tab separator
awk -F'\t' 'NR>1{print $1, $2*$3}' data/table.tsv

### change nf
echo 'a b c d' | awk '{NF=2; print; $4="z"; print NF, $0}'

### last and next to last
awk -F, '{print $NF, $(NF-1)}' data/users.csv | head -2

### range pattern
awk '/## Setup/,/^See/' docs/guide.md

### range with counters
awk '/def /{f=1} f; /return/{f=0}' src/util.py

### begin only
awk 'BEGIN{for(i=1;i<=3;i++) print i, i^2}'

### end uses last
awk 'END{print NR, $0}' data/a.txt

### condition only
awk 'length > 4' data/a.txt; awk 'NF' README.md | wc -l

### nested ternary
awk -F, 'NR>1{print $2, ($3<26?"young":$3<36?"mid":"old")}' data/users.csv

### string comparison
awk -F, '$2 > "C" && NR>1 {print $2}' data/users.csv

### numeric strings
echo '10 9' | awk '{print ($1>$2), ("10">"9"), ($1"">$2"")}'

### uninitialised
awk 'BEGIN{print x+0, "[" x "]", length(x)}'

### integer division
awk 'BEGIN{print int(7/2), 7%3, -7%3, int(-3.9)}'

### math functions
awk 'BEGIN{printf "%.3f %.3f %.3f %.3f\n", sqrt(2), exp(1), log(10), atan2(0,-1)}'

### big numbers
awk 'BEGIN{print 1e6, 123456789, 0.1, 1/3, 1e-5}'

### number format
awk 'BEGIN{OFMT="%.2f"; x=3.14159; print x, x ""; CONVFMT="%.1f"; print x ""}'

### increment strings
awk 'BEGIN{a["x"]++; a["x"]+=2; print a["x"]--, a["x"], -a["x"]}'

### delete elements
awk 'BEGIN{a[1];a[2];a[3]; delete a[2]; n=0; for(k in a)n++; print n, (2 in a); delete a; for(k in a) print "no"}'

### two dimensions
awk 'BEGIN{a[1,2]=3; for(k in a){split(k,p,SUBSEP); print p[1], p[2], a[k]}; if((1,2) in a) print "in"}'

### getline from file
awk 'BEGIN{while((getline l < "data/a.txt")>0) n++; close("data/a.txt"); print n; print (getline x < "nope")}'

### getline next line
awk '/two/{getline; print "after:", $0}' data/a.txt

### getline variable
awk 'NR==1{getline x; print $0, x, NR}' data/a.txt

### command getline lines
awk 'BEGIN{while(("printf \"a\\nb\\n\"" | getline x)>0) print "got", x}'

### print to pipe
awk -F, 'NR>1{print $2 | "sort -r"}' data/users.csv

### print to files by key
awk -F, 'NR>1{print $2 > ("city_" $4 ".txt")}' data/users.csv; cat city_Berlin.txt; ls city_* | wc -l

### append to file
awk '{print >> "all.txt"}' data/a.txt; awk '{print >> "all.txt"}' data/a.txt; wc -l < all.txt

### print to stderr
awk 'BEGIN{print "err" > "/dev/stderr"; print "out"}' 2>&1 | sort

### system call
awk 'BEGIN{r=system("echo hi; exit 3"); print r}'

### exit in the middle
awk 'NR==2{exit 4} {print} END{print "end"}' data/a.txt; echo $?

### next in function of file
awk 'FNR==2{nextfile} {print FILENAME": "$0}' data/a.txt data/b.txt

### variable between files
awk '{print p $0}' p='A:' data/a.txt p='B:' data/b.txt | sed -n '1p;5p'

### v with escapes
awk -v 's=a\tb' 'BEGIN{print s}'

### arguments
awk 'BEGIN{print ARGC, ARGV[1], ARGV[2]}' x y

### environ
FOO=bar awk 'BEGIN{print ENVIRON["FOO"]}'

### script file
printf 'BEGIN{FS=","}\n# comment\nNR>1{t+=$3}\nEND{print t}\n' > s.awk; awk -f s.awk data/users.csv

### multi line program
awk -F, '
NR == 1 { next }
{
    total[$4] += $3
    if ($3 > oldest[$4]) {
        oldest[$4] = $3
        name[$4] = $2
    }
}
END {
    for (city in total)
        printf "%-8s %3d %s\n", city, total[city], name[city]
}' data/users.csv | sort

### while and break
awk 'BEGIN{i=0; while(1){i++; if(i==2) continue; if(i>4) break; printf "%d ", i}; print ""}'

### do loop and else if
awk '{if($1>50)print "big"; else if($1>5) print "mid"; else print "small"}' data/numbers.txt | sort | uniq -c

### regex dynamic
awk -v re='^[a-b]' '$0 ~ re' data/fruits.txt | sort -u; awk '$1 !~ /an/' data/fruits.txt | sort -u

### regex special
printf 'a.b\naxb\n' | awk '/a\.b/'; printf 'x+y\n' | awk '/x\+y/'

### case classes
printf 'Ab\nab\n' | awk '/^[[:upper:]]/'

### percentile
sort -n data/numbers.txt | awk '{a[NR]=$1} END{print a[int(NR/2)], a[NR]}'

### running total
awk '{s+=$1; print $1, s}' data/numbers.txt | tail -2

### log levels
awk '{c[$2]++} END{for(l in c) print l, c[l]}' logs/app.log | sort

### average per worker
awk '{w=$3; gsub(/[][]/,"",w); t=$6; sub(/ms/,"",t); s[w]+=t; n[w]++} END{for(k in s) printf "%s %.2f\n",k,s[k]/n[k]}' logs/app.log | sort

### status five hundred
awk '$NF=="status=500"{print substr($1,1,10)}' logs/app.log | uniq -c

### histogram bars
awk '{n[$1]++} END{for(k in n){s="";for(i=0;i<n[k];i++)s=s"*"; print k, s}}' data/fruits.txt | sort

### csv to json
awk -F, 'NR==1{for(i=1;i<=NF;i++)h[i]=$i;next}{printf "{"; for(i=1;i<=NF;i++) printf "\"%s\":\"%s\"%s",h[i],$i,(i<NF?",":"}\n")}' data/users.csv | head -2

### markdown table
awk -F, '{printf "|"; for(i=1;i<=NF;i++) printf " %s |", $i; print ""; if(NR==1){printf "|"; for(i=1;i<=NF;i++) printf "---|"; print ""}}' data/users.csv | head -3

### column widths
awk '{if(length>m)m=length} END{print m}' README.md

### reverse fields
echo 'a b c' | awk '{for(i=NF;i>0;i--) printf "%s%s", $i, (i>1?OFS:ORS)}'

### reverse lines
awk '{a[NR]=$0} END{for(i=NR;i>=1;i--) print a[i]}' data/a.txt

### print line numbers
awk '{printf "%3d: %s\n", NR, $0}' data/a.txt

### lines between numbers
awk 'NR>=5 && NR<=7' long.txt; awk 'NR==3{print;exit}' long.txt

### even fields sum
echo '1 2 3 4' | awk '{for(i=2;i<=NF;i+=2)s+=$i; print s}'

### comma in print
awk 'BEGIN{print "a","b" "c"; print("x")("y")}'

### quoting in shell
awk 'BEGIN{print "it'"'"'s"}'; awk "BEGIN{print \"q\"}"

### shell variable
n=3; awk "NR==$n" data/a.txt; awk -v n="$n" 'NR==n' data/a.txt

### printf star
awk 'BEGIN{printf "%*d|%-*s|\n", 5, 42, 4, "a"}'

### printf i and e
awk 'BEGIN{printf "%i %e %g %o %%\n", 3.9, 12345.678, 0.0001, 8}'

### substr edges
awk 'BEGIN{s="hello"; print substr(s,2,3), substr(s,0), substr(s,4,10) "|" substr(s,9)}'

### split empty and single
awk 'BEGIN{print split("",a,","), split("abc",b,""), b[2]}'

### missing file
awk '{print}' nothing 2>/dev/null; echo $?

### in stdin dash
cat data/a.txt | awk '{print FILENAME "-" $0}' - | head -1

### rand is seeded
awk 'BEGIN{srand(1); x=rand(); print (x>=0 && x<1)}'

### comparison chain
awk -F, 'NR>1 && ($3>=30 || $4=="Paris") && $2!="Frank"' data/users.csv

### in and not in
awk 'BEGIN{a["k"]; if(!("z" in a)) print "absent"; if("k" in a) print "present"}'

### concatenation precedence
awk 'BEGIN{print 1 " " 2+3, 1+1 "" 2*2, -1 " " -1}'

### pre and post
awk 'BEGIN{x=5; y=x++ + ++x; print x, y}'

### assignment value
awk 'BEGIN{a=b=3; print a+b; c+=a; print c; c^=2; print c; c%=4; print c}'

### logical values
awk 'BEGIN{print !0, !1, !"", !"a", 1&&0, 1||0}'

### long pipeline of awk
awk -F, 'NR>1' data/users.csv | awk -F, '{print $4}' | sort | uniq -c | awk '{print $2"="$1}' | paste -sd' '

### jq filter and sort
jq -r 'sort_by(.age) | .[] | "\(.name)\t\(.age)"' data/users.json

### jq csv
jq -r '.[] | [.id, .name, .age] | @csv' data/users.json

### jq tsv and sh
jq -r '.[] | [.id,.name] | @tsv' data/users.json; jq -nr '["a b","c"] | @sh'

### jq reduce
jq 'reduce .[] as $u (0; . + $u.age)' data/users.json

### jq group and count
jq -c 'group_by(.tags | length) | map({n: (.[0].tags|length), names: map(.name)})' data/users.json

### jq select contains
jq -r '.[] | select(.tags | index("dev")) | .name' data/users.json

### jq any all
jq -c '[any(.age > 30), all(.age > 30)]' <<< '{"age": 31}' 2>/dev/null || jq -c '[(map(.age > 30) | any), (map(.age > 20) | all)]' data/users.json

### jq keys sorted
jq -c 'keys, (to_entries | length)' data/config.json

### jq paths
jq -c 'paths(scalars) | map(tostring) | join(".")' data/config.json

### jq update
jq -c '.server.port |= . + 1 | .server.port, (.debug = false | .debug)' data/config.json

### jq arg and argjson
jq -c --arg n Bob --argjson a 25 '.[] | select(.name == $n and .age == $a) | .id' data/users.json

### jq slurp lines
jq -s -c 'map(.e)' data/events.jsonl; jq -c 'select(.t > 1)' data/events.jsonl

### jq raw input slurp
printf 'a\nb\n' | jq -Rs -c 'split("\n") | map(select(length > 0))'

### jq string functions
jq -nr '"Hello World" | ascii_downcase, length, (split(" ") | join("-")), test("World"), gsub("o"; "0"), .[0:5]'

### jq if elif
jq -r '.[] | if .age < 26 then "young" elif .age < 32 then "mid" else "old" end' data/users.json

### jq try catch
jq -r '.[] | try (.name | tonumber) catch "nan"' data/users.json

### jq limit and first
jq -c '[limit(2; .[].id)], first(.[].name), ([range(0;10;3)])' data/users.json

### jq exit status
jq -e '.missing' data/config.json; echo $?; jq -e '.debug' data/config.json; echo $?

### jq tab and sort keys
jq -S --tab '.server' data/config.json; jq -S -c . data/config.json

### jq object construction
jq -c '.[] | {(.name): .age}' data/users.json; jq -c '[.[] | {name, first: .tags[0]}]' data/users.json

### jq unique flatten
jq -c '[.[].tags[]] | unique, (map(ascii_upcase))' data/users.json

### jq walk and env
jq -c 'walk(if type == "number" then . + 1 else . end)' <<< '{"a":[1,{"b":2}]}'

### jq types
jq -r '.[] | type' data/config.json; jq -c 'map_values(type)' data/config.json

### jq error text
jq '.a.b' <<< '{"a":1}' 2>&1; echo $?

### jq syntax error status
jq '.[' data/users.json 2>/dev/null; echo $?

### jq dates
jq -n '0 | todate, ("2026-01-02T00:00:00Z" | fromdate)'

### jq base64
jq -nr '"hi" | @base64, (@base64 | @base64d), @uri "q=\("a b")", @html "<\("&")>", @json'

### jq add join numbers
jq -c '[.[].age] | add, add/length, min, max, (sort | reverse)' data/users.json

### jq input lines
jq -c -n '[inputs.t]' data/events.jsonl; jq -n 'input.e' data/events.jsonl

### jq compact in shell loop
jq -c '.[]' data/users.json | while read -r row; do echo "$row" | jq -r '.name'; done

### jq delete keys
jq -c 'del(.name)' data/config.json; jq -c 'map(del(.age, .tags[0]))' data/users.json; jq -c 'del(.server.hosts[] | select(. == "a"))' data/config.json; jq -c 'delpaths([["name"],["server","port"]])' data/config.json

### jq delete with arguments
jq -c --arg k version 'del(.[$k]) | keys_unsorted' data/config.json; jq -c 'del(.missing, .nothing)' data/config.json; jq -c 'del(.[1:])' data/users.json | head -1
