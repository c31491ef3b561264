//! Merging JSON by key.
//!
//! Values are cut out of the texts and put together again, never printed: what nobody changed keeps
//! its order, its blanks and the spelling of its numbers.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::pick;
use super::sequence::{By, both, line_up};
use super::text::MergedText;

/// Merges three JSON texts; `None` if one of them is not JSON that can be merged.
pub(super) fn merge(base: &str, head: &str, pushed: &str) -> Option<MergedText> {
    // Reading them whole bounds how deep they are nested, and so how deep the merge goes.
    for text in [base, head, pushed] {
        serde_json::from_str::<Value>(text).ok()?;
    }
    let [base, head, pushed] = [base, head, pushed].map(split_blanks);
    let mut overlapped = false;
    let value = merge_value(Some(base.1), head.1, pushed.1, &mut overlapped)?;
    let before = pick(base.0, head.0, pushed.0).unwrap_or(head.0);
    let after = pick(base.2, head.2, pushed.2).unwrap_or(head.2);
    let text = format!("{before}{value}{after}");
    serde_json::from_str::<Value>(&text).ok()?;
    Some(MergedText { text, overlapped })
}

/// Splits a text into the blanks before its value, the value, and the blanks after it.
fn split_blanks(text: &str) -> (&str, &str, &str) {
    let value = text.trim_ascii();
    let before = text.len() - text.trim_ascii_start().len();
    (&text[..before], value, &text[before + value.len()..])
}

/// Merges one value; `None` if a key stands twice in an object.
fn merge_value<'a>(
    base: Option<&str>,
    head: &'a str,
    pushed: &'a str,
    overlapped: &mut bool,
) -> Option<Cow<'a, str>> {
    let same = |a: &str, b: &str| a == b || parse(a) == parse(b);
    if same(head, pushed) || base.is_some_and(|base| same(base, pushed)) {
        return Some(head.into());
    }
    if base.is_some_and(|base| same(base, head)) {
        return Some(pushed.into());
    }
    let opening = [base.unwrap_or(head), head, pushed].map(|text| text.as_bytes().first().copied());
    match opening {
        [Some(b'{'), Some(b'{'), Some(b'{')] => {
            merge_object(base.unwrap_or("{}"), head, pushed, overlapped).map(Cow::from)
        }
        [Some(b'['), Some(b'['), Some(b'[')] => {
            merge_array(base.unwrap_or("[]"), head, pushed, overlapped)
        }
        _ => {
            *overlapped = true;
            Some(head.into())
        }
    }
}

fn merge_object(base: &str, head: &str, pushed: &str, overlapped: &mut bool) -> Option<String> {
    let [base, head, pushed] = [Parts::of(base)?, Parts::of(head)?, Parts::of(pushed)?];
    let mut items = Vec::new();
    for item in &head.items {
        let value = match (base.get(&item.key), pushed.get(&item.key)) {
            (base, Some(pushed)) => {
                merge_value(base.map(|item| item.value), item.value, pushed.value, overlapped)?
            }
            (None, None) => item.value.into(),
            (Some(base), None) if parse(base.value) == parse(item.value) => continue,
            // Changed here and removed there: the change stays.
            (Some(_), None) => {
                *overlapped = true;
                item.value.into()
            }
        };
        items.push((&item.key, item.lead, value));
    }
    let mut place = 0;
    for item in &pushed.items {
        if let Some(at) = items.iter().position(|(key, ..)| **key == item.key) {
            place = at + 1;
            continue;
        }
        match base.get(&item.key) {
            Some(base) if parse(base.value) == parse(item.value) => continue,
            Some(_) => *overlapped = true,
            None => {}
        }
        // Behind what HEAD has put at the same place.
        while items.get(place).is_some_and(|(key, ..)| base.get(key).is_none()) {
            place += 1;
        }
        items.insert(place, (&item.key, item.lead, item.value.into()));
        place += 1;
    }
    let tail = if head.items.is_empty() { pushed.tail } else { head.tail };
    Some(join('{', items.iter().map(|(_, lead, value)| (*lead, &**value)), tail))
}

