//! How wide a format may make a column, and how long a format may be: what they make of a file's
//! name is in memory before it is printed.

/// The widest column, as for the `printf` of the interpreter.
const WIDTH_MAX: usize = 10_000;

/// The longest format.
const FORMAT_BYTES_MAX: usize = 4096;

/// Reads a width or a precision; nothing is no width, and what is too wide is as wide as it may be.
pub(crate) fn width(digits: &str) -> usize {
    if digits.is_empty() { 0 } else { narrowed(digits.parse().unwrap_or(usize::MAX)) }
}

/// Returns a width, or the widest that there is.
pub(crate) fn narrowed(width: usize) -> usize {
    width.min(WIDTH_MAX)
}

/// Refuses a format that is too long.
pub(crate) fn check_format(format: &str) -> Result<(), String> {
    if format.len() <= FORMAT_BYTES_MAX {
        return Ok(());
    }
    Err(format!("a format has at most {FORMAT_BYTES_MAX} bytes, this one {}", format.len()))
}
