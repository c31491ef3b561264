//! Merging Markdown: the frontmatter by key, the rest as text.
//!
//! The frontmatter is not read as YAML but as blocks of lines, each with a key, so that comments,
//! quotes and order stay as they were written.

use std::collections::BTreeSet;

use homefs_core::frontmatter::{self, Span};

use super::pick;
use super::sequence::{By, both, line_up};
use super::text::{Grain, MergedText, merge_apart, merge_text};

/// Merges three Markdown texts, or two that began apart; `None` if none of them has frontmatter, or
/// one that is not blocks with different keys.
pub(super) fn merge(base: Option<&str>, head: &str, pushed: &str) -> Option<MergedText> {
    let is_apart = base.is_none();
    let [base, head, pushed] =
        [Page::of(base.unwrap_or_default())?, Page::of(head)?, Page::of(pushed)?];
    let fences = pick(base.fences, head.fences, pushed.fences).unwrap_or(head.fences);
    let fences = fences.or(head.fences).or(pushed.fences)?;
    let body = if is_apart {
        merge_apart(head.body, pushed.body)
    } else {
        merge_text(Grain::Word, base.body, head.body, pushed.body)
    };
    let mut overlapped = body.overlapped;
    let front = merge_blocks(&base, &head, &pushed, &mut overlapped);
    // Nothing is left of a frontmatter that one side removed and the other did not change.
    let text = if front.is_empty() && pick(base.fences, head.fences, pushed.fences) == Some(None) {
        body.text
    } else {
        [fences.0, &front, fences.1, &body.text].concat()
    };
    Some(MergedText { text, overlapped })
}

/// A text with frontmatter, or without.
struct Page<'a> {
    /// The lines that open and close the frontmatter.
    fences: Option<(&'a str, &'a str)>,
    blocks: Vec<Block<'a>>,
    body: &'a str,
}

/// The lines of one key, with those below it that have none.
#[derive(Clone, Copy, PartialEq)]
struct Block<'a> {
    /// The key; empty for lines above the first one.
    key: &'a str,
    text: &'a str,
}

impl<'a> Page<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let Some(Span { inner, body }) = frontmatter::find(text.as_bytes()) else {
            return Some(Self { fences: None, blocks: Vec::new(), body: text });
        };
        let fences = Some((&text[..inner.start], &text[inner.end..body]));
        let mut blocks: Vec<Block<'_>> = Vec::new();
        let (mut start, mut end, mut key) = (inner.start, inner.start, "");
        for line in text[inner.clone()].split_inclusive('\n') {
            let next = key_of(line);
            if next.is_some() && start < end {
                blocks.push(Block { key, text: &text[start..end] });
                start = end;
            }
            key = next.unwrap_or(key);
            end += line.len();
        }
        if start < inner.end {
            blocks.push(Block { key, text: &text[start..inner.end] });
        }
        let keys: BTreeSet<&str> = blocks.iter().map(|block| block.key).collect();
        let is_plain = keys.len() == blocks.len();
        is_plain.then_some(Self { fences, blocks, body: &text[body..] })
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.blocks.iter().find(|block| block.key == key).map(|block| block.text)
    }
}

/// Returns the key of a line that begins with one.
fn key_of(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(':')?;
    let plain = !key.is_empty() && !key.starts_with([' ', '\t', '-', '#', '"', '\'']);
    (plain && (value.is_empty() || value.starts_with(char::is_whitespace))).then_some(key)
}

fn merge_blocks(
    base: &Page<'_>,
    head: &Page<'_>,
    pushed: &Page<'_>,
    overlapped: &mut bool,
) -> String {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    for block in &head.blocks {
        let old = base.get(block.key);
        let merged = match pick(old, Some(block.text), pushed.get(block.key)) {
            Some(one) => one.map(str::to_owned),
            None => Some(merge_block(old, block.text, pushed.get(block.key), overlapped)),
        };
        blocks.extend(merged.map(|text| (block.key, text)));
    }
    let mut place = 0;
    for block in &pushed.blocks {
        if let Some(at) = blocks.iter().position(|(key, _)| *key == block.key) {
            place = at + 1;
            continue;
        }
        match base.get(block.key) {
            Some(old) if old == block.text => continue,
            // HEAD removed what the other side changed: the change stays.
            Some(_) if head.get(block.key).is_none() => *overlapped = true,
            _ => {}
        }
        while blocks.get(place).is_some_and(|(key, _)| base.get(key).is_none()) {
            place += 1;
        }
        blocks.insert(place, (block.key, block.text.to_owned()));
        place += 1;
    }
    blocks.into_iter().map(|(_, text)| text).collect()
}

/// Merges a block that both changed: a list item by item; otherwise HEAD's stays.
fn merge_block(
    base: Option<&str>,
    head: &str,
    pushed: Option<&str>,
    overlapped: &mut bool,
) -> String {
    let lists = [base, Some(head), pushed].map(|block| block.and_then(List::of));
    let [base, Some(list), Some(pushed)] = lists else {
        *overlapped = true;
        return head.to_owned();
    };
    if list.form != pushed.form {
        *overlapped = true;
        return head.to_owned();
    }
    let base = base.map(|list| list.items).unwrap_or_default();
    let mut items = Vec::new();
    for stretch in line_up(&base, &list.items, &pushed.items) {
        let [head, pushed] = [&list.items[stretch.head], &pushed.items[stretch.pushed]];
        match stretch.by {
            By::Nobody | By::Head => items.extend_from_slice(head),
            By::Pushed => items.extend_from_slice(pushed),
            By::Both => items.extend(both(head, pushed).concat()),
        }
    }
    // Both may have added the same tag at different places.
    let mut seen = BTreeSet::new();
    items.retain(|item| seen.insert(*item));
    let separator = if list.form == Form::Inline { ", " } else { "" };
    [list.open, &items.join(separator), list.close].concat()
}

/// How a list is written.
#[derive(Clone, Copy, PartialEq)]
enum Form<'a> {
    /// In one line, in brackets.
    Inline,
    /// An item in each line, behind these blanks.
    Lines(&'a str),
}

/// A block that is a list of plain values.
struct List<'a> {
    form: Form<'a>,
    open: &'a str,
    items: Vec<&'a str>,
    close: &'a str,
}

impl<'a> List<'a> {
    fn of(block: &'a str) -> Option<Self> {
        let first_len = block.find('\n')? + 1;
        let (_, value) = block[..first_len].split_once(':')?;
        let value = value.trim();
        if value.is_empty() {
            let (open, rest) = block.split_at(first_len);
            let items: Vec<&str> = rest.split_inclusive('\n').collect();
            let blanks = |line: &'a str| &line[..line.len() - line.trim_start().len()];
            let form = Form::Lines(items.first().map(|line| blanks(line))?);
            let plain = |line: &&'a str| {
                form == Form::Lines(blanks(line)) && line.trim_start().starts_with("- ")
            };
            return items.iter().all(plain).then_some(Self { form, open, items, close: "" });
        }
        let inner = value.strip_prefix('[')?.strip_suffix(']')?;
        if first_len < block.len() || inner.contains(['[', ']', '{', '}', '#', '"', '\'']) {
            return None;
        }
        let start = block.find('[')? + 1;
        let (open, close) = (&block[..start], &block[start + inner.len()..]);
        let items = inner.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
        Some(Self { form: Form::Inline, open, items, close })
    }
}
