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

/// How much address space a child has, with its stacks and the store's own.
const ADDRESS_BYTES: u64 = 2 << 30;

/// How deep, how long and how many.
const DEEP: usize = 100_000;
const LONG: usize = 1 << 20;
const MANY: &str = "1000000000000000";

/// In how many parts the commands are tried.
const PARTS: usize = 6;

/// The part in which the language itself is tried.
const LANGUAGE: usize = PARTS;

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
        ("long", "a".repeat(LONG)),
    ]
}

/// Puts what is in the files into variables, and the signs that nest into words of their own.
const PREPARE: &str = "cd /in; for f in *; do [ \"$f\" = text ] || declare \"${f%.*}=$(cat $f)\"; done; \
    rounds=${round//(/( }; bangs=${minus//-/! }; minuses=${minus//-/- }";

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
    let nested = |open: &str, inner: &str, close: &str| {
        [100, 1000, DEEP].map(|depth| open.repeat(depth) + inner + &close.repeat(depth))
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
        ("[[ x == ", "+(", "x", ")", " ]]"),
        ("[[ x == ", "[", "x", "]", " ]]"),
        ("shopt -s extglob; echo ", "@(", "x", ")", ""),
        ("shopt -s extglob; x=xx; echo ${x//", "+(", "x", ")", "/y}"),
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
        "jq -n 'reduce range(100000) as $i (1; [.])'; jq -n 'reduce range(1000000) as $i (1; [.])|tojson'",
        "jq -n 'reduce range(100000) as $i (1; {a:.})|tostring|fromjson'; jq -n '[splits(\"\")]'",
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
    let Ok(part) = env::var(PART) else { return };
    let part: usize = part.parse().expect("a number");
    let skip: usize = env::var(SKIP).expect("a number").parse().expect("a number");
    let few = Rlimit { current: Some(ADDRESS_BYTES), maximum: Some(ADDRESS_BYTES) };
    setrlimit(Resource::As, few).expect("a limit can be lowered");
    let mut prey = Prey::new();
    let scripts = if part == LANGUAGE { language() } else { prey.command_lines(part) };
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
    shell: Shell,
    files: Vec<(&'static str, String)>,
}

impl Prey {
    fn new() -> Self {
        let home = Home::new();
        let shell = Shell::new(home.view.clone(), &Arc::new(Workers::default()));
        Self { home, shell, files: files() }
    }

    /// Returns the command lines of one part.
    fn command_lines(&mut self, part: usize) -> Vec<String> {
        self.prepare();
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

    /// Makes the files that are not there, and the variables.
    fn prepare(&mut self) {
        let options = WriteOptions { parents: true, ..WriteOptions::default() };
        for (name, content) in &self.files {
            let path = Path::parse(&format!("/in/{name}")).expect("a path");
            if self.home.view.stat(&path).is_err() {
                let written = self.home.view.write(&path, content.as_bytes(), &options);
                written.expect("written");
            }
        }
        if self.print("echo ${#round}") != format!("{}\n", 2 * DEEP + 1) {
            let limits = Limits { time: Duration::from_secs(20), ..limits() };
            let output = self.shell.run(PREPARE, &limits).expect("it runs");
            assert_eq!(output.status, 0, "{}", String::from_utf8_lossy(&output.stderr));
        }
    }

    /// Runs a script, and then one that must work.
    fn try_one(&mut self, script: &str) -> Result<(), String> {
        self.prepare();
        let ran = self.shell.run(script, &limits()).map(drop);
        let next = self.shell.run("echo ok", &limits());
        ran.map_err(|error| error.to_string())?;
        let next = next.map_err(|error| format!("and then {error}"))?;
        if next.stdout == b"ok\n" { Ok(()) } else { Err(format!("and then {next:?}")) }
    }
}

/// Lets children try the cases of a part; one that ends is followed by another.
fn hunt(part: usize) {
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

/// A test for each part, so that none is long.
macro_rules! parts {
    ($($name:ident $part:literal)*) => {$(
        #[test]
        fn $name() {
            hunt($part);
        }
    )*};
}

parts! {
    no_command_line_ends_the_process_0 0
    no_command_line_ends_the_process_1 1
    no_command_line_ends_the_process_2 2
    no_command_line_ends_the_process_3 3
    no_command_line_ends_the_process_4 4
    no_command_line_ends_the_process_5 5
    no_script_ends_the_process 6
}
