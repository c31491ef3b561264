//! Decimal numbers of any size, with so many digits after the point as bc says.

use std::cmp::Ordering;

/// Most digits that a number may have: what is larger is a mistake, or meant to harm.
pub(super) const DIGITS_MAX: usize = 20_000;

/// A number: its digits, the lowest first, of which the first `scale` are after the point.
#[derive(Clone, Debug, Default)]
pub(super) struct Number {
    digits: Vec<u8>,
    pub(super) scale: usize,
    negative: bool,
}

impl From<usize> for Number {
    fn from(value: usize) -> Self {
        let digits = value.to_string().bytes().rev().map(|digit| digit - b'0').collect();
        Self { digits, scale: 0, negative: false }.tidy()
    }
}

impl From<bool> for Number {
    fn from(value: bool) -> Self {
        usize::from(value).into()
    }
}

impl Number {
    /// Reads digits in a base; `None` is never returned for what the reader of bc takes.
    pub(super) fn read(text: &str, base: usize) -> Self {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let alone = whole.len() + part.len() == 1;
        // A digit that the base does not have counts as its last one, unless it stands alone.
        let value = |letter: char| {
            let digit = letter.to_digit(16).unwrap_or(0) as usize;
            if alone { digit } else { digit.min(base - 1) }
        };
        if base == 10 {
            let digits = part.chars().rev().chain(whole.chars().rev());
            let digits = digits.map(|letter| u8::try_from(value(letter)).unwrap_or(9)).collect();
            return Self { digits, scale: part.len(), negative: false }.carried();
        }
        let base = Self::from(base);
        let add = |sum: Self, letter: char| sum.times(&base).plus(&value(letter).into());
        let whole = whole.chars().fold(Self::default(), add);
        let above = part.chars().fold(Self::default(), add);
        let below = (0..part.len()).fold(Self::from(1), |power, _| power.times(&base));
        whole.plus(&above.over(&below, part.len()).unwrap_or_default())
    }

    /// Lets a lone `A` to `F` in base ten be a number of two digits.
    fn carried(self) -> Self {
        match self.digits[..] {
            [digit] if digit >= 10 => Self::from(usize::from(digit)),
            _ => self.tidy(),
        }
    }

