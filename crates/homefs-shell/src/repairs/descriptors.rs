//! Descriptors that stand for standard output or errors, as `exec 3>&1` makes them.
//!
//! Where standard output is caught, in `$( )`, before a pipe and in what is redirected, the
//! interpreter sends what is written to such a descriptor to where standard output goes just then,
//! or nowhere. Nothing from outside mends it, so a script that does it is refused.

use std::collections::BTreeSet;

use bashkit::parser::{
    AssignmentValue, Command, CommandList, CompoundCommand, ListOperator, Parser, Redirect,
    RedirectKind, SimpleCommand, Word, WordPart,
};

/// How deep a script may nest, and how long it may be looked at.
const DEPTH_MAX: usize = 100;
const STEPS_MAX: usize = 200_000;

/// Says why a script would send what it writes elsewhere, if it would.
pub(super) fn refusal(script: &str) -> Option<String> {
    let is_concerned = script.match_indices(">&").any(|(at, _)| {
        script[at + 2..].starts_with(|letter: char| letter.is_ascii_digit() && letter > '2')
    });
    if !is_concerned {
        return None;
    }
    let parsed = Parser::with_limits(script, DEPTH_MAX, STEPS_MAX).parse().ok()?;
    let mut look = Look::default();
    // First which descriptors there are and which functions write to one, then where that is.
    for last in [false, true] {
        look.last = last;
        look.commands(&parsed.commands, false);
    }
    look.found.map(|descriptor| {
        format!(
            "what is written to >&{descriptor} within $( ), before a pipe or in what is redirected \
             would not go to where {descriptor} was made: write it to a file, or outside of that"
        )
    })
}

#[derive(Default)]
struct Look {
    /// Descriptors that were made of standard output or errors.
    doubles: BTreeSet<i32>,
    /// Those of them of which it is not known when that happens, if it does.
    pinned: BTreeSet<i32>,
    /// What is looked at now may run never, more than once, or elsewhere.
    unsure: usize,
    /// Functions that write to one of them.
    writers: BTreeSet<String>,
    /// The function that is looked at.
    function: Option<String>,
    /// All of these are known.
    last: bool,
    found: Option<i32>,
}

impl Look {
    fn commands(&mut self, commands: &[Command], caught: bool) {
        for command in commands {
            self.command(command, caught);
        }
    }

    fn command(&mut self, command: &Command, caught: bool) {
        match command {
            Command::Simple(simple) => self.simple(simple, caught),
            Command::Pipeline(pipeline) => self.unsurely(|look| {
                let last = pipeline.commands.len().saturating_sub(1);
                for (at, command) in pipeline.commands.iter().enumerate() {
                    look.command(command, caught || at < last);
                }
            }),
            Command::List(list) => self.list(list, caught),
            Command::Compound(compound, redirects) => {
                let caught = self.redirects(redirects, caught, true);
                if matches!(compound, CompoundCommand::BraceGroup(_)) {
                    self.compound(compound, caught);
                } else {
                    self.unsurely(|look| look.compound(compound, caught));
                }
            }
            Command::Function(function) => {
                let outer = self.function.replace(function.name.clone());
                self.unsurely(|look| look.command(&function.body, false));
                self.function = outer;
            }
        }
    }

    fn list(&mut self, list: &CommandList, caught: bool) {
        let follows = |at: usize| list.rest.get(at).map(|(operator, _)| *operator);
        let (always, beside) = (Some(ListOperator::Semicolon), Some(ListOperator::Background));
        let commands = list.rest.iter().map(|(_, command)| command);
        for (at, command) in std::iter::once(&*list.first).chain(commands).enumerate() {
            let is_sure =
                (at == 0 || [always, beside].contains(&follows(at - 1))) && follows(at) != beside;
            if is_sure {
                self.command(command, caught);
            } else {
                self.unsurely(|look| look.command(command, caught));
            }
        }
    }

    /// Looks at what may run never, more than once, or elsewhere.
    fn unsurely(&mut self, look: impl FnOnce(&mut Self)) {
        self.unsure += 1;
        look(self);
        self.unsure -= 1;
    }

    /// Forgets a descriptor that stands for something else from here on.
    fn forget(&mut self, redirect: &Redirect) {
        let from = redirect.fd.unwrap_or(1);
        if self.last && self.unsure == 0 && !self.pinned.contains(&from) {
            self.doubles.remove(&from);
        }
    }

    fn simple(&mut self, simple: &SimpleCommand, caught: bool) {
        let name = simple.name.to_string();
        let words = simple.args.iter().chain([&simple.name]);
        words.for_each(|word| self.word(word));
        for assignment in &simple.assignments {
            match &assignment.value {
                AssignmentValue::Scalar(word) => self.word(word),
                AssignmentValue::Array(words) => words.iter().for_each(|word| self.word(word)),
            }
        }
        // What `exec` was given stays; of others it is known only for as long as they run.
        if name == "exec" {
            simple.redirects.iter().for_each(|redirect| self.forget(redirect));
        }
        // `exec` redirects what follows, and does it well.
        let writes = self.writers.contains(&name);
        let into = self.redirects(&simple.redirects, caught, writes || name == "exec");
        if self.last && writes && into {
            self.found = self.found.or(self.doubles.first().copied());
        }
        if let (true, Some(function)) = (writes, &self.function) {
            self.writers.insert(function.clone());
        }
    }

