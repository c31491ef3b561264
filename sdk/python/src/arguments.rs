//! Arguments as Python gives them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use homefs_api::resolve_path;
use homefs_core::{Error, ErrorKind, Path, SpaceName, Timestamp, Version};
use homefs_view::{Durability, Moment, WriteOptions};
use homefs_wire::words::{Alike, Direction, Right, SearchKind, Side, Strategy, Tokenizer};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

use crate::errors::{Result, invalid, raise};

/// A path inside the home, written as text or as a path object.
pub(crate) struct PathArg(pub(crate) Path);

impl<'a, 'py> FromPyObject<'a, 'py> for PathArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        // The one that nearly all paths take comes first and asks once.
        if let Ok(text) = object.extract::<&str>() {
            return parse_path(object.py(), text).map(Self);
        }
        if object.cast::<PyString>().is_ok() {
            return parse_path(object.py(), text(object)?).map(Self);
        }
        let object = object.to_owned();
        if is_path_object(&object)? {
            let written = object.str()?;
            return parse_path(object.py(), text(written.as_any().as_borrowed())?).map(Self);
        }
        Err(wrong_type("a path is a str or a HomePath", &object))
    }
}

/// What is written to a file: text, which is kept as UTF-8, or bytes.
pub(crate) struct Content<'a>(pub(crate) Cow<'a, [u8]>);

impl<'a, 'py> FromPyObject<'a, 'py> for Content<'a> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.cast::<PyString>().is_ok() {
            return Ok(Self(Cow::Borrowed(text(object)?.as_bytes())));
        }
        if object.cast::<PyBytes>().is_ok() {
            return Ok(Self(Cow::Borrowed(object.extract()?)));
        }
        if let Ok(bytes) = object.cast::<PyByteArray>() {
            return Ok(Self(Cow::Owned(bytes.to_vec())));
        }
        if object.cast::<PyMemoryView>().is_ok() {
            let bytes = object.call_method0(intern!(object.py(), "tobytes"))?;
            return Ok(Self(Cow::Owned(bytes.extract()?)));
        }
        Err(wrong_type("content is a str or bytes", &object))
    }
}

/// A point in the history of a file: the number of a version, or a time as people write it.
pub(crate) struct MomentArg(pub(crate) Moment);

impl<'py> FromPyObject<'_, 'py> for MomentArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(version) = object.extract::<u64>() {
            return Ok(Self(Moment::Version(Version(version))));
        }
        if object.cast::<PyString>().is_err() {
            return Err(wrong_type("a moment is a version number or a text", &object));
        }
        let moment = homefs_api::time::moment(text(object)?);
        moment.map(Self).map_err(|error| raise(object.py(), &error))
    }
}

/// A time as people write it.
pub(crate) struct TimeArg(pub(crate) Timestamp);

impl<'py> FromPyObject<'_, 'py> for TimeArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.cast::<PyString>().is_err() {
            return Err(wrong_type("a time is a text", &object));
        }
        let time = homefs_api::time::time(text(object)?);
        time.map(Self).map_err(|error| raise(object.py(), &error))
    }
}

/// One tag or several.
#[derive(FromPyObject)]
pub(crate) enum Words {
    One(String),
    Several(Vec<String>),
}

/// A number of seconds.
pub(crate) struct Seconds(pub(crate) Duration);

impl<'py> FromPyObject<'_, 'py> for Seconds {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let seconds: f64 = object.extract()?;
        Duration::try_from_secs_f64(seconds)
            .map(Self)
            .map_err(|_| invalid(object.py(), format!("{seconds} is not a number of seconds")))
    }
}

/// What is made of an argument, as the table of methods has it.
pub(crate) trait Taken<T> {
    fn taken(self) -> Result<T>;
}

/// Makes of an argument what the table of methods has.
pub(crate) fn taken<T>(given: impl Taken<T>) -> Result<T> {
    given.taken()
}

macro_rules! taken_as_they_are {
    ($($kind:ty)*) => {
        $(impl Taken<Self> for $kind {
            fn taken(self) -> Result<Self> {
                Ok(self)
            }
        })*
    };
}

taken_as_they_are! { bool f64 u32 u64 usize String }

