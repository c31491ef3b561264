//! `bc`, as GNU's, with numbers of any size.

mod library;
mod number;
mod program;

use std::collections::HashMap;

use self::number::{DIGITS_MAX, Number};
use self::program::{Expression, Statement, read};
use super::options::{Item, Spec, Takes, parse};
use super::tool::{Ground, Run};
use crate::files::reason;
use crate::interrupt::Interrupter;
use crate::memory::Printed;

const SPECS: &[Spec] = &[('l', "mathlib", Takes::Nothing), ('q', "quiet", Takes::Nothing)];

/// How long a line of a number is.
const LINE: usize = 69;

/// How deep functions may call one another.
const CALLS_MAX: usize = 200;

/// Runs the command.
pub(crate) fn run(run: &mut Run<'_>) -> i32 {
    let mut machine = Machine::new(run.ground);
    let mut texts = Vec::new();
    match parse(SPECS, None, run.args) {
        Err(message) => {
            run.complain(&message);
            return 1;
        }
        Ok(items) => {
            for item in items {
                match item {
                    Item::Option("mathlib", _) => (machine.scale, machine.library) = (20, true),
                    Item::Option(..) => {}
                    Item::Operand(name) => match run.read(name) {
                        Ok(text) => texts.push((name.to_owned(), text.to_vec())),
                        Err(error) => {
                            let why = reason(&error);
                            run.err.extend(["File ", name, " is unavailable: ", why, "\n"]);
                            return 1;
                        }
                    },
                }
            }
        }
    }
    texts.push(("(standard_in)".into(), run.stdin.to_vec()));
    for (name, text) in texts {
        let text = String::from_utf8_lossy(&text);
        if machine.text(&name, &text) {
            break;
        }
    }
    run.out = machine.out;
    run.err += &machine.err;
    0
}

/// Why a statement is not followed by the next one.
enum Stop {
    Break,
    Continue,
    Return(Number),
    Quit,
    Error(String),
}

type Value = Result<Number, Stop>;

/// What an element of an array takes besides its digits.
const ELEMENT_BYTES: usize = 200;

struct Function {
    parameters: Vec<String>,
    own: Vec<String>,
    body: Vec<Statement>,
}

struct Machine {
    scale: usize,
    input_base: usize,
    output_base: usize,
    library: bool,
    last: Number,
    names: HashMap<String, Number>,
    elements: HashMap<(String, String), Number>,
    /// How many bytes the elements take, and how many they may.
    held: usize,
    held_max: usize,
    functions: HashMap<String, std::rc::Rc<Function>>,
    calls: usize,
    interrupter: Interrupter,
    out: Printed,
    err: String,
}

impl Machine {
    fn new(ground: &Ground) -> Self {
        Self {
            scale: 0,
            input_base: 10,
            output_base: 10,
            library: false,
            last: Number::default(),
            names: HashMap::new(),
            elements: HashMap::new(),
            held: 0,
            held_max: ground.limits.memory_bytes,
            functions: HashMap::new(),
            calls: 0,
            interrupter: ground.files.interrupter.clone(),
            out: Printed::new(ground.limits.memory_bytes),
            err: String::new(),
        }
    }

    /// Runs a text; tells whether it said to end.
    fn text(&mut self, name: &str, text: &str) -> bool {
        // What is wrong in one line keeps no other from being run.
        let mut pieces = vec![(1, text.to_owned())];
        if read(text).is_err() {
            pieces = text.lines().enumerate().map(|(at, line)| (at + 1, line.to_owned())).collect();
        }
        for (line, piece) in pieces {
            let statements = match read(&piece) {
                Ok(statements) => statements,
                Err(message) => {
                    let line = line.to_string();
                    self.err.extend([name, " ", &line, ": ", &message, "\n"]);
                    continue;
                }
            };
            for statement in &statements {
                match self.run(statement) {
                    Err(Stop::Quit) => return true,
                    Err(Stop::Error(message)) => {
                        let head = "Runtime error (func=(main), adr=0): ";
                        self.err.extend([head, &message, "\n"]);
                    }
                    _ => {}
                }
            }
        }
        false
    }

    fn show(&mut self, value: &Number) {
        let text = value.print(self.output_base);
        let mut rest = text.as_str();
        while rest.len() > LINE {
            self.out.extend_from_slice(&rest.as_bytes()[..LINE - 1]);
            self.out.extend_from_slice(b"\\\n");
            rest = &rest[LINE - 1..];
        }
        self.out.extend_from_slice(rest.as_bytes());
    }

