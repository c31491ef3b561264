//! What is made of each format, without a store.

use homefs_view::slug;

use super::keep::{SLUG_BYTES_MAX, id_of};
use super::*;

/// Shows a memory in one line: where it goes, its text, its time and what is noted.
fn show(memory: &Memory) -> String {
    let place = match &memory.place {
        Destination::At(path) => path.to_string(),
        Destination::Named { words, id } => format!("{}-{id}", slug(words, SLUG_BYTES_MAX)),
    };
    let text = String::from_utf8_lossy(&memory.content).replace('\n', "⏎");
    let time = memory.modified.map_or_else(String::new, crate::time::rfc3339);
    let meta: Vec<_> = memory.meta.iter().map(|(key, value)| format!("{key}={value}")).collect();
    format!("{place} | {text} | {time} | {}", meta.join(" "))
}

fn check_records(content: &[u8], format: Format, memories: &[&str], problems: &[&str]) {
    let mut found = MemorySet::default();
    records::read("x", content, format, &mut found);
    assert_eq!(found.memories.iter().map(show).collect::<Vec<_>>(), memories);
    assert_eq!(found.problems.len(), problems.len(), "{:?}", found.problems);
    for (found, expected) in found.problems.iter().zip(problems) {
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn an_export_of_mem0_is_read_in_each_of_its_shapes() {
    let record = r#"{"id":"7","memory":"Likes tea","user_id":"ann","created_at":"2024-07-26T08:00:00-07:00","updated_at":null,"categories":["food & drink","habits"],"metadata":{"mood":"calm","importance":0.9,"deep":{"x":1}}}"#;
    let expected = "likes-tea-mem0:7 | Likes tea⏎ | 2024-07-26T15:00:00Z | \
         created=2024-07-26T15:00:00Z importance=0.9 mood=calm source=mem0:7 \
         tags=food-&-drink,habits user_id=ann";
    for content in [
        format!("[{record}]"),
        format!("{{\"results\": [\n{record}\n], \"count\": 1}}"),
        format!("{record}\n\n"),
        record.to_owned(),
    ] {
        check_records(content.as_bytes(), Format::Auto, &[expected], &[]);
    }
}

#[test]
fn an_export_of_avm_keeps_its_paths() {
    let line = r#"{"path":"/memory/private/bot/nvda.md","content":"RSI 72","meta":{"importance":0.9,"tags":["market"],"author":"bot"},"created_at":"2026-03-01T10:00:00.5","updated_at":"2026-03-02T10:00:00","version":3}"#;
    let expected = "/private/bot/nvda.md | RSI 72 | 2026-03-02T10:00:00Z | author=bot \
         created=2026-03-01T10:00:00.5Z importance=0.9 source=avm:/memory/private/bot/nvda.md \
         tags=market";
    check_records(line.as_bytes(), Format::Auto, &[expected], &[]);
    let bad = r#"{"path":"/memory/../x","content":"a","meta":{}}
        {"content":"a"}"#;
    let problems = ["x, line 1: /memory/../x", "x, line 2: no path"];
    check_records(bad.as_bytes(), Format::Avm, &[], &problems);
}

#[test]
fn bad_lines_are_named_and_the_rest_is_taken() {
    let content = b"{\"text\":\"one\",\"title\":\"A title\",\"ttl\":\"1s\",\"importance\":7}\n\
        {\"text\":\"tw\n\
        \xff\n\
        [1]\n\
        {\"title\":\"no text\"}\n\
        {\"page_content\":\"six\",\"created\":1700000000000,\"tags\":\"a, b c\",\"metadata\":{\"ttl\":\"1s\",\"A b\":\"x\\ny\"}}";
    check_records(
        content,
        Format::Jsonl,
        &[
            "a-title-one | one⏎ |  | title=A title",
            "six-six | six⏎ | 2023-11-14T22:13:20Z | a_b=x y created=2023-11-14T22:13:20Z tags=a,b-c",
        ],
        &[
            "x, line 2: not JSON",
            "x, line 3: not JSON",
            "x, line 4: not an object",
            "x, line 5: no text",
        ],
    );
}

#[test]
fn markdown_comes_byte_for_byte_with_what_its_frontmatter_says() {
    let text = "---\r\ntitle: \"A: b\"\ntags:\n  - x\n  - 'y z'\nImportance: 0.8 # high\ndate: \
        2026-01-31\nmap:\n  title: no\nkeywords: [q]\n---\nbody";
    let mut found = MemorySet::default();
    markdown::read("n/a.md", text.into(), Timestamp(0), true, &mut found);
    assert_eq!(found.memories[0].content, text.as_bytes());
    let shown = show(&found.memories[0]);
    let meta = "created=2026-01-31T00:00:00Z importance=0.8 tags=x,y-z title=A: b";
    assert!(shown.starts_with("/n/a.md | "), "{shown}");
    assert!(shown.ends_with(&format!("1970-01-01T00:00:00Z | {meta}")), "{shown}");
    for none in ["---\nnever: ends\n", "text\n---\na: b\n---\n", "", "---"] {
        assert_eq!(markdown::frontmatter(none), (BTreeMap::new(), none));
    }
}

#[test]
fn sections_are_split_and_bullets_stay_together() {
    let text = "---\ntags: [m]\n---\n# Memory\n\n## Build\n- run make\n- wait\n```\n## no heading\n```\n\
        ## Taste\ntea\n## Build\nagain\n";
    let mut found = MemorySet::default();
    markdown::read("MEMORY.md", text.into(), Timestamp(0), true, &mut found);
    let shown: Vec<_> = found.memories.iter().map(show).collect();
    let time = "1970-01-01T00:00:00Z";
    assert_eq!(
        shown,
        [
            format!(
                "build-MEMORY.md#Build | ## Build⏎- run make⏎- wait⏎```⏎## no heading⏎```⏎ | {time} | \
                 source=MEMORY.md#Build tags=m title=Build"
            ),
            format!(
                "taste-MEMORY.md#Taste | ## Taste⏎tea⏎ | {time} | \
                 source=MEMORY.md#Taste tags=m title=Taste"
            ),
            format!(
                "build-MEMORY.md#Build#2 | ## Build⏎again⏎ | {time} | \
                 source=MEMORY.md#Build#2 tags=m title=Build"
            ),
        ]
    );
}

#[test]
fn a_name_with_an_id_is_told_from_others() {
    assert_eq!(id_of("likes-tea-0123456789ab.md"), Some("0123456789ab"));
    for other in ["0123456789ab.md", "a-0123456789ab", "a-0123456789.md", "a-0123456789xy.md"] {
        assert_eq!(id_of(other), None, "{other}");
    }
}
