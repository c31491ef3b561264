//! Writes a script anew where the interpreter would get it wrong; the text stays on its lines.
//!
//! What only looks like a condition or a redirection is left alone, and so is what cannot be read:
//! then the interpreter finds its fault.

use super::reader::{DECLARING, Reader, TOO_LONG, quoted};
use super::{conditions, descriptors};

/// What became of a script.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Repaired {
    /// It can run as it is.
    Same,
    /// This has to run in its place.
    Anew(String),
    /// It would go wrong, and cannot be mended: why.
    Refused(String),
}

/// Looks at a script, or at a part of one that is run in its place.
pub(crate) fn repaired(script: &str, whole: bool) -> Repaired {
    if let Some(why) = descriptors::refusal(script) {
        return Repaired::Refused(why);
    }
    let conditions = conditions::is_concerned(script);
    let counts = script.contains("((") && script.contains("$(") && script.contains('"');
    let redirects = script.contains(">(");
    let declares =
        script.contains(['"', '`', '@']) && DECLARING.iter().any(|word| script.contains(word));
    let kills = script.contains("kill") && script.contains("$$");
    let elements = script.contains(',') && (script.contains("]=") || script.contains("]+="));
    let outputs = script.matches('>').nth(1).is_some();
    let backquotes = script.contains('=') && script.contains('`');
    let reads = script.contains("<&") && script.contains("read");
    let runs = script.contains('/');
    if !(conditions
        || counts
        || redirects
        || reads
        || runs
        || backquotes
        || declares
        || kills
        || outputs
        || elements)
    {
        return Repaired::Same;
    }
    let mut reader = Reader::new(script, whole);
    if reader.commands(None).is_none() {
        return Repaired::Same;
    }
    if let Some(why) = reader.refused {
        return Repaired::Refused(why.into());
    }
    let mut out = reader.out;
    for (start, redirections) in reader.groups.iter().rev() {
        let rest = quoted(&out.split_off(*start));
        if out.len() + rest.len() > reader.most {
            return Repaired::Refused(TOO_LONG.into());
        }
        out.extend(["eval ", &rest, redirections]);
    }
    if out == script { Repaired::Same } else { Repaired::Anew(out) }
}

#[cfg(test)]
mod tests {
    use super::super::reader::{NOT_KILLED, REFUSED, WITHOUT_DOCUMENT};
    use super::*;

    fn anew(script: &str) -> String {
        match repaired(script, true) {
            Repaired::Same => script.to_owned(),
            Repaired::Anew(text) => text,
            Repaired::Refused(why) => why,
        }
    }

    /// Returns what asks whether a file is a link.
    fn link(word: &str) -> String {
        format!("-n \"$(__homefs_a={word}; [ -L \"$__homefs_a\" ] && echo y)\"")
    }