    fn run(&mut self, statement: &Statement) -> Result<(), Stop> {
        if self.interrupter.is_over() || self.out.is_full() {
            return Err(Stop::Quit);
        }
        match statement {
            Statement::Show(expression) => {
                let value = self.value(expression)?;
                self.show(&value);
                self.out.push(b'\n');
                self.last = value;
            }
            Statement::Quietly(expression) => drop(self.value(expression)?),
            Statement::Text(text) => self.out.extend_from_slice(text.as_bytes()),
            Statement::Print(parts) => {
                for part in parts {
                    match part {
                        Ok(expression) => {
                            let value = self.value(expression)?;
                            self.show(&value);
                        }
                        Err(text) => {
                            let text = text
                                .replace("\\n", "\n")
                                .replace("\\t", "\t")
                                .replace("\\q", "\"")
                                .replace("\\\\", "\\");
                            self.out.extend_from_slice(text.as_bytes());
                        }
                    }
                }
            }
            Statement::Block(statements) => {
                statements.iter().try_for_each(|statement| self.run(statement))?;
            }
            Statement::If(condition, then, otherwise) => {
                if !self.value(condition)?.is_zero() {
                    self.run(then)?;
                } else if let Some(otherwise) = otherwise {
                    self.run(otherwise)?;
                }
            }
            Statement::While(condition, body) => self.repeat(Some(condition), None, body)?,
            Statement::For(start, condition, step, body) => {
                if let Some(start) = start {
                    self.value(start)?;
                }
                self.repeat(condition.as_ref(), step.as_ref(), body)?;
            }
            Statement::Define(name, parameters, own, body) => {
                let (parameters, own, body) = (parameters.clone(), own.clone(), body.clone());
                let function = Function { parameters, own, body };
                self.functions.insert(name.clone(), function.into());
            }
            Statement::Return(None) => return Err(Stop::Return(Number::default())),
            Statement::Return(Some(value)) => return Err(Stop::Return(self.value(value)?)),
            Statement::Break => return Err(Stop::Break),
            Statement::Continue => return Err(Stop::Continue),
            Statement::Quit => return Err(Stop::Quit),
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        condition: Option<&Expression>,
        step: Option<&Expression>,
        body: &Statement,
    ) -> Result<(), Stop> {
        while condition
            .map(|condition| self.value(condition))
            .transpose()?
            .is_none_or(|v| !v.is_zero())
        {
            match self.run(body) {
                Err(Stop::Break) => break,
                Ok(()) | Err(Stop::Continue) => {}
                Err(other) => return Err(other),
            }
            if let Some(step) = step {
                self.value(step)?;
            }
        }
        Ok(())
    }

    fn value(&mut self, expression: &Expression) -> Value {
        Ok(match expression {
            Expression::Number(text) => Number::read(text, self.input_base),
            Expression::Last => self.last.clone(),
            Expression::Name(name) => match name.as_str() {
                "scale" => self.scale.into(),
                "ibase" => self.input_base.into(),
                "obase" => self.output_base.into(),
                name => self.names.get(name).cloned().unwrap_or_default(),
            },
            Expression::Element(name, index) => {
                let key = (name.clone(), self.value(index)?.scaled(0).print(10));
                self.elements.get(&key).cloned().unwrap_or_default()
            }
            Expression::Negative(inner) => self.value(inner)?.negated(),
            Expression::Not(inner) => self.value(inner)?.is_zero().into(),
            Expression::Both(left, sign, right) => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                self.both(&left, sign, &right)?
            }
            Expression::Assign(place, sign, value) => {
                let mut value = self.value(value)?;
                if let Some(sign) = sign.strip_suffix('=').filter(|sign| !sign.is_empty()) {
                    let before = self.value(place)?;
                    value = self.both(&before, sign, &value)?;
                }
                self.assign(place, value.clone())?;
                value
            }
            Expression::Step(place, sign, read_before) => {
                let before = self.value(place)?;
                let after = self.both(&before, &sign[1..], &1.into())?;
                self.assign(place, after.clone())?;
                if *read_before { before } else { after }
            }
            Expression::Call(name, arguments) => {
                let arguments: Vec<Number> = arguments
                    .iter()
                    .map(|argument| self.value(argument))
                    .collect::<Result<_, _>>()?;
                self.call(name, &arguments)?
            }
        })
    }

