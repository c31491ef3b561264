//! The abort hunt: no command line and no script ends the process.
//!
//! A stack that overflows and memory that cannot be had are no panics: they end the process, which
//! may be the owner of everybody's mount. So a child with little address space gives every command
//! of the shell what nests deep, is long or asks for much. It says what it tries before it does.

use std::io::{BufRead as _, BufReader, Seek as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{env, io};

use homefs_core::Path;
use homefs_engine::WriteOptions;
use homefs_shell::{Limits, Shell, Workers};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::common::Home;

/// Names the part of the hunt that a child is to do, and how many cases it leaves out.
const PART: &str = "HOMEFS_HUNT_PART";
const SKIP: &str = "HOMEFS_HUNT_SKIP";

/// The part in which memory is measured.
const MEASURES: &str = "memory";

/// How much address space a child has, with its stacks and the store's own.
const ADDRESS_BYTES: u64 = 2 << 30;

/// How deep, how long and how many.
const DEEP: usize = 100_000;
const LONG: usize = 1 << 20;
const MANY: &str = "1000000000000000";

/// How many words that nest are put one after another.
const WORDS: usize = 20_000;

/// In how many parts the hunt goes, so that no test is long.
const PARTS: usize = 8;

fn limits() -> Limits {
    Limits {
        time: Duration::from_millis(300),
        commands: 1_000_000,
        output_bytes: 64 << 10,
        memory_bytes: 64 << 20,
    }
}

fn is_extended() -> bool {
    env::var("HOMEFS_EXTENDED").is_ok_and(|value| value == "1")
}

/// What is in the directory in which commands are tried: short texts, and what nests deep.
fn files() -> Vec<(&'static str, String)> {
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

/// Returns the command lines with which a command is tried.
fn cases(name: &str, options: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |line: String| lines.push(format!("cd /in; {name} {line}"));
    let deep = ["round", "square", "curly", "object", "angle", "minus", "group", "long"];
    for word in deep {
        add(format!("\"${word}\" text < text"));
        add(format!("-e \"${word}\" text"));
        add(format!("text \"${word}\""));
        add(format!(". {word} < {word}"));
        add(format!("-f {word} text"));
    }
    add("blocks < blocks".into());
    add("$rounds < text".into());
    add("text $rounds < text".into());
    add("$bangs < text".into());
    add("$minuses < text".into());
    for format in [format!("%{MANY}d"), format!("%.{MANY}f"), format!("%{MANY}s")] {
        add(format!("{format} 1 < text"));
        add(format!("-f {format} 1 2"));
        add(format!("text -printf {format}"));
    }
    for number in [MANY, "1P", "9223372036854775807", "-9223372036854775808", "1e300"] {
        add(format!("{number} < text"));
        add(format!("1 {number} < text"));
        add(format!("{number} text"));
        add(format!("-{number} text"));
        add(format!("+{number} text"));
    }
    for letter in ('a'..='z').chain('A'..='Z') {
        add(format!("-{letter} {MANY} text < text"));
        add(format!("-{letter}{MANY} text < text"));
        if is_extended() {
            add(format!("-{letter} 1P new < text"));
            add(format!("-{letter} \"$round\" text < text"));
            add(format!("-{letter} \"$curly\" text < text"));
            add(format!("-{letter} \"$long\" text < text"));
            add(format!("-{letter} %{MANY}f text < text"));
        }
    }
    for option in options {
        add(format!("{option}={MANY} text < text"));
        add(format!("{option} {MANY} text < text"));
        add(format!("{option}=\"$round\" text < text"));
        add(format!("{option}=\"$curly\" text < text"));
    }
    lines
}

/// Scripts in which the language itself nests, repeats or asks for much, and commands that have
/// languages of their own.
fn language() -> Vec<String> {
    let depths = if is_extended() { &[100, 1000, 10_000, DEEP][..] } else { &[1000, DEEP] };
    let nested = |open: &str, inner: &str, close: &str| {
        depths
            .iter()
            .map(|&depth| open.repeat(depth) + inner + &close.repeat(depth))
            .collect::<Vec<_>>()
    };
    let mut scripts = Vec::new();
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
        "awk 'BEGIN{while(1) a[i++]=i}'; awk 'function f(n){return f(n+1)} BEGIN{f(1)}'",
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
        "yes time | head -1000000 > /in/times; . /in/times",
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

/// What a child does: tries its cases, and says each before it is tried.
#[test]
fn child() {
    let Some(part) = env::var(PART).ok().and_then(|part| part.parse().ok()) else { return };
    let skip: usize = env::var(SKIP).expect("a number").parse().expect("a number");
    let few = Rlimit { current: Some(ADDRESS_BYTES), maximum: Some(ADDRESS_BYTES) };
    setrlimit(Resource::As, few).expect("a limit can be lowered");
    let mut prey = Prey::new();
    let mut scripts = prey.command_lines(part);
    scripts.extend(language().into_iter().skip(part).step_by(PARTS));
    for (index, script) in scripts.iter().enumerate().skip(skip) {
        say(&format!("try {index} {}", shortened(script)));
        match prey.try_one(script) {
            Ok(()) => say("ok"),
            Err(why) => say(&format!("bad {why}")),
        }
    }
    say("end");
}

fn say(line: &str) {
    writeln!(io::stdout(), "\n#{line}").expect("the parent listens");
}

fn shortened(script: &str) -> String {
    let mut text = format!("{script:?}");
    if text.len() > 200 {
        let keep = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text = format!("{} … {}", &text[..keep(100)], &text[keep(text.len() - 60)..]);
    }
    text
}

/// A shell that is hunted.
struct Prey {
    home: Home,
    workers: Arc<Workers>,
    shell: Shell,
    files: Vec<(&'static str, String)>,
}

impl Prey {
    fn new() -> Self {
        let home = Home::new();
        let workers = Arc::new(Workers::default());
        let shell = Shell::new(home.view.clone(), &workers);
        Self { home, workers, shell, files: files() }
    }

    /// Returns the command lines of one part.
    fn command_lines(&mut self, part: usize) -> Vec<String> {
        self.prepare().expect("it works");
        let names = self.print("compgen -c");
        let mut names: Vec<&str> = names.lines().filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        assert!(names.len() > 100, "the shell says what it has: {names:?}");
        let mut lines = Vec::new();
        for name in names.iter().skip(part).step_by(PARTS) {
            let help = self.print(&format!("{name} --help < /dev/null 2>&1"));
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
            let words = help.split(|letter: char| !is_part(letter));
            let mut options: Vec<String> = words
                .filter(|word| word.starts_with("--") && word.len() > 3)
                .map(Into::into)
                .collect();
            options.sort_unstable();
            options.dedup();
            lines.extend(cases(name, &options));
        }
        lines
    }

    fn print(&mut self, script: &str) -> String {
        let output = self.shell.run(script, &limits()).expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Makes the files that are not there, and the variables that hold what is in them.
    fn prepare(&mut self) -> Result<(), String> {
        let path = |name: &str| Path::parse(&format!("/in/{name}")).expect("a path");
        let options = WriteOptions { parents: true, ..WriteOptions::default() };
        let limits = Limits { time: Duration::from_secs(20), ..limits() };
        for is_anew in [false, true] {
            for (name, content) in &self.files {
                if is_anew || self.home.view.stat(&path(name)).is_err() {
                    let written = self.home.view.write(&path(name), content.as_bytes(), &options);
                    written.map_err(|error| error.to_string())?;
                }
            }
            if is_anew {
                // A script may have set an option, or made something, that is in the way.
                self.shell = Shell::new(self.home.view.clone(), &self.workers);
                for (name, _) in &self.files[2..] {
                    let script = format!("{name}=$(cat /in/{name})");
                    self.shell.run(&script, &limits).map_err(|error| error.to_string())?;
                }
            }
            let told = self.shell.run("echo ${#round}", &limits);
            let told = told.map_err(|error| error.to_string())?;
            if told.stdout == format!("{}\n", 2 * DEEP + 1).as_bytes() {
                return Ok(());
            }
            // What is in the place of a file is of no use.
            let place = Path::parse("/in").expect("a path");
            drop(self.home.view.remove(&place, true));
        }
        Err("the session does not keep its variables".into())
    }

    /// Runs a script, and then one that must work.
    fn try_one(&mut self, script: &str) -> Result<(), String> {
        // Scripts that do not look at the time are given up, which is no end of the process.
        if self.workers.abandoned_scripts() > 0 {
            self.workers = Arc::default();
            self.shell = Shell::new(self.home.view.clone(), &self.workers);
        }
        self.prepare()?;
        let ran = self.shell.run(script, &limits()).map(drop);
        let next = self.shell.run("echo ok", &limits());
        ran.map_err(|error| error.to_string())?;
        let next = next.map_err(|error| format!("and then {error}"))?;
        if next.stdout == b"ok\n" { Ok(()) } else { Err(format!("and then {next:?}")) }
    }
}

/// Lets children try the cases of a part; one that ends is followed by another.
fn nothing_ends_the_process(part: usize) {
    let mut found = Vec::new();
    let (mut skip, mut ended) = (0, false);
    while !ended {
        let mut stderr = tempfile::tempfile().expect("a file");
        let mut child = Command::new(env::current_exe().expect("it has a path"))
            .args(["--exact", "aborts::child", "--nocapture"])
            .env(PART, part.to_string())
            .env(SKIP, skip.to_string())
            .stdout(Stdio::piped())
            .stderr(stderr.try_clone().expect("another"))
            .spawn()
            .expect("it starts");
        let mut tried = String::new();
        for line in BufReader::new(child.stdout.take().expect("piped")).lines() {
            let line = line.expect("text");
            if let Some(case) = line.strip_prefix("#try ") {
                let (index, script) = case.split_once(' ').expect("a number and a script");
                skip = index.parse::<usize>().expect("a number") + 1;
                script.clone_into(&mut tried);
            } else if let Some(why) = line.strip_prefix("#bad ") {
                found.push(format!("{tried}: {why}"));
            }
            ended |= line == "#end";
        }
        let status = child.wait().expect("it ended");
        if !ended {
            stderr.rewind().expect("it is a file");
            let said = io::read_to_string(stderr).unwrap_or_default();
            let last =
                said.lines().rfind(|line| line.contains("memory") || line.contains("overflow"));
            found.push(format!("{tried}: {status}: {}", last.unwrap_or(&said)));
            assert!(found.len() < 2000 && !tried.is_empty(), "{found:#?}");
        }
    }
    assert!(found.is_empty(), "{} cases:\n{}", found.len(), found.join("\n"));
}

/// Scripts that want to hold more than they may, and the statuses with which they may end.
const GREEDY: &[(&str, &[i32])] = &[
    ("cat /dev/zero | wc -c", &[137]),
    ("cat /dev/zero | sort", &[137]),
    ("cat /dev/zero | tac", &[124, 137]),
    ("cat /dev/zero | grep x", &[124, 137]),
    ("cat /dev/zero | tail -c 5", &[137]),
    ("cat /dev/zero | awk 1", &[137]),
    ("cat /dev/zero > /new", &[124, 137]),
    ("x=$(cat /dev/zero); echo ${#x}", &[137]),
    ("cat <<< $(cat /dev/zero)", &[137]),
    ("head -c 100G /dev/zero | wc -c", &[137]),
    ("head -c 100G /dev/zero > /new", &[124, 137]),
    ("while :; do echo y; done | sort", &[124, 137]),
    ("x=x; while :; do x=$x$x; done", &[1, 137]),
    ("a=(x); while :; do a+=(\"${a[@]}\"); done", &[1, 124, 137]),
    ("printf %s {1..10000000}", &[0, 1, 137]),
    ("seq 100000000 | sort", &[137]),
    ("seq 100000000 | tac", &[124, 137]),
    ("seq 100000000 | tac & wait", &[124, 137]),
    ("x=$(seq 100000); while :; do echo \"$x\"; done | sort", &[124, 137]),
    ("x=$(seq 100000000)", &[137]),
    ("truncate -s 10G /new", &[1]),
    ("truncate -s 15M /a; cat /a /a /a /a | wc -c", &[137]),
    ("truncate -s 7M /b; cmp -l /b <(tr '\\0' x < /b) | wc -l", &[0, 1, 124, 137]),
    ("jq -n '[range(1e9)]'", &[5, 124, 137]),
    ("awk 'BEGIN{while(1) a[i++]=i}'", &[1, 2, 124, 137]),
    ("bc <<< 'while(1) a[i++]=i'", &[124, 137]),
    ("seq 100000 | xargs -I{} echo \"$(seq 100000)\"", &[137]),
    ("find / -printf '%10000p%10000p%10000p%10000p\\n' > /dev/null", &[0, 124, 137]),
];

/// How much a script that is measured may hold.
const HELD_BYTES: usize = 16 << 20;

/// How much more than that the process may grow: what is on its way from one command to the next is
/// there twice for a moment, and pipes are looked at from outside, which is the last resort.
const SLACK_BYTES: usize = 3 * HELD_BYTES;

/// What a child does that measures: runs each script, and says how it ended and what it took.
#[test]
fn measuring_child() {
    if env::var(PART).as_deref() != Ok(MEASURES) {
        return;
    }
    let home = Home::new();
    for (script, _) in GREEDY {
        let before = resident("VmRSS");
        std::fs::write("/proc/self/clear_refs", "5").expect("the highest use is forgotten");
        let mut shell = Shell::new(home.view.clone(), &Arc::new(Workers::default()));
        let time = Duration::from_secs(2);
        let limits = Limits { time, memory_bytes: HELD_BYTES, ..limits() };
        let output = shell.run(script, &limits).expect("it runs");
        let taken = resident("VmHWM").saturating_sub(before);
        let why = String::from_utf8_lossy(&output.stderr);
        let why = why.lines().last().unwrap_or_default();
        say(&format!("took {taken} {} {why}", output.status));
    }
    say("end");
}

/// Returns a line of what the kernel knows of this process, in bytes.
fn resident(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("it is read");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("there is one");
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<usize>().expect("a number") << 10
}

#[test]
fn a_script_takes_no_more_memory_than_it_may() {
    let output = Command::new(env::current_exe().expect("it has a path"))
        .args(["--exact", "aborts::measuring_child", "--nocapture"])
        .env(PART, MEASURES)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let mut told = said.lines().filter_map(|line| line.strip_prefix("#took "));
    let mut wrong = Vec::new();
    for (script, statuses) in GREEDY {
        let line = told.next().unwrap_or("0 -1 the process ended");
        let mut parts = line.splitn(3, ' ');
        let mut number = || parts.next().and_then(|part| part.parse::<i64>().ok()).unwrap_or(-1);
        let (taken, status) = (number(), number());
        let most = i64::try_from(HELD_BYTES + SLACK_BYTES).expect("it fits");
        let is_told = status != 137 || line.contains("homefs: ");
        if taken > most || !is_told || !statuses.iter().any(|known| i64::from(*known) == status) {
            wrong.push(format!("{script}: {line}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A test for each part, so that none is long.
macro_rules! parts {
    ($($name:ident $part:literal)*) => {$(
        #[test]
        fn $name() {
            nothing_ends_the_process($part);
        }
    )*};
}

parts! {
    nothing_ends_the_process_0 0
    nothing_ends_the_process_1 1
    nothing_ends_the_process_2 2
    nothing_ends_the_process_3 3
    nothing_ends_the_process_4 4
    nothing_ends_the_process_5 5
    nothing_ends_the_process_6 6
    nothing_ends_the_process_7 7
}
