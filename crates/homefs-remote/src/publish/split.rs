//! Cuts texts into the parts that are embedded.

/// The longest part, in bytes; about as much as a small model reads at once.
pub(super) const PART_BYTES_MAX: usize = 2000;

/// Cuts a text into parts that are it again when joined: at line ends, or at characters if a line
/// is too long. An empty text is one part.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > PART_BYTES_MAX {
        let most = rest.floor_char_boundary(PART_BYTES_MAX);
        let end = rest[..most].rfind('\n').map_or(most, |at| at + 1);
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(rest);
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_are_the_text_again(text in "(?s)([a-zé😀]{0,400}\n?){0,40}") {
            let parts = split(&text);
            prop_assert_eq!(parts.concat(), text.clone());
            prop_assert!(parts.iter().all(|part| part.len() <= PART_BYTES_MAX));
            prop_assert!(parts.len() == 1 || parts.iter().all(|part| !part.is_empty()));
            let lines_fit = text.lines().all(|line| line.len() < PART_BYTES_MAX / 2);
            let whole = parts.iter().rev().skip(1).all(|part| part.ends_with('\n'));
            prop_assert!(!lines_fit || whole);
        }
    }
}
