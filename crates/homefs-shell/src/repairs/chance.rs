//! Scripts of chance: whatever a text is, looking at it comes to an end, and what is written in its
//! place means the same to bash.

use std::process::{Command, Stdio};

use homefs_testkit::{program, say_skipped};
use proptest::prelude::*;
use proptest::sample::select;

use super::{Repaired, repaired};

/// What a shell's text is made of, and what only looks like it.
const SIGNS: &[&str] = &[
    " ", "\n", "\t", "\\\n", "\\", ";", ";;", ";&", "&", "&&", "|", "||", "(", ")", "((", "))",
    "{", "}", "[[", "]]", "<", ">", ">>", "<<", "<<-", "<<<", ">(", "<(", "<&3", ">&2", "&>", "$",
    "$(", "$((", "${", "#", "%", "'", "\"", "`", "!", "@(", "=", "+=", "x=", "h[k]=", "\u{a0}",
    "\u{3000}", "\u{85}", "\u{b}", "\r", "é", "日", "a", "E", "1", "2", "if", "then", "fi", "case",
    "in", "esac", "while", "do", "done", "function", "f()", "read", "local", "exec", "kill", "$$",
    "-L", "-nt", ",", "./a", "time",
];

/// Runs before each script.
const BEFORE: &str = "set -- 'a  b' c; printf 'one\\ntwo\\n' > f; x='a  b'; pass() { local l; while IFS= read -r l; \
                      do echo \"$l\"; done; }\n";

/// Tells what each script left.
const AFTER: &str = "\necho \"status $?\"; for n in a b; do if [ -e $n ]; then echo \"$n:\"; \
                     printf '%s\\n' \"$(<$n)\"; fi; done; printf '<%s>' \"$x\" \"$y\" \
                     \"${h[@]}\"; echo end";

fn word() -> impl Strategy<Value = String> {
    let words = [
        "a",
        "é",
        "a\u{3000}b",
        "done",
        "esac",
        "}",
        "read",
        "{",
        "\"$x\"",
        "$x",
        "\"$@\"",
        "'a > b > c'",
        "\"[[ -L f ]]\"",
        "a\\ b",
        "a\\\nb",
        "`echo a`",
        "$(echo é)",
        "\"$(echo \"$x\")\"",
        "${x%b}",
        "\"${x%'\"'}\"",
        "\"${x:-'}'}\"",
        "\"${x/'a'/\"b\"}\"",
        "$((1 + 1))",
        "x#y",
        "2",
        "\\\"",
        "$'\\''",
        "@(f|g)",
        "\"`echo \\\"$x\\\"`\"",
    ];
    select(words.to_vec()).prop_map(str::to_owned).boxed()
}

fn redirections() -> impl Strategy<Value = String> {
    let all = [
        "",
        "",
        " > a",
        " > a > b",
        ">a>b",
        " >> a 2> b",
        " > a 2>&1 > b",
        " &> a > b",
        " 1> a >| b",
        " > 'a' 2> /dev/null > b",
        " 2> a > b",
        " > a \\\n > b",
        " >&2 > b",
    ];
    select(all.to_vec()).prop_map(str::to_owned).boxed()
}

fn condition() -> impl Strategy<Value = String> {
    let all = [
        "-L f",
        "! -L f",
        "-x $x",
        "-e f && \\\n -L f",
        "( -L f || -f f )",
        "f -nt none",
        "\"$x\" == a*",
        "$x =~ ^(a|b)\\ ",
        "-d $y",
        "-f \"$y\"",
        "\"-L\" == -L",
        "$x == @(a|-L) || -L f",
    ];
    select(all.to_vec()).prop_map(str::to_owned).boxed()
}

