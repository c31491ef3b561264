//! Which lines differ: the algorithm of GNU's `diff`, so that it is the same lines.
//!
//! It is that of Myers from both ends at once, after lines are set aside that occur in one file
//! only, or so often that they say nothing; in the end changes are moved as far down as they go.

use std::collections::HashMap;
use std::hash::Hash;

use similar::DiffOp;

/// How many steps are taken before a way that may not be the shortest is good enough.
const STEPS_MAX: usize = 4096;

/// Compares two texts line by line; `context` lines beside what differs are looked at, too.
pub(super) fn compare<K: Hash + Eq>(a: &[K], b: &[K], context: usize) -> Vec<DiffOp> {
    let mut numbers = HashMap::new();
    let mut number = |key| {
        let next = numbers.len();
        *numbers.entry(key).or_insert(next)
    };
    let a: Vec<usize> = a.iter().map(&mut number).collect();
    let b: Vec<usize> = b.iter().map(&mut number).collect();
    let prefix = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let ends = a[prefix..].iter().rev().zip(b[prefix..].iter().rev());
    let suffix = ends.take_while(|(a, b)| a == b).count();
    let (prefix, suffix) = (prefix.saturating_sub(context), suffix.saturating_sub(context));
    let mut first = Text::new(&a[prefix..a.len() - suffix]);
    let mut second = Text::new(&b[prefix..b.len() - suffix]);
    let (left, right) = (first.keep(&second, numbers.len()), second.keep(&first, numbers.len()));
    let mut search = Search::new(left, right);
    search.all([0, search.left.len()], [0, search.right.len()], false);
    let Search { left, right, removed, added, .. } = search;
    left.iter().zip(removed).for_each(|(line, removed)| first.changed[line.0 + 1] |= removed);
    right.iter().zip(added).for_each(|(line, added)| second.changed[line.0 + 1] |= added);
    shift(&mut first, &second);
    shift(&mut second, &first);
    operations(&first, &second, prefix, suffix)
}

/// The lines of one side, and which of them are changed; one more on each side is not.
struct Text<'a> {
    lines: &'a [usize],
    changed: Vec<bool>,
}

impl<'a> Text<'a> {
    fn new(lines: &'a [usize]) -> Self {
        Self { lines, changed: vec![false; lines.len() + 2] }
    }

    /// Returns the lines to compare; the others are changed.
    fn keep(&mut self, other: &Text<'_>, numbers: usize) -> Vec<(usize, usize)> {
        let mut counts = vec![0; numbers];
        other.lines.iter().for_each(|line| counts[*line] += 1);
        let mut many = 5;
        let mut rest = self.lines.len() / 64;
        while rest >> 2 > 0 {
            rest >>= 2;
            many *= 2;
        }
        let mut aside: Vec<Aside> = self
            .lines
            .iter()
            .map(|line| match counts[*line] {
                0 => Aside::Yes,
                count if count > many => Aside::Perhaps,
                _ => Aside::No,
            })
            .collect();
        settle(&mut aside);
        let mut kept = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            if aside[at] == Aside::No {
                kept.push((at, *line));
            } else {
                self.changed[at + 1] = true;
            }
        }
        kept
    }
}

/// Whether a line is set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aside {
    No,
    Yes,
    Perhaps,
}

/// Decides about lines that are frequent: they are set aside only among others that are.
fn settle(aside: &mut [Aside]) {
    let mut at = 0;
    while at < aside.len() {
        match aside[at] {
            Aside::Perhaps => aside[at] = Aside::No,
            Aside::No => {}
            Aside::Yes => {
                let run = aside[at..].iter().take_while(|aside| **aside != Aside::No).count();
                let run = &mut aside[at..at + run];
                let last = run.iter().rposition(|aside| *aside == Aside::Yes).unwrap_or(0);
                run[last + 1..].fill(Aside::No);
                settle_run(&mut run[..=last]);
                at += last;
            }
        }
        at += 1;
    }
}

/// Decides about the lines between two that are set aside.
fn settle_run(run: &mut [Aside]) {
    let frequent = run.iter().filter(|aside| **aside == Aside::Perhaps).count();
    let cancel = |aside: &mut Aside| {
        if *aside == Aside::Perhaps {
            *aside = Aside::No;
        }
    };
    if frequent * 4 > run.len() {
        run.iter_mut().for_each(cancel);
        return;
    }
    // About the root of a quarter of the length: so many in a row are too many.
    let (mut least, mut rest) = (1, run.len() >> 2);
    while rest >> 2 > 0 {
        rest >>= 2;
        least <<= 1;
    }
    least += 1;
    let mut start = 0;
    while start < run.len() {
        let length = run[start..].iter().take_while(|aside| **aside == Aside::Perhaps).count();
        if length >= least {
            run[start..start + length].fill(Aside::No);
        }
        start += length.max(1);
    }
    settle_end(&mut run.iter_mut());
    settle_end(&mut run.iter_mut().rev());
}

