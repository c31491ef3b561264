//! The functions of `bc -l`, each by the series that everybody knows.

use super::number::{DIGITS_MAX, Number};

/// Digits that are worked out beyond those asked for, so that those are right.
const SPARE: usize = 12;

/// Calls a function with so many digits after the point; `None` if there is none of that name.
pub(super) fn call(name: &str, x: &Number, scale: usize) -> Option<Number> {
    let places = scale + SPARE;
    let value = match name {
        "e" => exponential(x, places)?,
        "l" => logarithm(x, places)?,
        "s" => sine(x, places)?,
        "c" => {
            let quarter = pi(places)?.over(&2.into(), places)?;
            sine(&x.plus(&quarter), places)?
        }
        "a" => arc_tangent(x, places)?,
        _ => return None,
    };
    Some(value.scaled(scale))
}

/// Adds up terms until they vanish; each is made of the one before.
fn series(
    first: Number,
    places: usize,
    mut next: impl FnMut(&Number, usize) -> Option<Number>,
) -> Option<Number> {
    let (mut sum, mut term) = (first.clone(), first);
    for index in 1.. {
        term = next(&term, index)?.scaled(places);
        if term.is_zero() {
            break;
        }
        sum = sum.plus(&term);
    }
    Some(sum)
}

fn exponential(x: &Number, places: usize) -> Option<Number> {
    // Halved until it is small, and squared as often in the end.
    let mut halvings = 0_usize;
    let mut small = x.scaled(places + SPARE);
    while small.clone().times(&small).compare(&1.into()).is_gt() {
        small = small.over(&2.into(), places + SPARE)?;
        halvings += 1;
        if halvings > 40 {
            return None;
        }
    }
    let places = places + SPARE + halvings * 2;
    let mut value =
        series(1.into(), places, |term, index| term.times(&small).over(&index.into(), places))?;
    for _ in 0..halvings {
        value = value.times(&value).scaled(places);
        if value.length() > DIGITS_MAX {
            return None;
        }
    }
    Some(value)
}

fn logarithm(x: &Number, places: usize) -> Option<Number> {
    if x.is_zero() || x.is_negative() {
        // So says bc: as small as it gets.
        return Some(Number::from(1).negated());
    }
    // Roots until it is near one: each doubles the result.
    let (mut near, mut doublings) = (x.scaled(places + SPARE), 0_usize);
    let (low, high) = (Number::read(".9", 10), Number::read("1.1", 10));
    while near.compare(&high).is_gt() || near.compare(&low).is_lt() {
        near = near.root(places + SPARE)?;
        doublings += 1;
    }
    let one = Number::from(1);
    let ratio = near.plus(&one.clone().negated()).over(&near.plus(&one), places + SPARE)?;
    let square = ratio.times(&ratio).scaled(places + SPARE);
    let sum = odd_powers(ratio, &square, places + SPARE)?;
    let factor = (0..=doublings).fold(Number::from(1), |factor, _| factor.plus(&factor));
    Some(sum.times(&factor))
}

/// Sums the odd powers of `x`, each over its number; `square` leads from one to the next.
fn odd_powers(x: Number, square: &Number, places: usize) -> Option<Number> {
    let (mut power, mut sum) = (x.clone(), x);
    for index in (3..).step_by(2) {
        power = power.times(square).scaled(places);
        let term = power.over(&Number::from(index), places)?;
        if term.is_zero() {
            break;
        }
        sum = sum.plus(&term);
    }
    Some(sum)
}

fn pi(places: usize) -> Option<Number> {
    // Machin's formula.
    let part = |inverse: usize| {
        arc_tangent(&Number::from(1).over(&inverse.into(), places + SPARE)?, places + SPARE)
    };
    let sum = part(5)?.times(&4.into()).plus(&part(239)?.negated());
    Some(sum.times(&4.into()))
}

fn sine(x: &Number, places: usize) -> Option<Number> {
    let turn = pi(places + x.length())?.times(&2.into());
    let turns = x.over(&turn, 0)?;
    let x = x.plus(&turns.times(&turn).negated()).scaled(places + SPARE);
    let square = x.times(&x).scaled(places + SPARE).negated();
    series(x, places + SPARE, |term, index| {
        term.times(&square).over(&(2 * index * (2 * index + 1)).into(), places + SPARE)
    })
}

fn arc_tangent(x: &Number, places: usize) -> Option<Number> {
    // Halved with roots until the series is quick.
    let (mut small, mut doublings) = (x.scaled(places + SPARE), 0_usize);
    let bound = Number::read(".2", 10);
    let one = Number::from(1);
    while small.times(&small).compare(&bound.times(&bound)).is_gt() {
        let root = one.plus(&small.times(&small)).root(places + SPARE)?;
        small = small.over(&root.plus(&one), places + SPARE)?;
        doublings += 1;
    }
    let square = small.times(&small).scaled(places + SPARE).negated();
    let sum = odd_powers(small, &square, places + SPARE)?;
    let factor = (0..doublings).fold(Number::from(1), |factor, _| factor.plus(&factor));
    Some(sum.times(&factor))
}
