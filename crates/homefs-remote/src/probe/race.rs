//! Races: puts that arrive together, of which one may happen.
//!
//! A server that checks a condition in one step and stores in another passes every question that
//! is asked alone. Only puts that meet between its two steps find it out, so many are tried, each
//! on a connection of its own.

use std::time::Duration;

use bytes::Bytes;
use homefs_core::{Clock, Condition, ErrorKind, Remote, RemoteAnswer, RemoteRequest, Result, Tag};
use serde::{Deserialize, Serialize};

/// How many objects are raced for at once, and how many writers race for each: pairs, and crowds
/// that keep a server busy. Both are 32 puts, as many as are sent at once.
const SHAPES: [(usize, usize); 2] = [(16, 2), (4, 8)];

/// After this time no further round begins.
const LONGEST: Duration = Duration::from_mins(1);

/// How thoroughly a remote is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// 80 races, with less than 400 requests, one after the other 20 times.
    Quick,
    /// 800 races, with less than 4,000 requests, one after the other 200 times.
    Thorough,
}

impl Effort {
    fn rounds(self) -> usize {
        match self {
            Self::Quick => 4,
            Self::Thorough => 40,
        }
    }
}

/// How races ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Races {
    /// Races that were decided.
    pub run: u32,
    /// Those of them that several writers won, or whose winner did not find what it had stored.
    pub broken: u32,
}

impl Races {
    fn count(&mut self, verdict: Verdict) {
        self.run += u32::from(verdict != Verdict::Undecided);
        self.broken += u32::from(verdict == Verdict::Broken);
    }
}

/// How one race ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// One writer won, and the object is what it stored.
    Fair,
    /// Several won, or the object is not what the winner stored.
    Broken,
    /// Nothing can be said, because answers are missing.
    Undecided,
}

/// All races of a probe.
pub(super) struct Course<'a> {
    pub(super) remote: &'a dyn Remote,
    /// What the keys of the objects start with.
    pub(super) key: String,
    pub(super) effort: Effort,
    pub(super) clock: &'a dyn Clock,
}

impl Course<'_> {
    /// Runs the races, and returns how those for new objects ended, and those for objects to
    /// replace.
    pub(super) fn run(&self) -> Result<(Races, Races)> {
        let (mut creates, mut replaces) = (Races::default(), Races::default());
        let end = self.clock.now().after(LONGEST);
        for round in 0..self.effort.rounds() {
            if self.clock.now() > end {
                break;
            }
            let (objects, writers) = SHAPES[round % SHAPES.len()];
            let keys: Vec<_> =
                (0..objects).map(|object| format!("{}-{round}-{object}", self.key)).collect();
            let ran = self.round(&keys, writers, &mut creates, &mut replaces);
            let delete = |key: &String| RemoteRequest::Delete { key: key.clone() };
            let deleted = self.remote.run(keys.iter().map(delete).collect());
            ran?;
            deleted.into_iter().collect::<Result<Vec<_>>>()?;
        }
        Ok((creates, replaces))
    }

    /// Lets writers race to create objects, and then to replace what they find.
    fn round(
        &self,
        keys: &[String],
        writers: usize,
        creates: &mut Races,
        replaces: &mut Races,
    ) -> Result<()> {
        let absent = keys.iter().map(|key| (key.clone(), Condition::Absent)).collect();
        let there = self.race(absent, "creator", writers, creates)?;
        let unchanged = |(key, tag)| (key, Condition::Unchanged(tag));
        let present = there.into_iter().map(unchanged).collect();
        self.race(present, "writer", writers, replaces)?;
        Ok(())
    }

    /// Lets writers race for each object under its condition; returns those that are there
    /// afterwards, with their tags.
    fn race(
        &self,
        objects: Vec<(String, Condition)>,
        name: &str,
        writers: usize,
        races: &mut Races,
    ) -> Result<Vec<(String, Tag)>> {
        let content = |writer: usize| Bytes::from(format!("{name} {writer}"));
        // Those that race for one object are sent one right after the other.
        let puts = objects.iter().flat_map(|(key, condition)| {
            (0..writers).map(|writer| RemoteRequest::Put {
                key: key.clone(),
                content: content(writer),
                condition: condition.clone(),
            })
        });
        let answers = self.remote.run(puts.collect());
        let told = answers.iter().map(told).collect::<Result<Vec<_>>>()?;
        if told.iter().all(|told| *told == Told::Nothing)
            && let Some(Err(error)) = answers.into_iter().next()
        {
            return Err(error);
        }
        let get = |key: &String| RemoteRequest::Get { key: key.clone(), range: None, unless: None };
        let found = self.remote.run(objects.iter().map(|(key, _)| get(key)).collect());
        let mut present = Vec::new();
        for (((key, _), told), found) in objects.into_iter().zip(told.chunks(writers)).zip(found) {
            let found = match found {
                Ok(RemoteAnswer::Object { content, tag, .. }) => Some((content, tag)),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(error) if error.kind() == ErrorKind::Unavailable => continue,
                Err(error) => return Err(error),
                Ok(answer) => return Err(super::unexpected(&answer)),
            };
            let author = found
                .as_ref()
                .and_then(|(found, _)| (0..writers).find(|writer| content(*writer) == *found));
            races.count(judge(told, author));
            present.extend(found.map(|(_, tag)| (key, tag)));
        }
        Ok(present)
    }
}