/// Makes single commands.
fn simple() -> impl Strategy<Value = String> {
    prop_oneof![
        (word(), word(), redirections()).prop_map(|(a, b, to)| format!("echo {a} {b}{to}")),
        (word(), redirections()).prop_map(|(a, to)| format!("echo {a}{to} é")),
        word().prop_map(|a| format!("> a echo {a} > b")),
        word().prop_map(|a| format!("x={a}")),
        word().prop_map(|a| format!("declare y={a}/$x\"`echo {{`\"")),
        Just("x+=\"`echo \\\"a b\\\" # c`\"".to_owned()),
        Just("x+=`(echo a; echo b)`".to_owned()),
        (word(), word()).prop_map(|(a, b)| format!("h=({a} {b} case done)")),
        word().prop_map(|a| format!("h[1]=\"a,$(echo {a})\"")),
        condition().prop_map(|asked| format!("[[ {asked} ]]")),
        Just("(( $(echo \"1 > 2\" | pass | { read -r a b; echo $a; }) ))".to_owned()),
        Just("{ read -r x <&3; } 3< f".to_owned()),
        Just("pass << E > a > b\n$x > a > b [[ -L f ]]\nE\n:".to_owned()),
        Just("./f 2> /dev/null".to_owned()),
    ]
}

/// Makes commands of commands.
fn script() -> impl Strategy<Value = String> {
    let list = |inner: BoxedStrategy<String>| {
        let joint = select(vec!["; ", "\n", " && ", " || ", " && \\\n ", " | pass; "]);
        (inner.clone(), joint, inner).prop_map(|(a, joint, b)| format!("{a}{joint}{b}")).boxed()
    };
    simple().boxed().prop_recursive(4, 24, 4, move |inner| {
        let lists = list(inner.clone());
        let to = || redirections();
        prop_oneof![
            lists.clone(),
            (lists.clone(), to()).prop_map(|(a, to)| format!("{{ {a}; }}{to}")),
            (lists.clone(), to()).prop_map(|(a, to)| format!("( {a}){to}")),
            (condition(), lists.clone(), to())
                .prop_map(|(asked, a, to)| format!("if [[ {asked} ]]; then {a}; else :; fi{to}")),
            (word(), lists.clone(), to())
                .prop_map(|(a, b, to)| format!("for i in {a} done; do {b}; done{to}")),
            (lists.clone(), to())
                .prop_map(|(a, to)| format!("while read -r l <&3; do {a}; done 3< f{to}")),
            (word(), lists.clone(), to()).prop_map(|(a, b, to)| format!(
                "case {a} in read|{{) : ;; (done | $x) {b} ;; *) {b}\n;;\nesac{to}"
            )),
            (lists.clone(), to()).prop_map(|(a, to)| format!("{{ g() {{ {a}; }}{to}; g; }}")),
            lists.clone().prop_map(|a| format!("{{ function g {{ {a}; }}; g > a > b; }}")),
            (lists.clone(), to()).prop_map(|(a, to)| format!("x=\"$( {a})\"{to}")),
            lists.prop_map(|a| format!("! {{ {a}; }} 2> /dev/null")),
        ]
    })
}

/// Runs a script by bash in a directory of its own.
fn in_bash(bash: &std::path::Path, script: &str) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    let ran = Command::new(bash)
        .args(["-O", "extglob", "-c", &format!("{BEFORE}{script}{AFTER}")])
        .env_clear()
        .env("PATH", "")
        .env("LC_ALL", "C.UTF-8")
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn looking_at_a_text_comes_to_an_end(
        signs in prop::collection::vec(select(SIGNS), 0..60),
        whole in any::<bool>(),
    ) {
        let text = signs.concat();
        if let Repaired::Anew(anew) = repaired(&text, whole) {
            // What follows stays on its line.
            let lines = |text: &str| text.matches('\n').count();
            let may_grow = text.contains('`') || text.contains("[[");
            prop_assert!(lines(&anew) == lines(&text) || may_grow, "{anew}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_anew_means_the_same_to_bash(script in script()) {
        let Some(bash) = program("bash") else {
            say_skipped("there is no bash");
            return Ok(());
        };
        if let Repaired::Anew(anew) = repaired(&script, true) {
            let told = in_bash(&bash, &script);
            prop_assert!(told.ends_with("end\n"), "no script of bash:\n{script}");
            prop_assert_eq!(told, in_bash(&bash, &anew), "{}\nwritten anew:\n{}", script, anew);
        }
    }
}
