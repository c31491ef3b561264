//! Texts that commands take as an argument or from standard input.

use std::io::Read;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use homefs_core::Error;

use super::write;
use crate::context::Context;
use crate::error::{Failure, Result};

/// Takes one of these words, which help and shells are told.
pub(super) fn word<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = Error> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word.parse())
}

/// Returns a question: the argument, or standard input if there is none or it is `-`.
pub(super) fn read(context: &Context, argument: Option<String>) -> Result<String> {
    match argument.filter(|text| text != "-") {
        Some(text) => Ok(text),
        // A question is not told back, so what is no text in it does not spoil the rest.
        None => Ok(String::from_utf8_lossy(&standard_input(context)?).into_owned()),
    }
}

/// Returns a text that is kept: the argument, or standard input.
pub(super) fn read_kept(context: &Context, argument: Option<String>) -> Result<String> {
    match argument.filter(|text| text != "-") {
        Some(text) => Ok(text),
        None => String::from_utf8(standard_input(context)?).map_err(|_| {
            Failure::new("standard input is not UTF-8 text")
                .hint("`homefs write PATH` keeps bytes of any kind as a file")
        }),
    }
}

fn standard_input(context: &Context) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write::standard_input(context)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::new(format!("standard input cannot be read: {error}")))?;
    Ok(bytes)
}
