//! The language of bc: from text to what is to be done.

/// What has a value.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Number(String),
    Name(String),
    Element(String, Box<Expression>),
    Call(String, Vec<Expression>),
    Negative(Box<Expression>),
    Not(Box<Expression>),
    Both(Box<Expression>, &'static str, Box<Expression>),
    /// A place, the sign before `=`, and the value.
    Assign(Box<Expression>, &'static str, Box<Expression>),
    /// A place that is changed by one, and whether it is read before that.
    Step(Box<Expression>, &'static str, bool),
    Last,
}

/// What is done.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    Show(Expression),
    /// An assignment, which is not shown.
    Quietly(Expression),
    Text(String),
    Print(Vec<Result<Expression, String>>),
    Block(Vec<Statement>),
    If(Expression, Box<Statement>, Option<Box<Statement>>),
    While(Expression, Box<Statement>),
    For(Option<Expression>, Option<Expression>, Option<Expression>, Box<Statement>),
    Define(String, Vec<String>, Vec<String>, Vec<Statement>),
    Return(Option<Expression>),
    Break,
    Continue,
    Quit,
}

/// How deep statements and expressions may nest: a pair of parentheses is three steps.
const DEPTH_MAX: usize = 600;

/// How many signs may stand between the values of one statement.
const LINKS_MAX: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Number(String),
    Name(String),
    Text(String),
    Sign(&'static str),
    End,
}

const SIGNS: &[&str] = &[
    "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "==", "!=", "<=", ">=", "&&", "||", "+", "-",
    "*", "/", "%", "^", "=", "<", ">", "!", "(", ")", "[", "]", "{", "}", ";", ",",
];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let run = |is: fn(char) -> bool| rest.len() - rest.trim_start_matches(is).len();
        let taken = if letter == '\n' {
            tokens.push(Token::Sign(";"));
            1
        } else if letter.is_whitespace() {
            letter.len_utf8()
        } else if rest.starts_with("\\\n") {
            2
        } else if letter == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if letter == '"' {
            let end = rest[1..].find('"').ok_or("syntax error")?;
            tokens.push(Token::Text(rest[1..=end].to_owned()));
            end + 2
        } else if letter.is_ascii_digit() || letter.is_ascii_uppercase() || letter == '.' {
            let length = run(|l| l.is_ascii_digit() || ('A'..='F').contains(&l) || l == '.');
            let number = &rest[..length];
            if length == 0 || number.matches('.').count() > 1 {
                return Err(format!("illegal character: {letter}"));
            }
            tokens.push(if number == "." {
                Token::Name("last".into())
            } else {
                Token::Number(number.into())
            });
            length
        } else if letter.is_ascii_lowercase() {
            let length = run(|l| l.is_ascii_lowercase() || l.is_ascii_digit() || l == '_');
            tokens.push(Token::Name(rest[..length].into()));
            length
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("illegal character: {letter}"))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = &rest[taken..];
    }
    tokens.push(Token::End);
    Ok(tokens)
}

/// Reads a whole program.
pub(super) fn read(text: &str) -> Result<Vec<Statement>, String> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, depth: 0, links: 0 };
    let mut statements = Vec::new();
    loop {
        while reader.sign(";") {}
        if reader.peek() == &Token::End {
            return Ok(statements);
        }
        reader.links = 0;
        statements.push(reader.statement()?);
        if !reader.sign(";") && reader.peek() != &Token::End {
            return Err("syntax error".into());
        }
    }
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// How many values are joined by signs in the present statement.
    links: usize,
}

type Read<T> = Result<T, String>;

impl Reader {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn sign(&mut self, sign: &str) -> bool {
        let is = matches!(self.peek(), Token::Sign(next) if *next == sign);
        self.at += usize::from(is);
        is
    }

    fn one_of(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        signs.iter().copied().find(|sign| self.sign(sign))
    }

    fn word(&mut self, word: &str) -> bool {
        let is = matches!(self.peek(), Token::Name(name) if name == word);
        self.at += usize::from(is);
        is
    }

