//! Metadata, tags and probes.

use crate::harness::Home;

#[test]
fn metadata_is_set_shown_and_taken_away() {
    Home::new().check(
        "
        $ -q write a.md hello
        $ meta a.md
        $ meta a.md --importance 0.90 --title 'A note' --set mood=calm --source https://a.example
        noted about /a.md, version 2
        $ meta a.md
        importance  0.9
        source      https://a.example
        title       A note
        mood        calm
        $ meta a.md --unset mood --title ''
        noted about /a.md, version 3
        $ meta a.md --ttl 2999-01-31T12:00:00Z
        error: /a.md: …
        [2]
        $ meta a.md --ttl 2199-01-31T12:00:00Z
        noted about /a.md, version 4
        $ --json meta a.md
        {\"expires\":\"2199-01-31T12:00:00Z\",\"importance\":0.9,\"other\":{},\"path\":\"/a.md\",\"source\":\"https://a.example\",\"tags\":[],\"title\":null}
        $ meta a.md --importance 2
        error: /a.md: importance is a number from 0 to 1, not \"2\"
        [2]
        $ meta a.md --set mood
        error: …
        For more information, try '--help'.
        [2]
        $ meta none.md
        error: /none.md: …
        [1]
        ",
    );
}

#[test]
fn tags_are_added_shown_and_taken_away() {
    Home::new().check(
        "
        $ -q write a.md hello
        $ tag a.md
        $ tag a.md trading +nvda #q4
        tagged /a.md, version 2
        $ tag a.md
        nvda
        q4
        trading
        $ tag a.md -q4 +done
        tagged /a.md, version 3
        $ --json tag a.md
        [\"done\",\"nvda\",\"trading\"]
        $ tag a.md --json
        [\"done\",\"nvda\",\"trading\"]
        $ tag a.md --jsno
        error: …
        For more information, try '--help'.
        [2]
        $ cat :tags
        | tag | count |
        | --- | --- |
        | done | 1 |
        | nvda | 1 |
        | trading | 1 |
        ",
    );
}

#[test]
fn probes_are_read_and_written_like_files() {
    Home::new().check(
        "
        $ -q write a.md one
        $ -q write a.md two
        $ cat a.md:diff
        --- /a.md (version 1)
        +++ /a.md (now)
        @@ -1 +1 @@
        -one
        +two
        $ write a.md:tags x,y
        wrote /a.md:tags, version 3
        $ cat a.md:tags
        x
        y
        $ stat a.md:tags --json
        {…
        $ ls
        a.md
        $ append a.md:tags z
        error: /a.md:tags: is a probe, which is written as a whole
        [2]
        $ cat a.md:none
        error: /a.md:none: …
        [1]
        ",
    );
}
