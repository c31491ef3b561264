//! Words and stems.

use crate::text::{each_word, stem};

/// The words of a text; `=` marks one at the place of the word before.
fn words(text: &str) -> String {
    let mut all = Vec::new();
    each_word(text, |word| {
        all.push(format!("{}{}", if word.same_place { "=" } else { "" }, word.text));
    });
    all.join(" ")
}

#[test]
fn text_becomes_folded_words() {
    let cases = [
        ("RSI > 70 → exit!", "rsi 70 exit"),
        ("Café naïve Ångström Straße", "cafe naive angstrom strasse"),
        ("cafe\u{301}", "cafe"),
        ("Caroline's don't we'll O'Brien it’s", "caroline don we o brien it"),
        ("snake_case and foo.bar", "snake =snake_case case and foo =foo.bar bar"),
        ("End. Next", "end next"),
        ("camelCase HTTPServer", "camelcase =camel =case httpserver"),
        ("2023-05-08 3.14 well-known", "2023 =2023-05-08 05 08 3 =3.14 14 well known"),
        ("機械学習", "機械 械学 学習"),
        ("RSI指标 中", "rsi 指标 中"),
        ("한국어", "한국 국어"),
        ("ｆｕｌｌ", "full"),
        ("🚀 launch 👍🏽", "🚀 launch 👍 🏽"),
        ("a\0b \u{fffd}", "a b"),
        ("\u{301}\u{302}", ""),
        ("Москва हिन्दी", "москва हिन्दी"),
        ("_x_ .y. --z", "x y z"),
        ("", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(words(text), expected, "{text}");
    }
}

#[test]
fn a_blob_is_a_short_word() {
    let mut longest = 0;
    each_word(&"a".repeat(100_000), |word| longest = word.text.len());
    assert_eq!(longest, 64);
    each_word(&"é.".repeat(100_000), |word| assert!(word.text.len() <= 64));
    each_word(&"a.b_".repeat(50_000), |word| assert!(word.text.len() <= 64));
}

#[test]
fn stems_are_porters() {
    let cases = "caresses:caress ponies:poni cats:cat agreed:agre plastered:plaster motoring:motor \
        sing:sing conflated:conflat hopping:hop falling:fall filing:file happy:happi sky:sky \
        relational:relat conditional:condit digitizer:digit vietnamization:vietnam \
        operator:oper decisiveness:decis hopefulness:hope formality:formal sensibility:sensibl \
        triplicate:triplic formative:form electrical:electr goodness:good revival:reviv \
        adjustable:adjust replacement:replac adoption:adopt effective:effect rate:rate \
        controlling:control roll:roll running:run is:is rsi:rsi yyy:yyi generously:gener";
    for case in cases.split_whitespace() {
        let (word, expected) = case.split_once(':').unwrap();
        assert_eq!(stem(word), expected, "{word}");
    }
}
