//! The orders in which `ls` lists.

use std::cmp::Ordering;

use homefs_view::{Kind, Stat};

use super::{Listed, Options};

/// By what names are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Name,
    Time,
    Size,
    Extension,
    Version,
    Unsorted,
}

/// Sorts what is to be printed.
pub(super) fn sort(listed: &mut [Listed], options: &Options) {
    if options.order == Order::Unsorted {
        return;
    }
    listed.sort_by(|a, b| {
        let ordered = compare(a, b, options);
        if options.reverse { ordered.reverse() } else { ordered }
    });
    if options.directories_first {
        listed.sort_by_key(|listed| !leads_to_directory(listed));
    }
}

fn leads_to_directory(listed: &Listed) -> bool {
    let is = |stat: &Stat| stat.kind == Kind::Directory;
    let behind = listed.target.as_ref().and_then(|(_, behind)| behind.as_ref());
    is(&listed.stat) || behind.is_some_and(is)
}

fn compare(a: &Listed, b: &Listed, options: &Options) -> Ordering {
    let extension = |listed: &Listed| {
        let dot = listed.name.rfind('.');
        dot.map_or(String::new(), |dot| listed.name[dot..].to_owned())
    };
    let first = match options.order {
        Order::Time => (options.time)(&b.stat).cmp(&(options.time)(&a.stat)),
        Order::Size => b.stat.size.cmp(&a.stat.size),
        Order::Extension => extension(a).cmp(&extension(b)),
        Order::Version => by_version(&a.name, &b.name),
        Order::Name | Order::Unsorted => Ordering::Equal,
    };
    first.then_with(|| a.name.cmp(&b.name))
}

/// Compares runs of digits by their value.
pub(super) fn by_version(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    while !a.is_empty() && !b.is_empty() {
        let digits =
            |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (left, right) = (digits(a), digits(b));
        let ordered = if left > 0 && right > 0 {
            let (x, y) = (a[..left].trim_start_matches('0'), b[..right].trim_start_matches('0'));
            let ordered = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
            (a, b) = (&a[left..], &b[right..]);
            ordered
        } else {
            let (x, y) = (a.chars().next(), b.chars().next());
            let step = |text, letter: Option<char>| -> &str {
                let text: &str = text;
                &text[letter.map_or(0, char::len_utf8)..]
            };
            (a, b) = (step(a, x), step(b, y));
            x.cmp(&y)
        };
        if ordered != Ordering::Equal {
            return ordered;
        }
    }
    a.len().cmp(&b.len())
}
