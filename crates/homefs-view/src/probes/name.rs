//! Names of probes: `notes.md:diff?from=3&to=now`, or `notes.md:diff,from=3,to=now`, which a shell
//! leaves as it is.

use homefs_core::Result;

use super::{On, PROBES, Probe, invalid};

/// In a word of no more letters, one may be mistyped, in a longer one two.
const SHORT: usize = 5;

/// A name that means a probe, if the node before it is there.
pub(crate) struct Name<'a> {
    pub(crate) probe: &'static Probe,
    /// The name of the node; empty for a probe of a directory.
    pub(crate) node: &'a str,
    /// What follows the word.
    arguments: &'a str,
}

impl<'a> Name<'a> {
    /// Takes a name apart; `None` if no word of the table is in its place.
    pub(crate) fn parse(name: &'a str) -> Option<Self> {
        // The last such word counts: the name of a node, and an argument, may have colons too.
        name.rmatch_indices(':').find_map(|(at, _)| {
            let (node, rest) = (&name[..at], &name[at + 1..]);
            let end = rest.find(['?', ',']).unwrap_or(rest.len());
            let (word, arguments) = rest.split_at(end);
            let probe = PROBES.iter().find(|probe| {
                probe.word == word && (probe.on == On::Directory) == node.is_empty()
            })?;
            Some(Self { probe, node, arguments })
        })
    }

    /// Returns the probe that a name nearly means, and the name of the node before it: a mistyped one
    /// must not become a file. `None` if it means one, or is near to none.
    pub(crate) fn nearly(name: &str) -> Option<(&'static Probe, &str)> {
        let (node, rest) = name.rsplit_once(':').filter(|_| Name::parse(name).is_none())?;
        let word = rest.split(['?', ',']).next().unwrap_or_default();
        let alike = PROBES.iter().filter(|probe| (probe.on == On::Directory) == node.is_empty());
        let alike = alike.map(|probe| (strsim::osa_distance(word, probe.word), probe));
        let (distance, probe) = alike.min_by_key(|(distance, _)| *distance)?;
        (distance <= if probe.word.len() > SHORT { 2 } else { 1 }).then_some((probe, node))
    }

    /// Reads the arguments, which must be ones that the probe takes.
    pub(crate) fn arguments(&self) -> Result<Arguments> {
        let separator = if self.arguments.starts_with('?') { '&' } else { ',' };
        let parts = self.arguments.get(1..).unwrap_or_default().split(separator);
        let mut arguments = Vec::new();
        for part in parts.filter(|part| !part.is_empty()) {
            let (key, value) = match part.split_once('=') {
                None | Some(("q", _)) => ("query", part.strip_prefix("q=").unwrap_or(part)),
                Some(pair) => pair,
            };
            let key =
                self.probe.arguments.iter().find(|known| **known == key).ok_or_else(|| {
                    let known = match self.probe.arguments {
                        [] => "none".into(),
                        known => known.join(", "),
                    };
                    invalid(format!(":{} does not take {key:?}; it takes {known}", self.probe.word))
                })?;
            arguments.push((*key, decode(value)?));
        }
        Ok(Arguments(arguments))
    }
}

/// What a probe is asked for.
#[derive(Debug)]
pub(crate) struct Arguments(Vec<(&'static str, String)>);

impl Arguments {
    /// Returns the value of an argument; of several the last.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| *known == key).map(|(_, value)| &**value)
    }

    /// Returns how many rows are wanted.
    pub(super) fn limit(&self, usual: usize, most: usize) -> Result<usize> {
        let Some(text) = self.get("limit") else { return Ok(usual) };
        match text.parse() {
            Ok(limit) if (1..=most).contains(&limit) => Ok(limit),
            _ => Err(invalid(format!("limit is a number from 1 to {most}, not {text:?}"))),
        }
    }
}

/// Reads `%41` and `+` as the letters they stand for.
fn decode(text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
                let (high, low) = (digit(), digit());
                let code = high.zip(low).and_then(|(high, low)| u8::try_from(high << 4 | low).ok());
                let wrong =
                    || invalid(format!("{text:?} has a `%` without two hexadecimal digits"));
                code.ok_or_else(wrong)?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes)
        .map_err(|cause| invalid(format!("{text:?} does not stand for UTF-8")).with_source(cause))
}