    #[test]
    fn only_what_would_go_wrong_is_written_anew() {
        let newer = |a: &str, b: &str| {
            let given = format!("__homefs_a={a}; __homefs_b={b}");
            format!("-n \"$({given}; [ \"$__homefs_a\" -nt \"$__homefs_b\" ] && echo y)\"")
        };
        for (script, expected) in [
            ("[[ -L a ]] && x", format!("[[ {} ]] && x", link("a"))),
            ("[[ ! -L $f || -f b ]]", format!("[[ ! {} || -f b ]]", link("$f"))),
            (
                "[[ -f a && ( a -nt \"$f\" ) ]]",
                format!("[[ -f a && ( {} ) ]]", newer("a", "\"$f\"")),
            ),
            ("x=\"$([[ -L \"a b\" ]])\"", format!("x=\"$([[ {} ]])\"", link("\"a b\""))),
            ("function f { [[ -L a ]]; }", format!("function f {{ [[ {} ]]; }}", link("a"))),
            ("((x << 2))\n[[ -L a ]]", format!("((x << 2))\n[[ {} ]]", link("a"))),
            ("if x; then [[ -L a ]]; fi", format!("if x; then [[ {} ]]; fi", link("a"))),
            (
                "$(case x in a) [[ -L b ]];; esac)",
                format!("$(case x in a) [[ {} ]];; esac)", link("b")),
            ),
            (
                "if (( $(echo \"1 > 2\" | bc) )); then",
                "if [[ $(( $(echo \"1 > 2\" | bc) )) -ne 0 ]]; then".to_owned(),
            ),
            (
                "exec > >(tee a) 2>&1\necho 'x'",
                r"eval ':
echo '\''x'\''' > >(tee a) 2>&1"
                    .to_owned(),
            ),
            ("{ a; b; } > >(cat)", "eval '{ a; b; }' > >(cat)".to_owned()),
            ("if a; then (b) 2> >(c); fi", "if a; then eval '(b)' 2> >(c); fi".to_owned()),
            ("while a; do b; done < c > >(d)", "eval 'while a; do b; done' < c > >(d)".to_owned()),
            (
                "while read -r x <&3; do a; done 3< b",
                "while read -u 3 -r x ; do a; done 3< b".to_owned(),
            ),
            ("x+=\"`a \\`b\\``\"; y=`c`", "x+=\"$(a `b`)\"; y=$(c)".to_owned()),
            ("[[ -d $x || -f a/$x ]]", "[[ ( -n $x && -d $x ) || -f a/$x ]]".to_owned()),
            ("local p=\"$1\"/$x q=$y", "local p=\"$1\"/\"$x\" q=\"$y\"".to_owned()),
            ("a > b > c 2> d", "a  19> b > c 2> d".to_owned()),
            ("a &> b > c; d > e", "a  2> b > c; d > e".to_owned()),
            ("{ a; } 1>> b >> c", "{ a; }  19>> b >> c".to_owned()),
            ("local d=$(a $x \"$(b $y)\")", "local d=\"$(a $x \"$(b $y)\")\"".to_owned()),
            ("local p=${a%.*}/$(b \"$c\")", "local p=\"${a%.*}\"/\"$(b \"$c\")\"".to_owned()),
            ("local p=\"x\"${a:-'b c'}", "local p=\"x\"${a:-'b c'}".to_owned()),
            ("export x=\"`a`\"", "export x=\"$(a)\"".to_owned()),
            ("h[k]=\"a,$(b c,d)\" e", "h[k]=\"a\",\"$(b c,d)\" e".to_owned()),
            ("h[k]+='a,b'; x='c,d'", "h[k]+='a','b'; x='c,d'".to_owned()),
            ("(kill -9 $$)", NOT_KILLED.to_owned()),
            ("f() { a; } > >(b)", REFUSED.to_owned()),
            ("f() { exec > >(tee a); }", REFUSED.to_owned()),
        ] {
            assert_eq!(anew(script), expected, "{script}");
        }
    }

