//! Whether a statement puts another out of date.

use super::{
    language::{ENGLISH, Language},
    statement::{Sort, Statement, Word},
};
use crate::embed::StaticModel;

/// A value has at most so many words.
const VALUE_WORDS_MAX: usize = 5;
/// Values that are words are of one sort if they are as near as this.
const NEAR: f32 = 0.3;
/// What says that something ended says with so many words what is so instead.
const INSTEAD_MAX: usize = 4;
/// So many words may stand between a verb and its value.
const GAP_MAX: usize = 4;

/// Whether a newer statement says another value of what an older one says.
pub(super) fn is_outdated(old: &Statement<'_>, new: &Statement<'_>) -> bool {
    if old.is_addition || new.is_addition || old.is_momentary && !new.is_now {
        return false;
    }
    denies(old, new) || replaces(old, new)
}

/// Whether one says that what the other says is not so, or not so any more.
fn denies(old: &Statement<'_>, new: &Statement<'_>) -> bool {
    let (ended, is) = (endings(new), endings(old));
    if (ended > 0) == (is > 0) || !shares_subject(old, new) {
        return false;
    }
    let all_in = |one: &Statement<'_>, two: &Statement<'_>| {
        let has = |word: &Word<'_>| two.words.iter().any(|other| other.stem == word.stem);
        contents(one).count() >= 2 && contents(one).all(has)
    };
    // What ends may say what is so instead; what is so again says no more than what was not so.
    let more = || {
        ended > 0
            && old.words.iter().any(is_link)
            && contents(new).count() <= contents(old).count() + INSTEAD_MAX
    };
    all_in(old, new) && (more() || all_in(new, old))
}

fn endings(statement: &Statement<'_>) -> usize {
    statement.words.iter().filter(|word| is_ending(word)).count()
}

fn is_ending(word: &Word<'_>) -> bool {
    ENGLISH.endings.contains(&&*word.low)
}

fn contents<'a, 'b>(statement: &'b Statement<'a>) -> impl Iterator<Item = &'b Word<'a>> {
    statement.words.iter().filter(|word| word.is_content() && !is_ending(word))
}

/// Whether the first word of content is the same, and stands for itself.
fn shares_subject(old: &Statement<'_>, new: &Statement<'_>) -> bool {
    match (contents(old).next(), contents(new).next()) {
        (Some(one), Some(two)) => one.stem == two.stem && !is_pronoun(one),
        _ => false,
    }
}

/// Whether words name a subject by themselves.
fn has_subject(words: &[Word<'_>]) -> bool {
    let first = words.iter().find(|word| word.sort != Sort::Sign);
    words.iter().any(Word::is_content)
        && first.is_some_and(|first| !ENGLISH.pointers.contains(&&*first.low))
}

fn is_pronoun(word: &Word<'_>) -> bool {
    ENGLISH.pronouns.contains(&&*word.low)
}

/// Where two statements differ: all before and all behind is the same.
struct Difference<'a, 'b> {
    /// What is the same before, from the beginning of the sentence or the line on.
    before: &'b [Word<'a>],
    old: &'b [Word<'a>],
    new: &'b [Word<'a>],
    behind: &'b [Word<'a>],
}

/// Whether the statements differ in one value, and the newer one has another.
fn replaces(old: &Statement<'_>, new: &Statement<'_>) -> bool {
    let Some(difference) = Difference::of(&old.words, &new.words) else { return false };
    difference.is_changed()
        || (new.is_now || !new.is_momentary) && difference.is_other_value(new.is_now)
}