    fn need(&mut self, sign: &str) -> Read<()> {
        if self.sign(sign) { Ok(()) } else { Err("syntax error".into()) }
    }

    fn ends(&self) -> bool {
        matches!(self.peek(), Token::End | Token::Sign(";" | "}"))
    }

    fn name(&mut self) -> Read<String> {
        let Token::Name(name) = self.peek().clone() else { return Err("syntax error".into()) };
        self.at += 1;
        Ok(name)
    }

    /// Reads something within something else.
    fn deeper<T>(&mut self, read: fn(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEPTH_MAX {
            return Err("it nests too deep".into());
        }
        self.depth += 1;
        let inside = read(self);
        self.depth -= 1;
        inside
    }

    fn statement(&mut self) -> Read<Statement> {
        self.deeper(Self::statement_inside)
    }

    fn statement_inside(&mut self) -> Read<Statement> {
        if let Token::Text(text) = self.peek().clone() {
            self.at += 1;
            return Ok(Statement::Text(text));
        }
        if self.sign("{") {
            return Ok(Statement::Block(self.block()?));
        }
        let Token::Name(name) = self.peek().clone() else { return self.expressed() };
        self.at += 1;
        Ok(match name.as_str() {
            "if" => self.condition()?,
            "while" => {
                self.need("(")?;
                let condition = self.expression()?;
                self.need(")")?;
                Statement::While(condition, Box::new(self.body()?))
            }
            "for" => {
                self.need("(")?;
                let start = self.perhaps(";")?;
                let condition = self.perhaps(";")?;
                let step = self.perhaps(")")?;
                Statement::For(start, condition, step, Box::new(self.body()?))
            }
            "define" => self.definition()?,
            "return" if self.ends() => Statement::Return(None),
            "return" => Statement::Return(Some(self.expression()?)),
            "break" => Statement::Break,
            "continue" => Statement::Continue,
            "quit" | "halt" => Statement::Quit,
            "print" => {
                let mut parts = Vec::new();
                loop {
                    if let Token::Text(text) = self.peek().clone() {
                        self.at += 1;
                        parts.push(Err(text));
                    } else {
                        parts.push(Ok(self.expression()?));
                    }
                    if !self.sign(",") {
                        break Statement::Print(parts);
                    }
                }
            }
            _ => {
                self.at -= 1;
                self.expressed()?
            }
        })
    }

    fn expressed(&mut self) -> Read<Statement> {
        let start = self.at;
        let expression = self.expression()?;
        let bare = !matches!(self.tokens[start], Token::Sign("("));
        Ok(match expression {
            Expression::Assign(..) if bare => Statement::Quietly(expression),
            _ => Statement::Show(expression),
        })
    }

    fn block(&mut self) -> Read<Vec<Statement>> {
        let mut statements = Vec::new();
        loop {
            while self.sign(";") {}
            if self.sign("}") {
                return Ok(statements);
            }
            statements.push(self.statement()?);
            if !self.ends() {
                return Err("syntax error".into());
            }
        }
    }

    fn body(&mut self) -> Read<Statement> {
        while self.sign(";") {}
        self.statement()
    }

    fn perhaps(&mut self, end: &str) -> Read<Option<Expression>> {
        if self.sign(end) {
            return Ok(None);
        }
        let expression = self.expression()?;
        self.need(end)?;
        Ok(Some(expression))
    }

    fn condition(&mut self) -> Read<Statement> {
        self.need("(")?;
        let condition = self.expression()?;
        self.need(")")?;
        let then = Box::new(self.body()?);
        let before = self.at;
        while self.sign(";") {}
        if self.word("else") {
            return Ok(Statement::If(condition, then, Some(Box::new(self.body()?))));
        }
        self.at = before;
        Ok(Statement::If(condition, then, None))
    }

    fn definition(&mut self) -> Read<Statement> {
        self.word("void");
        let name = self.name()?;
        self.need("(")?;
        let parameters = self.names(")")?;
        while self.sign(";") {}
        self.need("{")?;
        while self.sign(";") {}
        let own = if self.word("auto") { self.names(";")? } else { Vec::new() };
        Ok(Statement::Define(name, parameters, own, self.block()?))
    }

    fn names(&mut self, end: &str) -> Read<Vec<String>> {
        let mut names = Vec::new();
        while !self.sign(end) {
            names.push(self.name()?);
            if self.sign("[") {
                self.need("]")?;
            }
            self.sign(",");
        }
        Ok(names)
    }

    fn expression(&mut self) -> Read<Expression> {
        self.deeper(|reader| reader.level(0))
    }

    /// Reads what is bound at least as tightly as a level says.
    fn level(&mut self, level: usize) -> Read<Expression> {
        const LEVELS: &[&[&str]] =
            &[&["||"], &["&&"], &["<=", ">=", "==", "!=", "<", ">"], &["+", "-"], &["*", "/", "%"]];
        const ASSIGN: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "^="];
        let Some(signs) = LEVELS.get(level) else { return self.power() };
        let mut left = if level == 1 && self.sign("!") {
            Expression::Not(Box::new(self.level(2)?))
        } else {
            self.level(level + 1)?
        };
        let place =
            matches!(left, Expression::Name(_) | Expression::Element(..) | Expression::Last);
        if let Some(sign) = place.then(|| self.one_of(ASSIGN)).flatten() {
            return Ok(Expression::Assign(Box::new(left), sign, Box::new(self.expression()?)));
        }
        while let Some(sign) = self.one_of(signs) {
            let right = if level == 0 && self.sign("!") {
                Expression::Not(Box::new(self.level(2)?))
            } else {
                self.level(level + 1)?
            };
            left = Expression::Both(Box::new(left), sign, Box::new(right));
            self.links += 1;
            if self.links > LINKS_MAX {
                return Err("it is too long".into());
            }
        }
        Ok(left)
    }

