//! How the memory tool shows lines and sizes.

/// Finds every place where a text occurs, also where two overlap.
pub(super) fn places<'a>(content: &'a str, text: &'a str) -> impl Iterator<Item = usize> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + content.get(from..)?.find(text)?;
        from = at + content[at..].chars().next().map_or(1, char::len_utf8);
        Some(at)
    })
}

/// Returns the lines that a range asks for, as Python cuts a list.
pub(super) fn bounds(range: Option<&[i64]>, lines: usize) -> (usize, usize) {
    let Some(&[first, last]) = range else { return (0, lines) };
    let start = usize::try_from(first.max(1) - 1).unwrap_or(lines).min(lines);
    let end = match usize::try_from(last) {
        Ok(end) => end.min(lines),
        Err(_) if last == -1 => lines,
        Err(_) => lines.saturating_sub(usize::try_from(last.unsigned_abs()).unwrap_or(lines)),
    };
    (start, end.max(start))
}

/// Writes lines with their numbers.
pub(super) fn numbered(lines: &[&str], start: usize, end: usize) -> String {
    let shown = lines[start..end].iter().zip(start + 1..);
    let shown: Vec<String> = shown.map(|(line, number)| format!("{number:>6}\t{line}")).collect();
    shown.join("\n")
}

/// Writes a size as the tool does: `0B`, `4K`, `1.5K`.
#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
pub(super) fn size(bytes: u64) -> String {
    let power = bytes.checked_ilog2().map_or(0, |log| log / 10).min(3);
    let unit = ['B', 'K', 'M', 'G'][power as usize];
    let scale = 1_u64 << (10 * power);
    if bytes.is_multiple_of(scale) {
        return format!("{}{unit}", bytes / scale);
    }
    format!("{:.1}{unit}", bytes as f64 / scale as f64)
}
