//! What the abort hunt gives to commands: what nests deep, is long or asks for much.

use std::env;

/// How deep, how long and how many.
pub(crate) const DEEP: usize = 100_000;
const LONG: usize = 1 << 20;
const MANY: &str = "1000000000000000";

/// How many words that nest are put one after another.
const WORDS: usize = 20_000;

pub(crate) fn is_extended() -> bool {
    env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1")
}

/// What is in the directory in which commands are tried: short texts, and what nests deep.
pub(crate) fn files() -> Vec<(&'static str, String)> {
    let nested = |open: &str, close: &str| open.repeat(DEEP) + "1" + &close.repeat(DEEP);
    vec![
        ("text", "b 2\na 1\nc 3\n".into()),
        ("data.json", r#"{"a":[1,2,{"b":"c"}]}"#.into()),
        ("round", nested("(", ")")),
        ("square", nested("[", "]")),
        ("curly", nested("{", "}")),
        ("object", nested("{\"a\":", "}")),
        ("angle", nested("<", ">")),
        ("minus", nested("-", "")),
        ("group", nested("\\(", "\\)")),
        ("blocks", nested("- ", "")),
        ("rounds", "( ".repeat(WORDS)),
        ("bangs", "! ".repeat(WORDS)),
        ("minuses", "- ".repeat(WORDS)),
        ("long", "a".repeat(LONG)),
    ]
}

/// Returns the scripts with which a command is tried: several command lines in each, or one if
/// there is time to tell which it was.
pub(crate) fn cases(name: &str, options: &[String]) -> Vec<String> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    for word in ["round", "square", "curly", "object", "angle", "minus", "group", "long"] {
        groups.push(vec![
            format!("\"${word}\" text < text"),
            format!("-e \"${word}\" text"),
            format!("text \"${word}\""),
            format!(". {word} < {word}"),
            format!("-f {word} text"),
        ]);
    }
    let words = ["blocks", "$rounds", "text $rounds", "$bangs", "$minuses"];
    groups.extend(words.map(|words| vec![format!("{words} < text")]));
    let formats = [format!("%{MANY}d"), format!("%.{MANY}f"), format!("%{MANY}s")];
    let with_format = |format: &String| {
        [format!("{format} 1"), format!("-f {format} 1 2"), format!("text -printf {format}")]
    };
    groups.push(formats.iter().flat_map(with_format).collect());
    let numbers = [MANY, "1P", "9223372036854775807", "-9223372036854775808", "1e300"];
    let with_number = |number: &str| {
        [
            format!("{number} < text"),
            format!("1 {number} < text"),
            format!("{number} text"),
            format!("-{number} text"),
            format!("+{number} text"),
        ]
    };
    groups.push(numbers.into_iter().flat_map(with_number).collect());
    let mut values = vec![MANY.to_owned()];
    if is_extended() {
        let more = ["1P", "\"$round\"", "\"$curly\"", "\"$long\""];
        values.extend(more.map(str::to_owned));
        values.push(format!("%{MANY}f"));
    }
    for letters in ["abcdefghijklm", "nopqrstuvwxyz", "ABCDEFGHIJKLM", "NOPQRSTUVWXYZ"] {
        let with_letter = |letter: char| {
            let values = values.iter().flat_map(move |value| {
                [format!("-{letter} {value} text"), format!("-{letter}{value} text")]
            });
            values.map(|line| line + " < text")
        };
        groups.push(letters.chars().flat_map(with_letter).collect());
    }
    for option in options {
        groups.push(vec![
            format!("{option}={MANY} text < text"),
            format!("{option} {MANY} text < text"),
            format!("{option}=\"$round\" text < text"),
            format!("{option}=\"$curly\" text < text"),
        ]);
    }
    let line = |line: &String| format!("cd /in; {name} {line}");
    if is_extended() {
        return groups.iter().flatten().map(line).collect();
    }
    let script = |group: &Vec<String>| group.iter().map(line).collect::<Vec<_>>().join("\n");
    groups.iter().map(script).collect()
}