    fn power(&mut self) -> Read<Expression> {
        self.deeper(Self::power_inside)
    }

    fn power_inside(&mut self) -> Read<Expression> {
        if self.sign("-") {
            return Ok(Expression::Negative(Box::new(self.power()?)));
        }
        if self.sign("+") {
            return self.power();
        }
        let base = self.single()?;
        if self.sign("^") {
            let power = self.power()?;
            return Ok(Expression::Both(Box::new(base), "^", Box::new(power)));
        }
        Ok(base)
    }

    fn single(&mut self) -> Read<Expression> {
        self.deeper(Self::single_inside)
    }

    fn single_inside(&mut self) -> Read<Expression> {
        if let Some(sign) = self.one_of(&["++", "--"]) {
            return Ok(Expression::Step(Box::new(self.single()?), sign, false));
        }
        if self.sign("(") {
            let inner = self.expression()?;
            self.need(")")?;
            return Ok(inner);
        }
        if self.sign("!") {
            return Ok(Expression::Not(Box::new(self.single()?)));
        }
        let token = self.peek().clone();
        self.at += 1;
        let place = match token {
            Token::Number(number) => return Ok(Expression::Number(number)),
            Token::Name(name) if self.sign("(") => {
                let mut arguments = Vec::new();
                while !self.sign(")") {
                    arguments.push(self.expression()?);
                    if !self.sign(",") && self.peek() != &Token::Sign(")") {
                        return Err("syntax error".into());
                    }
                }
                return Ok(Expression::Call(name, arguments));
            }
            Token::Name(name) if self.sign("[") => {
                let index = self.expression()?;
                self.need("]")?;
                Expression::Element(name, Box::new(index))
            }
            Token::Name(name) if name == "last" => Expression::Last,
            Token::Name(name) => Expression::Name(name),
            _ => return Err("syntax error".into()),
        };
        Ok(match self.one_of(&["++", "--"]) {
            Some(sign) => Expression::Step(Box::new(place), sign, true),
            None => place,
        })
    }
}
