//! Lining up three sequences: which stretches did HEAD change, which the pushed side, which both.

use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Who changed a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Nobody: the three are equal.
    Nobody,
    /// HEAD, or both alike.
    Head,
    /// The pushed side.
    Pushed,
    /// Both, each its own way.
    Both,
}

/// One stretch of three sequences; together the stretches are all of them, in order.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    /// Who changed it.
    pub(super) by: By,
    /// Where it is in the base.
    pub(super) base: Range<usize>,
    /// Where it is in HEAD.
    pub(super) head: Range<usize>,
    /// Where it is in the pushed sequence.
    pub(super) pushed: Range<usize>,
}

/// Lines up a base with its two changed forms.
///
/// Changes that only touch stay apart, so that ticking one line and ticking the next is no overlap;
/// two insertions at one place belong together.
pub(super) fn line_up<T: Hash + Eq + Ord>(base: &[T], head: &[T], pushed: &[T]) -> Vec<Stretch> {
    let mut sides = [Side::of(base, head), Side::of(base, pushed)];
    let mut stretches = Vec::new();
    let mut at = 0;
    while let Some(first) = first_edit(&sides) {
        stretches.extend(unchanged(at..first.start, &mut sides));
        let (place, counts) = gather(first, &sides);
        let [head_at, pushed_at] = [0, 1].map(|side| sides[side].pass(&place, counts[side]));
        let by = match counts {
            [_, 0] => By::Head,
            [0, _] => By::Pushed,
            _ if head[head_at.clone()] == pushed[pushed_at.clone()] => By::Head,
            _ => By::Both,
        };
        at = place.end;
        stretches.push(Stretch { by, base: place, head: head_at, pushed: pushed_at });
    }
    stretches.extend(unchanged(at..base.len(), &mut sides));
    drop_repeats(&mut stretches, head, pushed);
    stretches
}

/// Takes one of two neighbours back if the other one says the same: a diff may find one insertion
/// before a word on one side and in place of it on the other.
fn drop_repeats<T: Eq>(stretches: &mut [Stretch], head: &[T], pushed: &[T]) {
    for at in 1..stretches.len() {
        let [one, other] = [at - 1, at].map(|at| &stretches[at]);
        let (by_head, by_pushed) = match (one.by, other.by) {
            (By::Head, By::Pushed) => (one, other),
            (By::Pushed, By::Head) => (other, one),
            // What both changed has the insertion already.
            (By::Head, By::Both)
                if one.base.is_empty()
                    && holds(&pushed[other.pushed.clone()], &head[one.head.clone()]) =>
            {
                stretches[at - 1].by = By::Pushed;
                continue;
            }
            (By::Pushed, By::Both)
                if one.base.is_empty()
                    && holds(&head[other.head.clone()], &pushed[one.pushed.clone()]) =>
            {
                stretches[at - 1].by = By::Head;
                continue;
            }
            _ => continue,
        };
        let written = [&head[by_head.head.clone()], &pushed[by_pushed.pushed.clone()]];
        let inserts = one.base.is_empty() || other.base.is_empty();
        if !inserts || written.iter().any(|written| written.is_empty()) {
            continue;
        }
        if holds(written[0], written[1]) {
            stretches[at - 1].by = By::Head;
            stretches[at].by = By::Head;
        } else if holds(written[1], written[0]) {
            stretches[at - 1].by = By::Pushed;
            stretches[at].by = By::Pushed;
        }
    }
}

/// Returns what both wrote at one place: HEAD's, then the pushed side's, but only once what both
/// began with, or what one ends and the other begins with: two copies of a store had it.
pub(super) fn both<'a, T: Eq>(head: &'a [T], pushed: &'a [T]) -> [&'a [T]; 2] {
    if holds(head, pushed) {
        [head, &[]]
    } else if holds(pushed, head) {
        [&[], pushed]
    } else if let Some(len) = overlap(head, pushed) {
        [head, &pushed[len..]]
    } else if let Some(len) = overlap(pushed, head) {
        [pushed, &head[len..]]
    } else {
        [head, &pushed[alike(head, pushed)..]]
    }
}

/// Returns how much of the end of a sequence another one begins with.
fn overlap<T: Eq>(one: &[T], next: &[T]) -> Option<usize> {
    (1..one.len().min(next.len())).rev().find(|len| one.ends_with(&next[..*len]))
}

/// Tells whether a sequence begins with one part of another one and ends with the rest, as a merge
/// of the two does.
pub(super) fn holds<T: Eq>(whole: &[T], part: &[T]) -> bool {
    whole.len() >= part.len() && whole.ends_with(&part[alike(whole, part)..])
        || whole.ends_with(part)
}

/// Returns how much two sequences begin with alike.
fn alike<T: Eq>(one: &[T], other: &[T]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// One replaced place of the base.
struct Edit {
    base: Range<usize>,
    side: Range<usize>,
}

/// How far one side has been lined up.
struct Side {
    /// Its edits in order; two of them never touch.
    edits: Vec<Edit>,
    /// How many edits are behind.
    done: usize,
    /// How much of the side is behind.
    at: usize,
}

impl Side {
    fn of<T: Hash + Eq + Ord>(base: &[T], side: &[T]) -> Self {
        let mut edits: Vec<Edit> = Vec::new();
        for op in capture_diff_slices(Algorithm::Patience, base, side) {
            match (op, edits.last_mut()) {
                (DiffOp::Equal { .. }, _) => {}
                (op, Some(last))
                    if last.base.end == op.old_range().start
                        && last.side.end == op.new_range().start =>
                {
                    last.base.end = op.old_range().end;
                    last.side.end = op.new_range().end;
                }
                (op, _) => edits.push(Edit { base: op.old_range(), side: op.new_range() }),
            }
        }
        Self { edits, done: 0, at: 0 }
    }

    /// Goes past a place of the base with so many edits in it; returns where the side has it.
    fn pass(&mut self, place: &Range<usize>, count: usize) -> Range<usize> {
        let start = self.at;
        self.done += count;
        self.at = match self.edits[..self.done].last() {
            Some(last) if count > 0 => last.side.end + place.end - last.base.end,
            _ => start + place.len(),
        };
        start..self.at
    }
}

/// Returns the place of the next edit of either side; an insertion comes before what replaces the
/// base behind it.
fn first_edit(sides: &[Side; 2]) -> Option<Range<usize>> {
    let next = sides.iter().filter_map(|side| side.edits.get(side.done));
    next.map(|edit| edit.base.clone()).min_by_key(|place| (place.start, place.end))
}

/// Widens a place to all edits that overlap it, and counts those of each side.
fn gather(mut place: Range<usize>, sides: &[Side; 2]) -> (Range<usize>, [usize; 2]) {
    let mut counts = [0, 0];
    loop {
        let before = counts;
        let overlaps = before.iter().all(|count| *count > 0);
        for (side, count) in sides.iter().zip(&mut counts) {
            let Some(edit) = side.edits.get(side.done + *count) else { continue };
            let inserts = edit.base.is_empty() && edit.base.start == place.end;
            if edit.base.start < place.end || inserts && (place.is_empty() || overlaps) {
                place.end = place.end.max(edit.base.end);
                *count += 1;
            }
        }
        if counts == before {
            return (place, counts);
        }
    }
}

/// Returns the stretch that nobody changed, unless it is empty.
fn unchanged(base: Range<usize>, sides: &mut [Side; 2]) -> Option<Stretch> {
    let [head, pushed] = [0, 1].map(|side| sides[side].pass(&base, 0));
    (!base.is_empty()).then_some(Stretch { by: By::Nobody, base, head, pushed })
}
