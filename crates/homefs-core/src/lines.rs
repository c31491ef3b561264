//! How lines of a file are referred to: one spelling, in every face.

/// Writes a reference to lines, counted from 1, as it stands behind a path or a handle: `#4`, or
/// `#4-6` from the first to the last.
pub fn line_reference((first, last): (u32, u32)) -> String {
    if last > first { format!("#{first}-{last}") } else { format!("#{first}") }
}

/// Tells whether a text is what stands behind the `#` of such a reference, also as it was spelt
/// before, `L4-L6`.
pub fn is_line_reference(text: &str) -> bool {
    let is_number = |text: &str| {
        let digits = text.strip_prefix('L').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    is_number(first) && is_number(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_written_in_one_way_and_read_in_those_that_were() {
        for (lines, written) in [((4, 4), "#4"), ((4, 6), "#4-6"), ((1, 1), "#1"), ((6, 4), "#6")] {
            assert_eq!(line_reference(lines), written);
            assert!(is_line_reference(&written[1..]), "{written}");
        }
        assert!(is_line_reference("L4-L6") && is_line_reference("L4"));
        for text in ["", "-", "4-", "-6", "4-6-8", "a", "L", "+4", "4 "] {
            assert!(!is_line_reference(text), "{text}");
        }
    }
}
