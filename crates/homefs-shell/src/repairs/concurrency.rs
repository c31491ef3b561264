//! Whether the commands of a script have to run at the same time.
//!
//! One after another is what works best: it is faster, and a loop that reads from a pipe keeps its
//! input when a command in it could read it, too. But what writes into a pipe must then be
//! something that ends, and what runs in the background is waited for. So a script is looked
//! through before it runs.

use bashkit::parser::{
    AssignmentValue, Command, CompoundCommand, ListOperator, Parser, SimpleCommand, Word, WordPart,
};

/// How deep a script may nest, and how long it may be looked at.
const DEPTH_MAX: usize = 100;
const STEPS_MAX: usize = 200_000;

/// Words without which a script is not worth a look.
const SIGNS: &[&str] = &["while", "until", "for ((", "for((", "yes", "/dev/", "coproc", "kill"];

/// Tells whether a script needs commands that run at the same time.
pub(crate) fn is_needed(script: &str) -> bool {
    if !SIGNS.iter().any(|sign| script.contains(sign)) && !has_background(script) {
        return false;
    }
    let Ok(parsed) = Parser::with_limits(script, DEPTH_MAX, STEPS_MAX).parse() else {
        return false;
    };
    let mut look = Look::default();
    look.commands(&parsed.commands);
    look.endless || look.background && !look.reads
}

/// Tells whether there is an `&` that is no part of another sign.
fn has_background(script: &str) -> bool {
    let bytes = script.as_bytes();
    let other = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    memchr::memchr_iter(b'&', bytes).any(|at| {
        !matches!(other(at.checked_sub(1)), b'&' | b'>' | b'<')
            && !b"&>".contains(&other(Some(at + 1)))
    })
}

/// What was seen of a script.
#[derive(Default)]
struct Look {
    /// What writes into a pipe, or is told to end, may have no end of its own.
    endless: bool,
    /// Something runs in the background.
    background: bool,
    /// A loop reads from a pipe.
    reads: bool,
    /// Loops without an end were seen; where they are decides.
    loops: usize,
}

impl Look {
    fn commands(&mut self, commands: &[Command]) {
        for command in commands {
            self.command(command);
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Pipeline(pipeline) => {
                let Some((last, writers)) = pipeline.commands.split_last() else { return };
                let before = self.loops;
                self.commands(writers);
                self.endless |= self.loops > before;
                self.reads |= !writers.is_empty() && reads(last);
                self.command(last);
            }
            Command::List(list) => {
                self.command(&list.first);
                for (operator, command) in &list.rest {
                    self.background |= *operator == ListOperator::Background;
                    self.command(command);
                }
            }
            Command::Compound(compound, redirects) => {
                for redirect in redirects {
                    self.word(&redirect.target);
                }
                self.compound(compound);
            }
            // Who calls it where is not known: it may be before a pipe.
            Command::Function(function) => {
                let before = self.loops;
                self.command(&function.body);
                self.endless |= self.loops > before;
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        let name = simple.name.to_string();
        let device = |word: &Word| {
            matches!(&*word.to_string(), "/dev/zero" | "/dev/urandom" | "/dev/random")
        };
        let files = simple.redirects.iter().map(|redirect| &redirect.target);
        if name == "yes" || simple.args.iter().chain(files.clone()).any(device) {
            self.loops += 1;
        }
        self.endless |= name == "kill";
        simple.args.iter().chain(files).for_each(|word| self.word(word));
        for assignment in &simple.assignments {
            match &assignment.value {
                AssignmentValue::Scalar(word) => self.word(word),
                AssignmentValue::Array(words) => words.iter().for_each(|word| self.word(word)),
            }
        }
    }

    fn word(&mut self, word: &Word) {
        for part in &word.parts {
            match part {
                WordPart::CommandSubstitution(commands)
                | WordPart::ProcessSubstitution { commands, .. } => self.commands(commands),
                _ => {}
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::If(command) => {
                self.commands(&command.condition);
                self.commands(&command.then_branch);
                for (condition, branch) in &command.elif_branches {
                    self.commands(condition);
                    self.commands(branch);
                }
                self.commands(command.else_branch.as_deref().unwrap_or_default());
            }
            CompoundCommand::For(command) => {
                command.words.iter().flatten().for_each(|word| self.word(word));
                self.commands(&command.body);
            }
            CompoundCommand::ArithmeticFor(command) => {
                self.loops += usize::from(command.condition.trim().is_empty());
                self.commands(&command.body);
            }
            CompoundCommand::While(command) => {
                self.loops += usize::from(!command.condition.first().is_some_and(is_bounded));
                self.commands(&command.condition);
                self.commands(&command.body);
            }
            CompoundCommand::Until(command) => {
                self.loops += 1;
                self.commands(&command.condition);
                self.commands(&command.body);
            }
            CompoundCommand::Case(command) => {
                command.cases.iter().for_each(|case| self.commands(&case.commands));
            }
            CompoundCommand::Select(command) => self.commands(&command.body),
            CompoundCommand::Subshell(commands) | CompoundCommand::BraceGroup(commands) => {
                self.commands(commands);
            }
            CompoundCommand::Time(command) => {
                command.command.iter().for_each(|command| self.command(command));
            }
            CompoundCommand::Coproc(command) => {
                self.endless = true;
                self.command(&command.body);
            }
            CompoundCommand::Arithmetic(_) | CompoundCommand::Conditional(_) => {}
        }
    }
}

/// Tells whether a loop with this condition ends with its input.
fn is_bounded(condition: &Command) -> bool {
    match condition {
        Command::Simple(simple) => simple.name.to_string() == "read",
        Command::List(list) => is_bounded(&list.first),
        _ => false,
    }
}

/// Tells whether a command reads lines of its input, one after another.
fn reads(command: &Command) -> bool {
    match command {
        Command::Compound(CompoundCommand::While(command), _) => {
            command.condition.first().is_some_and(is_bounded)
        }
        Command::Compound(
            CompoundCommand::BraceGroup(commands) | CompoundCommand::Subshell(commands),
            _,
        ) => commands.iter().any(|command| reads(command) || is_bounded(command)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_needed;

    #[test]
    fn what_has_no_end_needs_others_at_the_same_time() {
        for script in [
            "while true; do echo; done | head",
            "f() { while [ 1 ]; do echo y; done; }; f | head -2",
            "for ((;;)); do echo; done | head",
            "yes | head",
            "x=$(yes no | head -3)",
            "cat < /dev/zero | head -c 3",
            "{ sleep 1; echo late; } & echo early; wait",
            "coproc cat; kill $!",
        ] {
            assert!(is_needed(script), "{script}");
        }
        for script in [
            "echo a && echo b 2>&1 | cat; echo c &> /dev/null",
            "cat f | while read -r l; do echo $l; done",
            "cat f | while IFS= read -r l; do echo; done | sort",
            "while true; do break; done",
            "echo 'while true; do :; done | head'",
            "for i in $(seq 3); do echo; done | sort",
            "seq 3 | while read n; do sleep 1 & done; wait",
            "echo yes > a; ls /dev/null",
        ] {
            assert!(!is_needed(script), "{script}");
        }
    }
}