/// Keeps frequent lines until three in a row are set aside for certain.
fn settle_end(lines: &mut dyn Iterator<Item = &mut Aside>) {
    let mut certain = 0;
    for (index, aside) in lines.enumerate() {
        if index >= 8 && *aside == Aside::Yes {
            return;
        }
        certain = if *aside == Aside::Yes { certain + 1 } else { 0 };
        if *aside == Aside::Perhaps {
            *aside = Aside::No;
        }
        if certain == 3 {
            return;
        }
    }
}

/// A search for what two lists have in common; each line with its place and its number.
struct Search {
    left: Vec<(usize, usize)>,
    right: Vec<(usize, usize)>,
    removed: Vec<bool>,
    added: Vec<bool>,
    /// How far each diagonal was followed from the start, and from the end.
    forward: Vec<isize>,
    backward: Vec<isize>,
    steps_max: usize,
}

/// Where a comparison is cut in two, and whether each half must be as short as possible.
struct Cut {
    left: usize,
    right: usize,
    exact: [bool; 2],
}

impl Search {
    fn new(left: Vec<(usize, usize)>, right: Vec<(usize, usize)>) -> Self {
        let diagonals = left.len() + right.len() + 3;
        Self {
            removed: vec![false; left.len()],
            added: vec![false; right.len()],
            forward: vec![0; diagonals],
            backward: vec![0; diagonals],
            steps_max: STEPS_MAX.max(diagonals.isqrt()),
            left,
            right,
        }
    }

    fn same(&self, left: usize, right: usize) -> bool {
        self.left[left].1 == self.right[right].1
    }

    fn all(
        &mut self,
        [mut from, mut to]: [usize; 2],
        [mut other, mut end]: [usize; 2],
        exact: bool,
    ) {
        while from < to && other < end && self.same(from, other) {
            (from, other) = (from + 1, other + 1);
        }
        while from < to && other < end && self.same(to - 1, end - 1) {
            (to, end) = (to - 1, end - 1);
        }
        if from == to {
            self.added[other..end].fill(true);
        } else if other == end {
            self.removed[from..to].fill(true);
        } else {
            let cut = self.cut([from, to], [other, end], exact);
            self.all([from, cut.left], [other, cut.right], cut.exact[0]);
            self.all([cut.left, to], [cut.right, end], cut.exact[1]);
        }
    }

    /// Finds the middle of a shortest way from both ends.
    fn cut(&mut self, [from, to]: [usize; 2], [other, end]: [usize; 2], exact: bool) -> Cut {
        let base = self.right.len().cast_signed() + 1;
        let [from, to, other, end] = [from, to, other, end].map(usize::cast_signed);
        let place = |diagonal: isize| (diagonal + base).cast_unsigned();
        let (lowest, highest) = (from - end, to - other);
        let (middle, last) = (from - other, to - end);
        let (mut low, mut high, mut back_low, mut back_high) = (middle, middle, last, last);
        let odd = (middle - last) & 1 != 0;
        self.forward[place(middle)] = from;
        self.backward[place(last)] = to;
        let cut = |x: isize, y: isize| Cut {
            left: x.cast_unsigned(),
            right: y.cast_unsigned(),
            exact: [true, true],
        };
        for step in 1.. {
            widen(&mut self.forward, place, (&mut low, &mut high), (lowest, highest), -1);
            for diagonal in (low..=high).rev().step_by(2) {
                let (below, above) =
                    (self.forward[place(diagonal - 1)], self.forward[place(diagonal + 1)]);
                let mut x = if below < above { above } else { below + 1 };
                while x < to
                    && x - diagonal < end
                    && self.same(x.cast_unsigned(), (x - diagonal).cast_unsigned())
                {
                    x += 1;
                }
                self.forward[place(diagonal)] = x;
                let meets = odd && (back_low..=back_high).contains(&diagonal);
                if meets && self.backward[place(diagonal)] <= x {
                    return cut(x, x - diagonal);
                }
            }
            let bounds = (&mut back_low, &mut back_high);
            widen(&mut self.backward, place, bounds, (lowest, highest), isize::MAX);
            for diagonal in (back_low..=back_high).rev().step_by(2) {
                let (below, above) =
                    (self.backward[place(diagonal - 1)], self.backward[place(diagonal + 1)]);
                let mut x = if below < above { below } else { above - 1 };
                while from < x
                    && other < x - diagonal
                    && self.same((x - 1).cast_unsigned(), (x - diagonal - 1).cast_unsigned())
                {
                    x -= 1;
                }
                self.backward[place(diagonal)] = x;
                let meets = !odd && (low..=high).contains(&diagonal);
                if meets && x <= self.forward[place(diagonal)] {
                    return cut(x, x - diagonal);
                }
            }
            if !exact && step >= self.steps_max {
                let ranges = [(low, high), (back_low, back_high)];
                return self.give_up([from, to], [other, end], ranges);
            }
        }
        unreachable!("the ways meet before there are no more diagonals")
    }