    #[test]
    fn what_is_written_anew_is_found_as_bash_finds_it() {
        for (script, expected) in [
            ("export x=\"`a \\\"b\\\" # c`\"", "export x=\"$(a \"b\" # c\n)\"".to_owned()),
            ("x+=`(a; b)`y", "x+=$( (a; b))y".to_owned()),
            ("x+=\"`[[ -L a ]]`\"", format!("x+=\"$([[ {} ]])\"", link("a"))),
            ("true && \\\n [[ -L a ]]", format!("true && \\\n [[ {} ]]", link("a"))),
            ("[[ -f b && \\\n -L a ]]", format!("[[ -f b && \\\n {} ]]", link("a"))),
            (
                "{ a | \\\n while read; do b; done > >(c); }",
                "{ a | \\\n eval 'while read; do b; done' > >(c); }".to_owned(),
            ),
            (
                "if [[ -L a ]] then { { b; } > >(c) }; fi",
                format!("if [[ {} ]] then {{ eval '{{ b; }}' > >(c) }}; fi", link("a")),
            ),
            ("{ é; } > >(cat) > d", "eval '{ é; }'  19> >(cat) > d".to_owned()),
            ("read x > a <&3 > b <&4", "read -u 3 -u 4 x  19> a  > b ".to_owned()),
            ("> a > b c > d", " 19> a  19> b c > d".to_owned()),
            ("> a read x > b <&3", " 19> a read -u 3 x > b ".to_owned()),
            ("a > b >&2", "a  19> b >&2".to_owned()),
            ("x=`a \"b\" # c`", "x=$(a \"b\" # c\n)".to_owned()),
            ("x=a y=\"`a \\\"$@\\\"`\"", "x=a y=\"$(a \"$@\")\"".to_owned()),
            (
                "local x=\"$@\" y=${a[@]}/`(b)`",
                "local x=\"$*\" y=\"${a[*]}\"/\"$( (b))\"".to_owned(),
            ),
            ("while < a read b <&3; do :; done", "while < a read -u 3 b ; do :; done".to_owned()),
            (
                "./a b; x=1 \"$d/a\" $(b)/c | ! ~/a",
                "command ./a b; x=1 command \"$d/a\" $(b)/c | ! command ~/a".to_owned(),
            ),
            (
                "if \"$(a \"$0\")/b\"; then (/c); fi",
                "if command \"$(a \"$0\")/b\"; then (command /c); fi".to_owned(),
            ),
            ("x=$((a > b > c); \"d\")", "x=$((a  19> b > c); \"d\")".to_owned()),
            ("x=$((kill $$); a)", NOT_KILLED.to_owned()),
            ("{ a; } &> >(b)", "eval '{ a; }' &> >(b)".to_owned()),
            ("&> a b > c", " 2> a b > c".to_owned()),
            ("(a > b) > c > d", "(a > b)  19> c > d".to_owned()),
            ("(a > é) > >(b)", "eval '(a > é)' > >(b)".to_owned()),
            ("{ a; }> b > c; a ${x}> d > e", "{ a; } 19> b > c; a ${x} 19> d > e".to_owned()),
            ("a　2> b > c", "a　2 19> b > c".to_owned()),
            (
                "case x in a) { b; } > >(c);; esac",
                "case x in a) eval '{ b; }' > >(c);; esac".to_owned(),
            ),
            (
                "case x in done|{) b;; esac > >(c)",
                "eval 'case x in done|{) b;; esac' > >(c)".to_owned(),
            ),
            ("f() (a)\n(b) > >(c)", "f() (a)\neval '(b)' > >(c)".to_owned()),
            ("function f { a; } > >(b)", REFUSED.to_owned()),
            ("function f() { a; } > >(b)", REFUSED.to_owned()),
            ("f ()\n{ a; } > >(b)", REFUSED.to_owned()),
            ("{ cat << E; } > >(b)\na\nE", WITHOUT_DOCUMENT.to_owned()),
            ("cat << E; exec > >(b)\na\nE", WITHOUT_DOCUMENT.to_owned()),
        ] {
            assert_eq!(anew(script), expected, "{script}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_left_alone() {
        for script in [
            "[[ a == -nt* ]]",
            "[[ -L == -L ]]",
            "[[ x =~ ^(-L|a b)$ && -n $y ]]",
            "echo '[[ a -nt b ]]' \"[[ -L c ]]\"",
            "cat <<E\n[[ a -nt b ]]\nE\n",
            "# [[ a -nt b ]]",
            "echo [[ -L a ]]",
            "[[ -L a",
            "for ((i=0; i<$(f \"a\"); i++)); do [[ -f a ]]; done",
            "x=$(( $(f \"a\") ))",
            "((i++)); echo \"$(f)\"",
            "[ a -nt b ]",
            "exec > log; cat < <(echo)",
            "a > b 2>&1; c 2> d > e | f > g",
            "a >&2 > b",
            "a {fd}> b > c",
            "cat > >(tee log); exec 3> a",
            "(a > b) > c",
            "a /b; x=/c; > /d a; a/b() { c; }; ${a/b/c} d; for a in /b; do c; done; case /a in /b) c;; esac",
            "case $1 in read) cat <&3 ;; esac",
            "ls *.@(a|b) > >(sort)",
            "x=(a done { read) <&3; y+=(\"`a`\") > >(b)",
            "for x in done; do a; done; echo { > >(b)",
            "echo \"${v%'\"'}\" \"${v[a]/'\"'/}\" '[[ -L a ]]' > a",
            "echo \"${v:-'\"'}\" \"[[ -L a ]]\" \"${v:-'}'} > a > b\"",
        ] {
            assert_eq!(repaired(script, true), Repaired::Same, "{script}");
        }
    }

    #[test]
    fn what_would_be_quoted_without_end_is_refused() {
        let nested = "{ ".repeat(40) + "echo 'x'" + &"; } > >(cat)".repeat(40);
        let many = "exec > >(cat); echo 'x'\n".repeat(40);
        for script in [nested, many] {
            assert_eq!(repaired(&script, true), Repaired::Refused(TOO_LONG.into()));
        }
    }

    #[test]
    fn blanks_that_are_none_for_bash_are_parts_of_words() {
        for blank in ['\u{a0}', '\u{3000}', '\u{202f}', '\u{85}', '\u{b}', '\u{c}', '\r'] {
            for script in [
                "echo a_b > c; d > e",
                "_ > a; b > c",
                "[[ a == _ ]] > a; b_> c",
                "case _ in _) a > b;; esac > c",
            ] {
                let script = script.replace('_', &blank.to_string());
                assert_eq!(repaired(&script, true), Repaired::Same, "{script:?}");
            }
            let script = format!("[[ -L {blank} && a =~ {blank} ]]");
            assert!(anew(&script).contains(&format!("a={blank};")), "{script:?}");
        }
    }

    #[test]
    fn what_nests_deep_is_left_alone() {
        for open in ["$(", "\"$(", "${x:-", "$((", "[[ -L $(", "exec > >("] {
            let script = format!("[[ -L a ]]; {}", open.repeat(100_000));
            assert_eq!(repaired(&script, true), Repaired::Same);
        }
    }
}