    fn assign(&mut self, place: &Expression, value: Number) -> Result<(), Stop> {
        match place {
            Expression::Name(name) => match name.as_str() {
                "scale" => self.scale = value.to_usize().unwrap_or(0).min(DIGITS_MAX / 4),
                "ibase" => self.input_base = value.to_usize().unwrap_or(10).clamp(2, 16),
                "obase" => self.output_base = value.to_usize().unwrap_or(10).clamp(2, 999),
                name => drop(self.names.insert(name.to_owned(), value)),
            },
            Expression::Element(name, index) => {
                let key = (name.clone(), self.value(index)?.scaled(0).print(10));
                let bytes = |value: &Number| ELEMENT_BYTES + value.length();
                self.held += bytes(&value);
                if let Some(before) = self.elements.insert(key, value) {
                    self.held -= bytes(&before);
                }
                if self.held > self.held_max {
                    self.out.fill();
                }
            }
            _ => self.last = value,
        }
        Ok(())
    }

    fn both(&self, a: &Number, sign: &str, b: &Number) -> Value {
        let by_zero = || Stop::Error("Divide by zero".into());
        let most = self.scale.max(a.scale).max(b.scale);
        if a.length() + b.length() > DIGITS_MAX {
            return Err(Stop::Error("the number has too many digits".into()));
        }
        Ok(match sign {
            "+" => a.plus(b),
            "-" => a.plus(&b.clone().negated()),
            "*" => {
                let product = a.times(b);
                product.scaled(most.min(a.scale + b.scale))
            }
            "/" => a.over(b, self.scale).ok_or_else(by_zero)?,
            "%" => {
                let quotient = a.over(b, self.scale).ok_or_else(by_zero)?;
                let rest = a.plus(&quotient.times(b).negated());
                rest.scaled((self.scale + b.scale).max(a.scale))
            }
            "^" => self.power(a, b)?,
            "==" => a.compare(b).is_eq().into(),
            "!=" => a.compare(b).is_ne().into(),
            "<" => a.compare(b).is_lt().into(),
            "<=" => a.compare(b).is_le().into(),
            ">" => a.compare(b).is_gt().into(),
            ">=" => a.compare(b).is_ge().into(),
            "&&" => (!a.is_zero() && !b.is_zero()).into(),
            _ => (!a.is_zero() || !b.is_zero()).into(),
        })
    }

    fn power(&self, base: &Number, exponent: &Number) -> Value {
        let too_large = || Stop::Error("exponent too large in raise".into());
        let count = exponent.to_usize().ok_or_else(too_large)?;
        if count.saturating_mul(base.length()) > DIGITS_MAX {
            return Err(too_large());
        }
        let mut power = Number::from(1);
        for _ in 0..count {
            power = power.times(base);
            if self.interrupter.is_over() {
                return Err(Stop::Quit);
            }
        }
        if exponent.is_negative() {
            let by_zero = || Stop::Error("Divide by zero".into());
            return Number::from(1).over(&power, self.scale).ok_or_else(by_zero);
        }
        Ok(power.scaled((base.scale * count).min(self.scale.max(base.scale))))
    }

    fn call(&mut self, name: &str, arguments: &[Number]) -> Value {
        let first = || arguments.first().cloned().unwrap_or_default();
        match (name, arguments.len()) {
            ("sqrt", 1) => {
                let value = first();
                let root = value.root(self.scale.max(value.scale));
                return root.ok_or_else(|| Stop::Error("Square root of a negative number".into()));
            }
            ("length", 1) => return Ok(first().length().into()),
            ("scale", 1) => return Ok(first().scale.into()),
            _ => {}
        }
        if let Some(function) = self.functions.get(name).cloned() {
            return self.call_defined(&function, arguments);
        }
        let library = self.library.then(|| library::call(name, &first(), self.scale)).flatten();
        library.ok_or_else(|| Stop::Error(format!("Function {name} not defined.")))
    }

    fn call_defined(&mut self, function: &Function, arguments: &[Number]) -> Value {
        if self.calls >= CALLS_MAX {
            return Err(Stop::Error("functions call one another too deep".into()));
        }
        let own = function.parameters.iter().chain(&function.own);
        let before: Vec<(String, Option<Number>)> =
            own.map(|name| (name.clone(), self.names.remove(name))).collect();
        for (name, value) in function.parameters.iter().zip(arguments) {
            self.names.insert(name.clone(), value.clone());
        }
        self.calls += 1;
        let ran = function.body.iter().try_for_each(|statement| self.run(statement));
        self.calls -= 1;
        for (name, value) in before {
            match value {
                Some(value) => drop(self.names.insert(name, value)),
                None => drop(self.names.remove(&name)),
            }
        }
        match ran {
            Ok(()) => Ok(Number::default()),
            Err(Stop::Return(value)) => Ok(value),
            Err(other) => Err(other),
        }
    }
}