    fn tidy(mut self) -> Self {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        self.negative &= !self.digits.is_empty();
        self
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns how many digits there are in all.
    pub(super) fn length(&self) -> usize {
        self.digits.len().max(self.scale).max(1)
    }

    pub(super) fn negated(mut self) -> Self {
        self.negative = !self.negative && !self.is_zero();
        self
    }

    /// Returns the same with another number of digits after the point; those too many are cut off.
    pub(super) fn scaled(&self, scale: usize) -> Self {
        let mut digits = self.digits.clone();
        if scale >= self.scale {
            digits.splice(0..0, std::iter::repeat_n(0, scale - self.scale));
        } else {
            digits.drain(..(self.scale - scale).min(digits.len()));
        }
        Self { digits, scale, negative: self.negative }.tidy()
    }

    pub(super) fn to_usize(&self) -> Option<usize> {
        self.scaled(0)
            .digits
            .iter()
            .rev()
            .try_fold(0_usize, |sum, digit| sum.checked_mul(10)?.checked_add(usize::from(*digit)))
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let difference = self.plus(&other.clone().negated());
        match (difference.is_zero(), difference.negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let scale = self.scale.max(other.scale);
        let (a, b) = (self.scaled(scale), other.scaled(scale));
        if a.negative == b.negative {
            let mut digits = Vec::with_capacity(a.digits.len().max(b.digits.len()) + 1);
            let mut carry = 0;
            for at in 0..a.digits.len().max(b.digits.len()) {
                let sum = carry + a.digits.get(at).unwrap_or(&0) + b.digits.get(at).unwrap_or(&0);
                digits.push(sum % 10);
                carry = sum / 10;
            }
            digits.push(carry);
            return Self { digits, scale, negative: a.negative }.tidy();
        }
        let (large, small) =
            if larger(&a.digits, &b.digits) == Ordering::Less { (b, a) } else { (a, b) };
        let mut digits = large.digits;
        subtract(&mut digits, &small.digits);
        Self { digits, scale, negative: large.negative }.tidy()
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut sums = vec![0_u64; self.digits.len() + other.digits.len() + 1];
        for (i, a) in self.digits.iter().enumerate() {
            for (j, b) in other.digits.iter().enumerate() {
                sums[i + j] += u64::from(a * b);
            }
        }
        let mut carry = 0;
        let digit = |sum: u64| {
            let all = sum + carry;
            carry = all / 10;
            u8::try_from(all % 10).unwrap_or(0)
        };
        let digits = sums.into_iter().map(digit).collect();
        let negative = self.negative != other.negative;
        Self { digits, scale: self.scale + other.scale, negative }.tidy()
    }

    /// Divides, with so many digits after the point; `None` by zero.
    pub(super) fn over(&self, other: &Self, scale: usize) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let above = self.scaled(scale + other.scale);
        // Both as whole numbers: what is left of the point in the one is so in the other.
        let mut rest: Vec<u8> = Vec::new();
        let mut digits = Vec::with_capacity(above.digits.len());
        for digit in above.digits.iter().rev() {
            rest.insert(0, *digit);
            while rest.last() == Some(&0) {
                rest.pop();
            }
            let mut times = 0;
            while larger(&rest, &other.digits) != Ordering::Less {
                subtract(&mut rest, &other.digits);
                times += 1;
            }
            digits.push(times);
        }
        digits.reverse();
        Some(Self { digits, scale, negative: self.negative != other.negative }.tidy())
    }

    /// Returns the root, with so many digits after the point; `None` of what is negative.
    pub(super) fn root(&self, scale: usize) -> Option<Self> {
        if self.negative {
            return None;
        }
        let square = self.scaled(2 * scale);
        let mut root = Self::default();
        let places = square.digits.len().div_ceil(2);
        // Digit by digit from the highest: the largest whose square is not too much.
        let whole = Self { scale: 0, ..square };
        root.digits = vec![0; places];
        for place in (0..places).rev() {
            for digit in (1..=9).rev() {
                root.digits[place] = digit;
                let tried = root.clone().tidy();
                if larger(&tried.times(&tried).digits, &whole.digits) != Ordering::Greater {
                    break;
                }
                root.digits[place] = 0;
            }
        }
        root.scale = scale;
        Some(root.tidy())
    }

    /// Prints it as bc does: without a zero before the point.
    pub(super) fn print(&self, base: usize) -> String {
        let sign = if self.negative { "-" } else { "" };
        if base == 10 {
            let digit = |digit: &u8| char::from(b'0' + digit);
            let mut text: String = self.digits.iter().rev().map(digit).collect();
            if self.is_zero() {
                return "0".into();
            }
            if self.scale > 0 {
                text = format!("{text:0>width$}", width = self.scale);
                text.insert(text.len() - self.scale, '.');
            }
            return format!("{sign}{text}");
        }
        let mut whole = Self { negative: false, ..self.scaled(0) };
        let mut part = Self { negative: false, ..self.clone() }.plus(&whole.clone().negated());
        let base_number = Self::from(base);
        let mut places = Vec::new();
        while !whole.is_zero() {
            let next = whole.over(&base_number, 0).unwrap_or_default();
            let digit = whole.plus(&next.times(&base_number).negated());
            places.push(digit.to_usize().unwrap_or(0));
            whole = next;
        }
        let show = |value: usize| match u32::try_from(value) {
            Ok(value) if base <= 16 => {
                char::from_digit(value, 16).map_or(String::new(), |c| c.to_uppercase().to_string())
            }
            _ => format!(" {value:0>width$}", width = (base - 1).to_string().len()),
        };
        let mut text: String = places.into_iter().rev().map(show).collect();
        if self.scale > 0 {
            text.push('.');
            let mut reached = Self::from(1);
            let whole_scale = Self { digits: vec![1], scale: 0, negative: false }.scaled(0);
            let mut bound = whole_scale;
            bound.digits = vec![0; self.scale];
            bound.digits.push(1);
            while larger(&reached.digits, &bound.digits) == Ordering::Less {
                part = part.times(&base_number);
                let digit = part.scaled(0);
                part = part.plus(&digit.clone().negated());
                text += &show(digit.to_usize().unwrap_or(0));
                reached = reached.times(&base_number);
            }
        }
        if text.is_empty() { "0".into() } else { format!("{sign}{text}") }
    }
}

/// Compares digits, of which the highest is not zero.
fn larger(a: &[u8], b: &[u8]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// Takes the smaller from the larger.
fn subtract(large: &mut Vec<u8>, small: &[u8]) {
    let mut borrowed = 0;
    for (at, digit) in large.iter_mut().enumerate() {
        let less = small.get(at).unwrap_or(&0) + borrowed;
        borrowed = u8::from(*digit < less);
        *digit = *digit + 10 * borrowed - less;
    }
    while large.last() == Some(&0) {
        large.pop();
    }
}