/// Merges lists item by item; where items that both changed cannot be told apart, HEAD's list stays,
/// because half of one list and half of another mean nothing.
fn merge_array<'a>(
    base: &str,
    head: &'a str,
    pushed: &'a str,
    overlapped: &mut bool,
) -> Option<Cow<'a, str>> {
    let whole = head;
    let [base, head, pushed] = [Parts::of(base)?, Parts::of(head)?, Parts::of(pushed)?];
    let keys = [&base, &head, &pushed].map(Parts::keys);
    let mut items: Vec<(&str, Cow<'_, str>)> = Vec::new();
    for stretch in line_up(&keys[0], &keys[1], &keys[2]) {
        let base = &base.items[stretch.base];
        let head = &head.items[stretch.head];
        let pushed = &pushed.items[stretch.pushed];
        match stretch.by {
            By::Nobody | By::Head => items.extend(head.iter().map(Item::whole)),
            By::Pushed => items.extend(pushed.iter().map(Item::whole)),
            By::Both if base.is_empty() => {
                items.extend(both(head, pushed).into_iter().flatten().map(Item::whole));
            }
            By::Both if base.len() == head.len() && base.len() == pushed.len() => {
                for ((base, head), pushed) in base.iter().zip(head).zip(pushed) {
                    let value =
                        merge_value(Some(base.value), head.value, pushed.value, overlapped)?;
                    items.push((head.lead, value));
                }
            }
            By::Both => {
                *overlapped = true;
                return Some(whole.into());
            }
        }
    }
    let tail = if head.items.is_empty() { pushed.tail } else { head.tail };
    Some(join('[', items.iter().map(|(lead, value)| (*lead, &**value)), tail).into())
}

/// Puts an object or a list together.
fn join<'a>(open: char, items: impl Iterator<Item = (&'a str, &'a str)>, tail: &str) -> String {
    let mut text = String::from(open);
    for (number, (lead, value)) in items.enumerate() {
        if number > 0 {
            text.push(',');
        }
        text.push_str(lead);
        text.push_str(value);
    }
    text.push_str(tail);
    text
}

/// An object or a list, taken apart.
struct Parts<'a> {
    items: Vec<Item<'a>>,
    /// What stands between the last item and the end, with the closing bracket.
    tail: &'a str,
}

/// One value of an object or of a list.
struct Item<'a> {
    /// Its key; empty in a list.
    key: String,
    /// What stands before the value: blanks, and in an object its key as it is spelled.
    lead: &'a str,
    /// The value as it is spelled.
    value: &'a str,
}

impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        parse(self.value) == parse(other.value)
    }
}

impl Eq for Item<'_> {}

impl<'a> Item<'a> {
    fn whole(&self) -> (&'a str, Cow<'a, str>) {
        (self.lead, self.value.into())
    }
}

impl<'a> Parts<'a> {
    /// Takes a value apart that is an object or a list; `None` if a key stands twice.
    fn of(text: &'a str) -> Option<Self> {
        let values = serde_json::Deserializer::from_str(text).deserialize_any(Values).ok()?;
        let keys: BTreeSet<&String> = values.iter().map(|(key, _)| key).collect();
        if text.starts_with('{') && keys.len() < values.len() {
            return None;
        }
        let mut items = Vec::new();
        // Behind the opening bracket, and later behind a value.
        let mut end = 1;
        for (key, value) in values {
            let start = value.get().as_ptr().addr() - text.as_ptr().addr();
            if !items.is_empty() {
                end += text[end..start].find(',')? + 1;
            }
            items.push(Item { key, lead: &text[end..start], value: value.get() });
            end = start + value.get().len();
        }
        Some(Self { items, tail: &text[end..] })
    }

    fn get(&self, key: &str) -> Option<&Item<'a>> {
        self.items.iter().find(|item| item.key == key)
    }

    /// Returns for each value a text that is the same for equal values.
    fn keys(&self) -> Vec<String> {
        self.items.iter().map(|item| parse(item.value).to_string()).collect()
    }
}

/// Reads the values of an object or of a list without looking into them.
struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(entry) = map.next_entry()? {
            values.push(entry);
        }
        Ok(values)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push((String::new(), value));
        }
        Ok(values)
    }
}

/// Reads a value; one that is cut out of a checked text is always readable.
fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}