    /// Cuts where one of the ways has come farthest.
    fn give_up(
        &self,
        [from, to]: [isize; 2],
        [other, end]: [isize; 2],
        [(low, high), (back_low, back_high)]: [(isize, isize); 2],
    ) -> Cut {
        let base = self.right.len().cast_signed() + 1;
        let place = |diagonal: isize| (diagonal + base).cast_unsigned();
        let mut ahead = (-1, 0);
        for diagonal in (low..=high).rev().step_by(2) {
            let x = self.forward[place(diagonal)].min(to).min(end + diagonal);
            ahead = if ahead.0 < 2 * x - diagonal { (2 * x - diagonal, x) } else { ahead };
        }
        let mut behind = (isize::MAX, 0);
        for diagonal in (back_low..=back_high).rev().step_by(2) {
            let x = self.backward[place(diagonal)].max(from).max(other + diagonal);
            behind = if 2 * x - diagonal < behind.0 { (2 * x - diagonal, x) } else { behind };
        }
        let forward = (to + end) - behind.0 < ahead.0 - (from + other);
        let (sum, x) = if forward { ahead } else { behind };
        Cut {
            left: x.cast_unsigned(),
            right: (sum - x).cast_unsigned(),
            exact: [forward, !forward],
        }
    }
}

/// Takes in one diagonal more on each side, as far as there are any.
fn widen(
    reached: &mut [isize],
    place: impl Fn(isize) -> usize,
    (low, high): (&mut isize, &mut isize),
    (lowest, highest): (isize, isize),
    never: isize,
) {
    if *low > lowest {
        *low -= 1;
        reached[place(*low - 1)] = never;
    } else {
        *low += 1;
    }
    if *high < highest {
        *high += 1;
        reached[place(*high + 1)] = never;
    } else {
        *high -= 1;
    }
}

/// Moves changes down as far as they go, or to where the other side has one, too.
fn shift(text: &mut Text<'_>, other: &Text<'_>) {
    // Places are one more than the lines they stand for, so that there is one before the first.
    let (lines, end) = (text.lines, text.lines.len() + 1);
    let (changed, beside) = (&mut text.changed, &other.changed);
    let same = |a: usize, b: usize| lines[a - 1] == lines[b - 1];
    let (mut at, mut opposite) = (1, 1);
    loop {
        while at < end && !changed[at] {
            while beside[opposite] {
                opposite += 1;
            }
            opposite += 1;
            at += 1;
        }
        if at == end {
            return;
        }
        let mut start = at;
        while changed[at] {
            at += 1;
        }
        while beside[opposite] {
            opposite += 1;
        }
        let mut matching;
        loop {
            let length = at - start;
            while start > 1 && same(start - 1, at - 1) {
                (start, at) = (start - 1, at - 1);
                (changed[start], changed[at]) = (true, false);
                while changed[start - 1] {
                    start -= 1;
                }
                opposite -= 1;
                while beside[opposite] {
                    opposite -= 1;
                }
            }
            matching = if beside[opposite - 1] { at } else { end };
            while at != end && same(start, at) {
                (changed[start], changed[at]) = (false, true);
                (start, at) = (start + 1, at + 1);
                while changed[at] {
                    at += 1;
                }
                opposite += 1;
                while beside[opposite] {
                    matching = at;
                    opposite += 1;
                }
            }
            if length == at - start {
                break;
            }
        }
        while matching < at {
            (start, at) = (start - 1, at - 1);
            (changed[start], changed[at]) = (true, false);
            opposite -= 1;
            while beside[opposite] {
                opposite -= 1;
            }
        }
    }
}

/// Writes down what has to be done to make the second of the first.
fn operations(first: &Text<'_>, second: &Text<'_>, prefix: usize, suffix: usize) -> Vec<DiffOp> {
    let (mut old, mut new) = (0, 0);
    let mut operations = Vec::new();
    let mut kept = prefix;
    let (lines, others) = (first.lines.len(), second.lines.len());
    while old < lines || new < others {
        let removed = first.changed[old + 1..=lines].iter().take_while(|changed| **changed).count();
        let added = second.changed[new + 1..=others].iter().take_while(|changed| **changed).count();
        if removed + added == 0 {
            (old, new, kept) = (old + 1, new + 1, kept + 1);
            continue;
        }
        let (old_index, new_index) = (prefix + old, prefix + new);
        if kept > 0 {
            let (old_index, new_index) = (old_index - kept, new_index - kept);
            operations.push(DiffOp::Equal { old_index, new_index, len: kept });
        }
        kept = 0;
        operations.push(match (removed, added) {
            (old_len, 0) => DiffOp::Delete { old_index, old_len, new_index },
            (0, new_len) => DiffOp::Insert { old_index, new_index, new_len },
            (old_len, new_len) => DiffOp::Replace { old_index, old_len, new_index, new_len },
        });
        (old, new) = (old + removed, new + added);
    }
    let len = kept + suffix;
    if len > 0 {
        let (old_index, new_index) = (prefix + lines - kept, prefix + others - kept);
        operations.push(DiffOp::Equal { old_index, new_index, len });
    }
    operations
}