/// Scripts in which the language itself nests, repeats or asks for much, and commands that have
/// languages of their own.
#[expect(clippy::too_many_lines, reason = "it is data")]
pub(crate) fn language() -> Vec<String> {
    let depths = if is_extended() { &[100, 1000, 10_000, DEEP][..] } else { &[1000, DEEP] };
    let nested = |open: &str, inner: &str, close: &str| {
        depths
            .iter()
            .map(|&depth| open.repeat(depth) + inner + &close.repeat(depth))
            .collect::<Vec<_>>()
    };
    let mut scripts = vec![
        "seq 50000 > /much; for c in fold nl sort expand unexpand tac strings column rev; do
            $c $minuses < /much > /dev/null; done"
            .to_owned(),
    ];
    scripts.extend(
        ["fold", "nl", "sort", "tac", "fmt", "od"]
            .map(|name| format!("seq 50000 > /much; {name} ${{minuses//-//much}} > /dev/null")),
    );
    for (before, open, inner, close, after) in [
        ("", "(", "echo", ")", ""),
        ("", "{ ", "echo", "; }", ""),
        ("", "if :; then ", "echo", "; fi", ""),
        ("", "while :; do ", "break", "; done", ""),
        ("", "for x in 1; do ", "echo", "; done", ""),
        ("", "case x in x) ", "echo", ";; esac", ""),
        ("", "f() { ", "echo", "; }", ""),
        ("", "! ", "echo", "", ""),
        ("", "echo | ", "cat", "", ""),
        ("", "time ", "echo", "", ""),
        ("", "echo && ", "echo", "", ""),
        ("", "eval ", "echo", "", ""),
        ("", "command ", "echo", "", ""),
        ("", "env ", "echo", "", ""),
        ("", "bash -c ", "echo", "", ""),
        ("", "x=1 ", "echo", "", ""),
        ("echo ", "$(", "echo", ")", ""),
        ("echo ", "$(echo ", "x", ")", ""),
        ("echo ", "<(", "echo", ")", ""),
        ("echo ", "`", "echo", "`", ""),
        ("echo ", "${x:-", "y", "}", ""),
        ("echo \"", "${x:-", "y", "}", "\""),
        ("echo \"", "$(echo \"", "y", "\")", "\""),
        ("echo ", "{a,", "b", "}", ""),
        ("echo ", "$((", "1", "))", ""),
        ("echo $((", "(", "1", ")", "))"),
        ("echo $((", "-", "1", "", "))"),
        ("echo $((", "~", "1", "", "))"),
        ("echo $((", "1+", "1", "", "))"),
        ("echo $((", "2**", "1", "", "))"),
        ("echo $((", "1?", "1", ":1", "))"),
        ("echo $((", "a[", "1", "]", "))"),
        ("(( ", "(", "1", ")", " ))"),
        ("let ", "-", "1", "", ""),
        ("[[ ", "( ", "x", " )", " ]]"),
        ("[[ ", "! ", "x", "", " ]]"),
        ("[[ x =~ ", "(", "x", ")", " ]]"),
        ("[[ x == ", "[", "x", "]", " ]]"),
        ("case x in ", "[", "x", "]", ") echo;; esac"),
        ("a=", "(", "1", ")", ""),
        ("jq -n '", "[", "1", "]", "'"),
        ("jq -n '", "(", "1", ")", "'"),
        ("jq -n '", "{a:", "1", "}", "'"),
        ("jq -n '", "-", "1", "", "'"),
        ("jq -n '", "if . then ", "1", " else 1 end", "'"),
        ("jq -n '", "try ", "1", "", "'"),
        ("jq -n '", "def f: ", "1", "; f", "'"),
        ("jq -n '\"", "\\(\"", "x", "\")", "\"'"),
        ("jq -n '1", "|1", "", "", "'"),
        ("jq -n '1", "+1", "", "", "'"),
        ("jq -n '1", ",1", "", "", "'"),
        ("jq -n '.", "[0]", "", "", "'"),
        ("jq -n '.", "?", "", "", "'"),
        ("jq -n '.", ".a", "", "", "'"),
        ("awk 'BEGIN{x=", "(", "1", ")", "}'"),
        ("awk 'BEGIN{x=", "-", "1", "", "}'"),
        ("awk 'BEGIN{x=", "!", "1", "", "}'"),
        ("awk 'BEGIN{x=", "1+", "1", "", "}'"),
        ("awk 'BEGIN{x=", "1 ", "1", "", "}'"),
        ("awk 'BEGIN{x=", "1?1:", "1", "", "}'"),
        ("awk 'BEGIN", "{", "x=1", "}", "'"),
        ("awk 'BEGIN{", "if(1)", "x=1", "", "}'"),
        ("awk 'BEGIN{x=", "$", "1", "", "}'"),
        ("awk 'BEGIN{", "a[", "1", "]", "=1}'"),
        ("awk '/", "(", "x", ")", "/'"),
        ("sed -n '", "{", "p", "}", "' /in/text"),
        ("sed -n '", "1!", "p", "", "' /in/text"),
        ("sed -E 's/", "(", "x", ")", "/y/' /in/text"),
        ("sed 's/", "\\(", "x", "\\)", "/y/' /in/text"),
        ("grep -E '", "(", "x", ")", "' /in/text"),
        ("grep -E 'x", "*", "", "", "' /in/text"),
        ("grep -E 'x", "{2}", "", "", "' /in/text"),
        ("grep -P '", "(?=", "x", ")", "' /in/text"),
        ("grep -P '", "(x)\\1", "x", "", "' /in/text"),
        ("grep '", "\\(", "x", "\\)", "' /in/text"),
        ("grep -r --include='", "{a,", "x", "}", "' x /in"),
        ("rg '", "(", "x", ")", "' /in"),
        ("rg -g '", "{a,", "x", "}", "' x /in"),
        ("rg -g '", "[", "x", "]", "' x /in"),
        ("find /in -name '", "{a,", "x", "}", "'"),
        ("find /in -name '", "[", "x", "]", "'"),
        ("find /in -name '", "*", "x", "", "'"),
        ("find /in -regex '", "\\(", "x", "\\)", "'"),
        ("find /in ", "\\( ", "-true", " \\)", ""),
        ("find /in ", "! ", "-true", "", ""),
        ("find /in -true", " -o -true", "", "", ""),
        ("find /in -true", " , -true", "", "", ""),
        ("find /in -true", " -true", "", "", ""),
        ("tree -P '", "[", "x", "]", "' /in"),
        ("expr ", "\\( ", "1", " \\)", ""),
        ("expr 1", " + 1", "", "", ""),
        ("expr 1", " \\| 1", "", "", ""),
        ("expr x : '", "\\(", "x", "\\)", "'"),
        ("[ ", "\\( ", "x", " \\)", " ]"),
        ("[ ", "! ", "x", "", " ]"),
        ("[ x", " -a x", "", "", " ]"),
        ("[ x", " -o x", "", "", " ]"),
        ("bc <<< '", "(", "1", ")", "'"),
        ("bc <<< '", "-", "1", "", "'"),
        ("bc <<< '", "!", "1", "", "'"),
        ("bc <<< '", "1+", "1", "", "'"),
        ("bc <<< '", "2^", "1", "", "'"),
        ("bc <<< '", "1||", "1", "", "'"),
        ("bc <<< '", "++", "x", "", "'"),
        ("bc <<< '", "a=", "1", "", "'"),
        ("bc <<< '", "{", "1", "}", "'"),
        ("bc <<< '", "if(1)", "1", "", "'"),
        ("bc <<< 'define f(n){return f(n+1)}; ", "", "f(1)", "", "'"),
        ("date -d '", "+1 day ", "", "", "'"),
        ("date '+", "%1000000000000Y", "", "", "'"),
        ("search '", "(", "x", ")", "'"),
        ("search '", "-", "x", "", "'"),
        ("search '", "not ", "x", "", "'"),
        ("search 'in:", "{a,", "x", "}", "'"),
        ("search 'in:", "[", "x", "]", "'"),
        ("recall '", "(", "x", ")", "'"),
        ("mkdir -p ", "a/", "b", "", ""),
        ("cat ", "../", "b", "", ""),
        ("cat ", "a/", "b", "", ""),
        ("ls /in/", "*/", "", "", ""),
        ("ls /in/", "**/", "x", "", ""),
        ("xargs echo <<< '", "\"", "x", "\"", "'"),
        ("yq . <<< '", "[", "1", "]", "'"),
        ("yq '", "(", ".", ")", "' <<< 1"),
        ("csv '", "(", ".", ")", "' <<< 1"),
        ("template <<< '", "{{#if x}}", ".", "{{/if}}", "'"),
        ("template <<< '", "{{", "x", "}}", "'"),
        ("make -f - <<< 'a: ; ", "$(", "x", ")", "'"),
        ("numfmt --format='%", "9", "f", "", "' 1"),
        ("printf '%", "9", "d", "", "' 1"),
        ("trap '", "echo \"", "x", "\"", "' EXIT"),
        ("PS4='", "$(echo ", "x", ")", "'; set -x; echo 1; set +x"),
        ("unset x; declare -n x=x; echo ", "${x}", "", "", ""),
        ("alias a='", "a ", "", "", "'; shopt -s expand_aliases; a"),
    ] {
        let middles = nested(open, inner, close);
        scripts.extend(middles.iter().map(|middle| format!("{before}{middle}{after}")));
    }
    for script in [
        "truncate -s 1P /new; cat /new; wc -c /new; rm /new",
        "truncate -s 10G /new; cat /new | wc -c; grep x /new; sort /new; cp /new /other; rm /new",
        "truncate -s 10G /new; diff /new /in/text; cmp /new /in/text; tac /new; md5sum /new",
        "truncate -s 10G /new; while read -r x; do :; done < /new; x=$(</new); mapfile a < /new",
        "truncate -s 10G /new; . /new; bash /new; awk 1 /new; sed -n p /new; jq . /new",
        "truncate -s 10G /new; echo >> /new; tail -1 /new; head -1 /new; patch < /new",
        "truncate -s 10G /new; gzip /new; tar cf /x.tar /new; base64 /new; split /new; rm /new",
        "fallocate -l 10G /new",
        "dd if=/dev/zero of=/new bs=10G count=10; dd if=/dev/zero of=/new bs=1 seek=10G count=1",
        "dd if=/in/text of=/new bs=1000000000000 count=1; dd ibs=1P if=/in/text",
        "xxd -c 1000000000000 /in/text; xxd -l 1000000000000 /dev/zero; xxd -s 1P /in/text",
        "xxd -r <<< '7fffffffffff: 41'; od -w1000000000000 /in/text; hexdump -n 1P /dev/zero",
        "seq -f '%1000000000000f' 3; seq -f '%.1000000000000f' 3; seq -w 1 1e300; seq 1e300",
        "seq 1 0.000000000000000000000000000001 2; seq -s \"$long\" 100000",
        "printf '%1000000000000d' 1; printf '%.1000000000000d' 1; printf '%*d' 1000000000000 1",
        "printf '%.*f' 1000000000000 1; printf '%1000000000000s'; printf -v x '%1000000000000d' 1",
        "awk 'BEGIN{printf \"%1000000000000d\", 1}'; awk 'BEGIN{printf \"%*d\", 1e12, 1}'",
        "awk 'BEGIN{x=\"x\"; while(1) x=x x}'; awk 'BEGIN{$1000000000000=1}'; awk 'BEGIN{NF=1e12}'",
        "awk 'function f(n){return f(n+1)} BEGIN{f(1)}'",
        "awk 'BEGIN{s=sprintf(\"%100000s\",\"\"); while(1) {gsub(/ /,\"xxxxxxxxxx\",s)}}'",
        "jq -n '[limit(1e9;repeat(1))]'; jq -n '\"x\"*1e12'; jq -n '[range(1e12)]'",
        "jq -n 'reduce range(1e9) as $i (\"x\"; .+.)'; jq -n '.[1000000000000]=1'; jq -n 'def f: f; f'",
        "jq -n 'def f: 1+f; f'; jq -n '[.[]?]|implode'; jq -n '\"x\"|.*1000000000'; jq --indent 1000000 . /in/data.json",
        "x=x; while :; do x=$x$x; done",
        "a=(x); while :; do a+=(\"${a[@]}\"); done",
        "declare -A a; i=0; while :; do a[$i]=xxxxxxxxxxxxxxxxxxxx; i=$((i+1)); done",
        "a[1000000000000000]=1; echo ${#a[@]} ${a[@]: -1}; a=([1000000000000]=1); echo \"${a[@]:0:1000000000000}\"",
        "echo {1..1000000000000}; echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "printf %s {1..10000000}; echo {1..10}{1..10}{1..10}{1..10}{1..10}{1..10}{1..10}{1..10}{1..10}",
        "cat /dev/zero | wc -c",
        "cat /dev/zero | sort",
        "cat /dev/zero | tac; cat /dev/urandom | base64 | md5sum",
        "cat /dev/zero | tr '\\0' x | cat > /new",
        "cat /dev/zero | grep x; cat /dev/zero | awk 1; cat /dev/zero | sed p",
        "x=$(cat /dev/zero); echo ${#x}",
        "read -r x < /dev/zero; mapfile x < /dev/zero; cat <<< $(cat /dev/zero)",
        "yes | sort; yes | tac; yes | wc -l; yes | awk '{x=x $0}'",
        "head -c 100G /dev/zero; head -c 100G /dev/zero | wc -c; tail -c 100G /dev/zero",
        "head -c 100G /dev/zero > /new; tee /new < /dev/zero; cp /dev/zero /new; cat < /dev/zero > /new",
        "cat \"$long\"; ls \"$long\"; mkdir \"$long\"; cd \"$long\"; export \"$long=1\"; $long",
        "echo \"$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long\" | tr a b | fold -w 1 | sort | uniq -c",
        "read -n 1000000000000 x < /in/text; read -N 1000000000000 x < /in/text; mapfile -n 1000000000000 -O 1000000000000 x < /in/text",
        "sleep 1000000000000000; timeout 1000000000000000 echo; ulimit -s 1000000000000",
        "echo $((10**1000000000000)) $((1<<1000000000000)) $((9223372036854775807+1)) $((-9223372036854775808/-1)) $((-9223372036854775808%-1))",
        "x=abc; echo ${x:0:1000000000000000} ${x:1000000000000000} ${x: -1000000000000000}; echo ${x@Q}",
        "sort --buffer-size=1P -S 1P --parallel=1000000000000 /in/text; split -b 1P /in/text; split -n 1000000000000 /in/text; split -l 1 -a 1000000000000 /in/text",
        "fold -w 1000000000000000 /in/text; fmt -w 1000000000000 /in/text; pr -l 1000000000000 /in/text; nl -w 1000000000000 /in/text; column -c 1000000000000 /in/text; expand -t 1000000000000 /in/text",
        "bc <<< 'scale=1000000000; 1/3'; bc <<< '2^1000000000000'; bc <<< 'obase=1000000000000; 2^1000'; bc <<< '10^100000'; bc -l <<< 'scale=100000; 4*a(1)'",
        "bc <<< 'a[1000000000000]=1'; bc <<< 'x=1; while(1) x=x*x+x'; bc <<< 'ibase=1000000000000; 1'",
        "date -d '+1000000000000000 years'; date -d @1000000000000000; date -d '1000000000000000 days ago'; cal 1000000000000",
        "find /in -maxdepth 1000000000000000 -size +1000000000000000G -mtime +1000000000000000 -newermt '1000000000000000 years ago' -printf '%1000000000000p'",
        "find /in -printf '%1000000000000s%-1000000000000f%.1000000000000d'; stat -c '%1000000000000s' /in/text; stat --printf='%-1000000000000n' /in/text; ls -T 1000000000000 -w 1000000000000 /in; du --max-depth=1000000000000 -B 1000000000000 /in",
        "tree -L 1000000000000 --filelimit 1000000000000 /in; diff -U 1000000000000 /in/text /in/data.json; diff -y -W 1000000000000 /in/text /in/data.json; diff -C 1000000000000 /in/text /in/data.json; grep -A 1000000000000000 -B 1000000000000000 -C 1000000000000000 a /in/text; grep -m 1000000000000000 a /in/text; rg -M 1000000000000 -A 1000000000000000 a /in/text",
        "recall -t 1000000000000000 x; search -n 1000000000000000 x; remember --importance 1e300 x; remember --ttl 1000000000000000d x; homefs log -n 1000000000000000 /in/text; homefs trash 1000000000000000",
        "xargs -n 1000000000000000 -P 1000000000000000 -s 1000000000000000 echo < /in/text; seq 1000000 | xargs -n 1 echo > /dev/null",
        "history -n 1000000000000; fc -l 1000000000000; printf '%s' \"${!x*}\"; pushd +1000000000000; dirs +1000000000000; wait 1000000000000; kill -1000000000000 1; exit 1000000000000000",
        "command jq -n \"$round\"; builtin jq -n \"$round\"; env jq -n \"$round\"",
        "timeout 1 jq -n \"$round\"",
        "busybox jq -n \"$round\"",
        "xargs -0 jq -n < /in/round",
        "find /in/text -exec jq -n \"$round\" \\;",
        "cd /in; ./round; . ./round; jq -n -f ../in/round",
        "jq --from-file=/in/round; jq -nf /in/round",
        "jq -nrf /in/round",
        "jq -n \"include \\\"round\\\"; 1\"; cp /in/round /in/round.jq; jq -L /in -n 'include \"round\"; 1'",
        "yes time | head -1000000 > /in/times; chmod 755 /in/times; /in/times; . /in/times",
        "x=$(yes time | head -1000000); eval $x; eval \"$x\"; bash -c \"$x\"; echo \"$x\" | bash",
        "bash < /in/times; source /in/times; trap \"$(cat /in/times)\" EXIT; PS4=\"\\$($x)\"",
        "f() { f; }; f",
        "f() { f | f; }; f",
        "f() { x=$(f); }; f",
        "f() { (f); }; f",
        "f() { eval f; }; f",
        "f() { bash -c \"$(declare -f f); f\"; }; f",
        "f() { . /in/self; }; echo 'f' > /in/self; f",
        "trap 'f' DEBUG; f() { :; }; :",
        "x='y[$x]' y='x[$y]'; echo $((x)) $((y))",
        "x='$(echo $x)'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do x=\"$x$x\"; done; eval \"echo $x\"",
        "find /in -exec find /in -exec echo {} \\; \\; ; xargs xargs xargs xargs echo < /in/text",
        "ln -s loop loop; cat loop; ls -L loop; find -L . ; ln -s . dot; find -L / -name x; ls dot/dot/dot; grep -R x dot; tree -l",
        "gzip -c /in/long | gzip -dc | gzip -c > /in/z.gz; head -c 60M /dev/zero | gzip > /in/b.gz; zcat /in/b.gz | wc -c; tar -xf /in/b.gz",
        "base64 -w 1000000000000 /in/text; base64 -d /in/long; iconv -f utf-8 -t utf-16 /in/long | wc -c; rev /in/long | wc -c; paste -d \"$long\" /in/text /in/text; join /in/long /in/long; comm /in/long /in/long | wc -c; tr -c '\\0-\\377' \"$long\" < /in/text",
        "sort -k 1000000000000,1000000000000 /in/text; cut -c 1-1000000000000000 /in/text; cut -f 1000000000000000- /in/text; uniq -w 1000000000000 -f 1000000000000 /in/text; head -n 1000000000000000 /in/text; tail -n +1000000000000000 /in/text; head -n -1000000000000000 /in/text; shuf -n 1000000000000 /in/text; shuf -i 1-1000000000000; shuf -r -n 1000000000000 /in/text",
        "mktemp XXXXXXXXXXXXXXXXXXXXXXXXX$long; touch -d '1000000000000000 days' /in/t; chmod 777777777777777777 /in/text; mkdir -m 777777777777 d; openssl rand 1000000000000; od -N 1000000000000 /dev/zero; strings -n 1000000000000 /in/text; numfmt --padding=1000000000000 1; numfmt --to=iec 1e300; factor 1000000000000000000000000000000; split -C 1P /in/text",
    ] {
        scripts.push(script.to_owned());
    }
    scripts
}