impl<'a, 'b> Difference<'a, 'b> {
    fn of(old: &'b [Word<'a>], new: &'b [Word<'a>]) -> Option<Self> {
        let same = |(one, two): &(&Word<'_>, &Word<'_>)| one.low == two.low && one.sort == two.sort;
        let start = old.iter().zip(new).take_while(same).count();
        let rest = old.len().min(new.len()) - start;
        let end = old.iter().rev().zip(new.iter().rev()).take_while(same).count().min(rest);
        let of_sentence = old[..start].iter().rposition(|word| word.sort == Sort::End);
        let before = &old[of_sentence.map_or(0, |at| at + 1)..start];
        let (behind, old) = (&old[old.len() - end..], &old[start..old.len() - end]);
        let new = &new[start..new.len() - end];
        let is_one = |words: &[Word<'_>]| words.iter().all(|word| word.sort != Sort::End);
        (is_one(old) && is_one(new)).then_some(Self { before, old, new, behind })
    }

    /// Whether both have a value of one sort behind the same verb or sign.
    fn is_other_value(&self, is_now: bool) -> bool {
        let (old, new) = (self.old, self.new);
        if new.is_empty() || old.is_empty() || !are_alike(old, new) {
            return false;
        }
        let sort = value_sort(new);
        let Some(at) = self.before.iter().rposition(is_link) else {
            return is_now
                && self.before.len() >= 2
                && has_subject(self.before)
                && sort != Sort::Word;
        };
        let (subject, link, gap) = (&self.before[..at], &self.before[at], &self.before[at + 1..]);
        if !has_subject(subject) || gap.len() > GAP_MAX {
            return false;
        }
        if link.sort == Sort::Sign {
            let rest = self.behind.split(|word| word.sort == Sort::End).next().unwrap_or_default();
            let has_more = rest.iter().any(|word| word.sort == Sort::Sign);
            return gap.is_empty()
                && !has_more
                && is_key(subject, sort)
                && self.are_values(subject);
        }
        let is_filled = gap.iter().any(|word| !matches!(word.sort, Sort::Helper | Sort::Word));
        let is_counter = Language::is_verb(ENGLISH.counters, &link.low);
        let strange = gap.iter().any(|word| word.is_content() && !is_role(word));
        !is_filled
            && match sort {
                Sort::Word => !is_counter && !strange && gap.len() <= 2,
                Sort::Name => !is_counter && !strange,
                _ => true,
            }
    }

    /// Whether the values are such as a key has: no code, and no answers behind who speaks.
    fn are_values(&self, key: &[Word<'_>]) -> bool {
        let is_value = |word: &Word<'_>| {
            !word.raw.contains(['(', '<', '{', '['])
                && (is_phrase(key)
                    || !matches!(word.sort, Sort::Word | Sort::Name)
                    || word.raw.contains(|c: char| !c.is_alphabetic()))
        };
        self.old.iter().chain(self.new).all(is_value)
    }

    /// Whether the newer one says that the value has become another.
    fn is_changed(&self) -> bool {
        let verb = self.new.iter().position(|word| ENGLISH.changes.contains(&&*word.low));
        let Some(verb) =
            verb.filter(|verb| self.new[..*verb].iter().all(|word| word.sort == Sort::Helper))
        else {
            return false;
        };
        let rest = &self.new[verb + 1..];
        let at = |sign: &str| rest.iter().position(|word| word.low == sign);
        let (from, to) = (at(ENGLISH.from_to.0), at(ENGLISH.from_to.1));
        if let (Some(from), Some(to)) = (from, to)
            && from < to
        {
            let was = &rest[from + 1..to];
            let is_there =
                !was.is_empty() && self.old.windows(was.len()).any(|words| is_same(words, was));
            let shared = |word: &&Word<'_>| {
                word.is_content()
                    && !was.iter().any(|one| one.low == word.low)
                    && self.new.iter().any(|one| one.low == word.low)
            };
            return is_there
                && (has_subject(self.before)
                    || has_subject(self.behind)
                    || self.old.iter().any(|word| shared(&word)));
        }
        let new = rest.iter().position(|word| word.sort != Sort::Helper).map(|at| &rest[at..]);
        let old = self
            .old
            .iter()
            .position(|word| !is_link(word) && !is_role(word) && word.sort != Sort::Helper);
        let linked = self.old.iter().any(is_link) || self.before.iter().any(is_link);
        match (old.map(|at| &self.old[at..]), new) {
            (Some(old), Some(new)) => {
                linked
                    && has_subject(self.before)
                    && sorts(old).eq(sorts(new))
                    && old.len() <= VALUE_WORDS_MAX
                    && !is_same(old, new)
            }
            _ => false,
        }
    }
}

/// Whether a word stands between a subject and its only value.
fn is_link(word: &Word<'_>) -> bool {
    word.sort == Sort::Sign
        || ENGLISH.copulas.contains(&&*word.low)
        || Language::is_verb(ENGLISH.holders, &word.low)
        || Language::is_verb(ENGLISH.counters, &word.low)
}

fn is_role(word: &Word<'_>) -> bool {
    ENGLISH.roles.contains(&&*word.low) || ENGLISH.changes.contains(&&*word.low)
}

fn is_same(one: &[Word<'_>], two: &[Word<'_>]) -> bool {
    one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one.low == two.low)
}

/// What the words of a value stand for, but those that help.
fn sorts(words: &[Word<'_>]) -> impl Iterator<Item = Sort> {
    words.iter().map(|word| word.sort).filter(|sort| *sort != Sort::Helper)
}

/// What a value stands for as a whole: a word in it makes it words.
fn value_sort(words: &[Word<'_>]) -> Sort {
    let found = |sort| sorts(words).any(|one| one == sort);
    let sorts = [Sort::Word, Sort::Name, Sort::Number, Sort::Clock, Sort::Date];
    sorts.into_iter().find(|sort| found(*sort)).unwrap_or(Sort::Helper)
}

/// Whether two values are of one sort.
fn are_alike(old: &[Word<'_>], new: &[Word<'_>]) -> bool {
    if old.len().max(new.len()) > VALUE_WORDS_MAX || value_sort(old) != value_sort(new) {
        return false;
    }
    let has = |word: &Word<'_>| new.iter().any(|other| other.low == word.low);
    if old.iter().any(|word| word.is_content() && has(word)) {
        return false;
    }
    match value_sort(new) {
        Sort::Helper => false,
        Sort::Word => {
            old.len() <= 2 && new.len() <= 2 && sorts(old).eq(sorts(new)) && are_near(old, new)
        }
        Sort::Name => true,
        _ => sorts(old).eq(sorts(new)),
    }
}

/// Whether words are near in meaning.
fn are_near(old: &[Word<'_>], new: &[Word<'_>]) -> bool {
    let vector = |words: &[Word<'_>]| {
        let text: Vec<&str> = words.iter().map(|word| word.raw).collect();
        StaticModel::built_in().embed(&text.join(" "))
    };
    let (old, new) = (vector(old), vector(new));
    old.iter().zip(&new).map(|(one, two)| one * two).sum::<f32>() >= NEAR
}

/// Whether what stands before a sign is a key that has one value, and not one under which many
/// things are told: who speaks, a day, a list.
fn is_key(subject: &[Word<'_>], sort: Sort) -> bool {
    let has = |sorts: &[Sort]| subject.iter().any(|word| sorts.contains(&word.sort));
    let is_code = || subject.iter().all(|word| !word.raw.contains(char::is_uppercase));
    let is_phrase = || is_phrase(subject) && !has(&[Sort::Number, Sort::Date, Sort::Clock]);
    has(&[Sort::Word, Sort::Name])
        && (matches!(sort, Sort::Number | Sort::Clock) || is_code() || is_phrase())
}

/// Whether a key is of several words.
fn is_phrase(subject: &[Word<'_>]) -> bool {
    subject.iter().filter(|word| word.is_content()).count() >= 2
}