/// What a writer was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// That its put happened.
    Won,
    /// That the condition does not hold.
    Lost,
    /// Nothing that counts: the put may have happened.
    Nothing,
}

/// Returns what an answer tells its writer; an error if it has nothing to do with the race.
fn told(answer: &Result<RemoteAnswer>) -> Result<Told> {
    match answer {
        Ok(RemoteAnswer::Stored { .. }) => Ok(Told::Won),
        Ok(answer) => Err(super::unexpected(answer)),
        Err(error) => match error.kind() {
            ErrorKind::Conflict | ErrorKind::Unsupported => Ok(Told::Lost),
            ErrorKind::Unavailable => Ok(Told::Nothing),
            _ => Err(error.clone()),
        },
    }
}

/// Judges a race by what its writers were told, and by whose content the object has now, if it is
/// one of theirs.
fn judge(told: &[Told], author: Option<usize>) -> Verdict {
    let count = |wanted| told.iter().filter(|told| **told == wanted).count();
    let author_told = author.map(|author| told[author]);
    match (count(Told::Won), author_told) {
        (1, Some(Told::Won)) if told.len() - count(Told::Nothing) > 1 => Verdict::Fair,
        // One that was alone, or one that nobody knows of.
        (1, Some(Told::Won)) | (0, None | Some(Told::Nothing)) => Verdict::Undecided,
        _ => Verdict::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::Told::{Lost, Nothing, Won};
    use super::Verdict::{Broken, Fair, Undecided};
    use super::*;

    #[test]
    fn a_race_is_fair_if_one_wins_and_its_content_stays() {
        let check = |told: &[Told], author, expected| {
            assert_eq!(judge(told, author), expected, "{told:?} {author:?}");
        };
        check(&[Lost, Won], Some(1), Fair);
        check(&[Lost, Won, Nothing], Some(1), Fair);
        check(&[Won, Won], Some(1), Broken);
        check(&[Won, Lost], Some(1), Broken);
        check(&[Won, Lost], None, Broken);
        // It happened though another had won.
        check(&[Won, Lost, Nothing], Some(2), Broken);
        check(&[Lost, Lost], Some(0), Broken);
        check(&[Lost, Lost], None, Undecided);
        check(&[Lost, Nothing], Some(1), Undecided);
        check(&[Won, Nothing], Some(0), Undecided);
    }
}
