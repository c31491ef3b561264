//! The config file.

use std::path::Path as HostPath;

use strsim::levenshtein;
use toml::de::{DeTable, DeValue};

use super::{KNOWN, Origin, Refusal, Values};

/// Reads the settings that a config file has; unknown ones are an error.
pub(super) fn read(file: &HostPath, text: &str, values: &mut Values) -> Result<(), Refusal> {
    let place = |offset: usize| {
        let line = text[..offset.min(text.len())].matches('\n').count() + 1;
        (line, format!("{}:{line}", file.display()))
    };
    let table = DeTable::parse(text).map_err(|error| {
        let (_, at) = place(error.span().map_or(0, |span| span.start));
        Refusal::new(format!("{at}: the config file is not TOML: {}", error.message().trim()))
    })?;
    for (key, value) in table.get_ref() {
        let (line, at) = place(key.span().start);
        let name = key.get_ref().as_ref();
        let Some(known) = KNOWN.iter().find(|known| known.key == name) else {
            let refusal = Refusal::new(format!("{at}: unknown setting `{name}`"));
            let nearest = KNOWN.iter().min_by_key(|known| levenshtein(name, known.key));
            return Err(match nearest {
                Some(nearest) => refusal.hint(format!("did you mean `{}`?", nearest.key)),
                None => refusal,
            });
        };
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Boolean(switch) => switch.to_string(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().replace('_', ""),
            _ => {
                let expected =
                    format!("{at}: `{name}` must be a text, a decimal number, true or false");
                return Err(Refusal::new(expected));
            }
        };
        let origin = Origin::Config { file: file.to_owned(), line };
        values.insert(known.key, (text.into(), origin));
    }
    Ok(())
}