macro_rules! taken {
    ($($from:ty => $to:ty |$given:pat_param| $made:expr;)*) => {
        $(impl Taken<$to> for $from {
            fn taken(self) -> Result<$to> {
                let $given = self;
                $made
            }
        })*
    };
}

taken! {
    PathArg => Path |PathArg(path)| Ok(path);
    MomentArg => Moment |MomentArg(moment)| Ok(moment);
    TimeArg => Timestamp |TimeArg(time)| Ok(time);
    Seconds => Duration |Seconds(duration)| Ok(duration);
    String => SpaceName |name| name.parse();
    &str => String |text| Ok(text.to_owned());
    &str => Alike |word| word.parse();
    &str => Direction |word| word.parse();
    &str => Durability |word| word.parse();
    &str => Right |word| word.parse();
    &str => SearchKind |word| word.parse();
    &str => Side |word| word.parse();
    &str => Strategy |word| word.parse();
    &str => Tokenizer |word| word.parse();
}

impl Taken<f32> for f64 {
    #[expect(clippy::cast_possible_truncation, reason = "scores have no more digits")]
    fn taken(self) -> Result<f32> {
        Ok(self as f32)
    }
}

impl<T> Taken<Vec<T>> for Words
where
    String: Taken<T>,
{
    fn taken(self) -> Result<Vec<T>> {
        match self {
            Self::One(word) => Ok(vec![word.taken()?]),
            Self::Several(words) => words.into_iter().map(Taken::taken).collect(),
        }
    }
}

impl<T> Taken<Vec<T>> for Option<Words>
where
    String: Taken<T>,
{
    fn taken(self) -> Result<Vec<T>> {
        self.map_or(Ok(Vec::new()), Taken::taken)
    }
}

impl<T> Taken<BTreeMap<String, T>> for Option<BTreeMap<String, T>> {
    fn taken(self) -> Result<BTreeMap<String, T>> {
        Ok(self.unwrap_or_default())
    }
}

impl<T, U: Taken<T>> Taken<Option<T>> for Option<U> {
    fn taken(self) -> Result<Option<T>> {
        self.map(U::taken).transpose()
    }
}

/// Returns how a file is written.
pub(crate) fn write_options(
    py: Python<'_>,
    expected_version: Option<u64>,
    durability: Option<&str>,
) -> PyResult<WriteOptions> {
    let durability = durability.map_or(Ok(Durability::Memory), str::parse);
    let durability = durability.map_err(|error| raise(py, &error))?;
    let if_version = expected_version.map(Version);
    Ok(WriteOptions { if_version, parents: true, durability, ..WriteOptions::default() })
}

/// Reads a word that names one of a few choices.
pub(crate) fn choice<T: Copy>(what: &str, word: &str, choices: &[(&str, T)]) -> Result<T> {
    let found = choices.iter().find(|(name, _)| *name == word);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
        let message = format!("{what} is one of {}, not {word:?}", names.join(", "));
        Error::new(ErrorKind::Invalid, message)
    })
}

/// Borrows the text of a `str`; lone surrogates are no text.
fn text<'a>(object: Borrowed<'a, '_, PyAny>) -> PyResult<&'a str> {
    object.extract::<&str>().map_err(|error: PyErr| {
        let py = object.py();
        if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
            return error;
        }
        let refused = invalid(py, "the text has lone surrogates, which UTF-8 cannot say");
        refused.set_cause(py, Some(error));
        refused
    })
}

fn parse_path(py: Python<'_>, text: &str) -> PyResult<Path> {
    // Most paths are normal already, and need no second look.
    Path::parse(text)
        .or_else(|_| resolve_path(text))
        .map_err(|error| raise(py, &error.with_path_text(text)))
}

fn is_path_object(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static CLASSES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let classes = CLASSES.get_or_try_init(py, || {
        let paths = py.import(intern!(py, "homefs._path"))?;
        PyResult::Ok(paths.getattr(intern!(py, "PATH_CLASSES"))?.unbind())
    })?;
    object.is_instance(classes.bind(py))
}

fn wrong_type(expected: &str, object: &Bound<'_, PyAny>) -> PyErr {
    match object.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!("{expected}, not {name}")),
        Err(error) => error,
    }
}
