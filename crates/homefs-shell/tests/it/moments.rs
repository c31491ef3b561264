//! Moments in scripts: the words of every other face, in the zone of the session.

use std::sync::Arc;

use homefs_shell::{Limits, Shell, Workers};

use crate::common::Home;

#[test]
fn a_script_takes_the_times_that_commands_take() {
    let home = Home::new();
    let mut shell = Shell::new(home.view.clone(), &Arc::new(Workers::default()));
    let mut check = |script: &str, status: i32, said: &str| {
        let output = shell.run(script, &Limits::default()).expect("it runs");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status, status, "{script}: {text}");
        assert!(text.contains(said) && text.is_empty() == said.is_empty(), "{script}: {text}");
    };
    check("echo one > /a; echo two > /a", 0, "");
    check("homefs diff /a now now", 0, "");
    check("homefs diff /a '0s ago'", 0, "");
    check("homefs diff /a '2h ago'", 2, "no version of that time");
    check("homefs restore /a yesterday", 2, "no version of that time");
    check("homefs diff /a soon", 2, "is no moment");
    check(
        "first=$(homefs log /a | tail -n 1 | cut -d ' ' -f 1); homefs diff /a v$first",
        1,
        "+two",
    );
    // A time without a zone is one of the session, as that which `date` prints.
    for zone in ["", "Asia/Tokyo", "America/Bogota"] {
        let at = |shift: &str| format!("TZ={zone} date -d '{shift}' '+%F %T'");
        let diff = |shift| format!("export TZ={zone}; homefs diff /a \"$({})\"", at(shift));
        check(&diff("1 minute ago"), 2, "no version of that time");
        check(&diff("1 minute"), 0, "");
    }
}