    /// Looks at redirections; tells whether standard output is caught with them. Those of single
    /// commands alone are followed in the order in which they stand.
    fn redirects(&mut self, redirects: &[Redirect], caught: bool, of_many: bool) -> bool {
        let mut into = caught;
        for redirect in redirects {
            self.word(&redirect.target);
            let target = redirect.target.to_string().parse::<i32>().ok();
            let from = redirect.fd.unwrap_or(1);
            match (redirect.kind, target) {
                (RedirectKind::DupOutput, Some(1 | 2)) if from > 2 => {
                    self.doubles.insert(from);
                    if self.unsure > 0 {
                        self.pinned.insert(from);
                    }
                }
                (RedirectKind::DupOutput, Some(target)) if self.doubles.contains(&target) => {
                    let swaps = of_many
                        && redirects.iter().any(|other| {
                            other.fd == Some(target) && other.kind == RedirectKind::DupOutput
                        });
                    if self.last && (caught || swaps) {
                        self.found = self.found.or(Some(target));
                    }
                    if let Some(function) = &self.function {
                        self.writers.insert(function.clone());
                    }
                }
                (
                    RedirectKind::Output
                    | RedirectKind::Append
                    | RedirectKind::Clobber
                    | RedirectKind::OutputBoth,
                    _,
                ) => into |= from == 1,
                _ => {}
            }
        }
        into
    }

    fn word(&mut self, word: &Word) {
        for part in &word.parts {
            match part {
                WordPart::CommandSubstitution(commands)
                | WordPart::ProcessSubstitution { commands, .. } => self.commands(commands, true),
                _ => {}
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, caught: bool) {
        match compound {
            CompoundCommand::If(command) => {
                self.commands(&command.condition, caught);
                self.commands(&command.then_branch, caught);
                for (condition, branch) in &command.elif_branches {
                    self.commands(condition, caught);
                    self.commands(branch, caught);
                }
                self.commands(command.else_branch.as_deref().unwrap_or_default(), caught);
            }
            CompoundCommand::For(command) => {
                command.words.iter().flatten().for_each(|word| self.word(word));
                self.commands(&command.body, caught);
            }
            CompoundCommand::ArithmeticFor(command) => self.commands(&command.body, caught),
            CompoundCommand::While(command) => {
                self.commands(&command.condition, caught);
                self.commands(&command.body, caught);
            }
            CompoundCommand::Until(command) => {
                self.commands(&command.condition, caught);
                self.commands(&command.body, caught);
            }
            CompoundCommand::Case(command) => {
                command.cases.iter().for_each(|case| self.commands(&case.commands, caught));
            }
            CompoundCommand::Select(command) => self.commands(&command.body, caught),
            CompoundCommand::Subshell(commands) | CompoundCommand::BraceGroup(commands) => {
                self.commands(commands, caught);
            }
            CompoundCommand::Time(command) => {
                command.command.iter().for_each(|command| self.command(command, caught));
            }
            CompoundCommand::Coproc(command) => self.command(&command.body, true),
            CompoundCommand::Arithmetic(_) | CompoundCommand::Conditional(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn what_would_go_elsewhere_is_refused() {
        for script in [
            "exec 3>&1; x=$(echo out; echo log >&3)",
            "exec 3>&1; x=$( { echo out; echo err >&2; } 2>&1 >&3 )",
            "exec 4>&1; (echo five >&4) >/dev/null",
            "exec 4>&1; f() { echo five >&4; }; f >/dev/null",
            "exec 4>&1; f() { echo five >&4; }; g() { f; }; x=$(g)",
            "{ { echo a >&3; echo b; } | cat >/dev/null; } 3>&1",
            "(echo o; echo e >&2) 3>&1 1>&2 2>&3 | sed s/a/b/",
            "exec 3>f; exec 3>&1; x=$(echo a >&3)",
            "exec 3>&1; if a; then exec 3>f; fi; x=$(echo a >&3)",
            "exec 3>&1; a && exec 3>&-; (exec 3>f); exec 3>f & x=$(echo a >&3)",
            "f() { exec 3>&1; }; exec 3>f; f; x=$(echo a >&3)",
            "exec 3>f; for i in 1 2; do x=$(echo a >&3); exec 3>&1; done",
            "exec 3>&1; echo a 3>f; x=$(echo a >&3)",
        ] {
            assert!(refusal(script).is_some(), "{script}");
        }
        for script in [
            "exec 3>&1 4>&2 >log 2>&1; echo a; exec 1>&3 2>&4; echo b",
            "exec 3>&1; echo a >&3; { echo b >&3; } 2>/dev/null",
            "exec 5>o; for i in 1 2; do echo $i >&5; done > p",
            "exec 5>o; x=$(echo a >&5)",
            "exec 3>&1; echo a >&3; exec 3>&-; exec 3>f; x=$(echo a >&3)",
            "exec 3>&1; exec 3>f; x=$(echo a >&3)",
            "exec 3>&1 4>f; exec 3>&4; f() { echo a >&3; }; f > g",
            "exec 3>f; x=$(echo a >&3)\nexec 3>&1; echo b >&3",
            "echo a >&2; (echo b >&2) > c; x=$(echo d 2>&1)",
            "echo '>&3 3>&1'",
        ] {
            assert_eq!(refusal(script), None, "{script}");
        }
    }
}
