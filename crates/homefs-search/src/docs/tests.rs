//! Tests of docs and links.

use proptest::prelude::*;

use super::{LinkKind, links, split};

/// The docs of a text as `first-last title`.
fn shape(text: &str) -> Vec<String> {
    let docs = split(text.as_bytes()).docs;
    docs.iter().map(|doc| format!("{}-{} {}", doc.lines.0, doc.lines.1, doc.title())).collect()
}

fn paragraph(words: usize) -> String {
    format!("{}\n\n", "word ".repeat(words).trim_end())
}

#[test]
fn a_short_file_is_one_doc() {
    assert_eq!(shape("RSI > 70 → exit\n"), ["1-1 "]);
    assert_eq!(shape("# Rules\n\nSell.\n\n## More\n\nBuy."), ["1-7 Rules"]);
    assert_eq!(shape("text first\n\n# Then a heading\n"), ["1-3 Then a heading"]);
    assert!(shape("").is_empty());
}

#[test]
fn a_long_file_parts_at_headings_and_paragraphs() {
    let long = format!("# A\n{}## B ##\n{}{}", paragraph(100), paragraph(200), paragraph(200));
    assert_eq!(shape(&long), ["1-3 A", "4-6 A › B", "7-8 A › B"]);
}

#[test]
fn frontmatter_belongs_to_no_doc() {
    let text = b"---\ntags: [a]\n---\n# T\nbody\n";
    let note = split(text);
    assert_eq!(&text[note.frontmatter.clone()], b"tags: [a]\n");
    assert_eq!(note.docs.len(), 1);
    assert_eq!(note.docs[0].lines, (4, 5));
    assert_eq!(note.docs[0].text(text), "# T\nbody\n");
    assert_eq!(split(b"---\nnever closed\n").frontmatter, 0..0);
}

#[test]
fn a_fence_is_whole() {
    let code = format!("```rust\n{}```\n", "# not a heading\n\nlet x = 1;\n".repeat(120));
    let text = format!("{}{code}{}", paragraph(250), paragraph(250));
    let docs = split(text.as_bytes()).docs;
    assert_eq!(docs.len(), 3);
    assert_eq!(docs[1].text(text.as_bytes()), code);
}

#[test]
fn docs_are_bounded() {
    let texts =
        ["x".repeat(1 << 20), "é".repeat(1 << 19), "a ".repeat(1 << 19), "a\n".repeat(99_999)];
    for text in texts {
        let docs = split(text.as_bytes()).docs;
        assert!(docs.iter().all(|doc| doc.bytes.len() <= 8 << 10), "{}", &text[..2]);
        assert!(docs.iter().all(|doc| !doc.text(text.as_bytes()).contains('\u{fffd}')));
    }
}

#[test]
fn links_are_found_outside_code() {
    let text = "[[note]] ![[img.png]] [[a/b#part|shown]] [t](x.md#h \"title\") [u](<with space.md>)\n\
        [w](https://e.org/a_(b)) `[[code]]` ``a ` [[code]]`` \\[[no]] [not] (a) [] [[ ]]\n\
        ```\n[[fenced]]\n```\n[[last]] [[unclosed";
    let found: Vec<_> = links(text)
        .iter()
        .map(|link| {
            let kind = if link.kind == LinkKind::Wiki { "w" } else { "m" };
            let heading = link.heading.as_deref().unwrap_or("");
            format!("{kind} {} {heading} {}", link.target, link.is_address())
        })
        .collect();
    let expected = [
        "w note  false",
        "w img.png  false",
        "w a/b part false",
        "m x.md h false",
        "m with space.md  false",
        "m https://e.org/a_(b)  true",
        "w last  false",
    ];
    assert_eq!(found, expected);
}

#[test]
fn open_brackets_cost_no_square() {
    assert!(links(&"[[".repeat(1 << 18)).is_empty());
    assert!(links(&"`` ` ".repeat(1 << 16)).is_empty());
}

proptest! {
    #[test]
    fn every_byte_of_the_body_is_in_one_doc(
        lines in prop::collection::vec(
            prop_oneof![
                "[a-z ]{0,80}",
                Just(String::new()),
                "#{1,7} [a-z]{0,8}",
                Just("```".to_owned()),
                Just("---".to_owned()),
                (0..500_usize).prop_map(|words| "w ".repeat(words)),
            ],
            0..60,
        ),
        tail in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut content = lines.join("\n").into_bytes();
        content.extend(tail);
        let note = split(&content);
        let body = note.docs.first().map_or(content.len(), |doc| doc.bytes.start);
        prop_assert!(note.frontmatter.end <= body);
        let mut end = body;
        let mut line = 0;
        for doc in &note.docs {
            prop_assert_eq!(doc.bytes.start, end);
            prop_assert!(!doc.bytes.is_empty());
            end = doc.bytes.end;
            prop_assert!(doc.lines.0 >= line && doc.lines.1 >= doc.lines.0);
            line = doc.lines.1;
            let before = content[..doc.bytes.start].split(|byte| *byte == b'\n').count() - 1;
            prop_assert_eq!(doc.lines.0 as usize, before + 1);
            let _links = links(&doc.text(&content));
        }
        prop_assert_eq!(end, content.len());
    }
}
