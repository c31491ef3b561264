//! Names of files, made of the first words of a text.

use unicode_normalization::UnicodeNormalization;

use super::words::is_word;

/// What a text is called that has no words.
const NAMELESS: &str = "memory";

/// Makes a name of the first words of a text, in any script: in small letters, with hyphens between
/// the words, and of at most so many bytes. Some scripts have no spaces, so that a first word which
/// is longer is cut.
pub fn slug(text: &str, bytes_max: usize) -> String {
    let mut slug = String::new();
    // However its accents are written, a word is the same word.
    let text: String = text.chars().filter(|letter| !is_joiner(*letter)).nfc().collect();
    for word in text.split(|letter: char| !is_word(letter)) {
        // A mark needs something to stand on.
        let word = word.trim_start_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
        if word.is_empty() {
            continue;
        }
        if slug.is_empty() {
            slug.push_str(&word[..word.floor_char_boundary(bytes_max)]);
        } else if slug.len() + 1 + word.len() <= bytes_max {
            slug.push('-');
            slug.push_str(&word);
        } else {
            break;
        }
    }
    if slug.is_empty() { NAMELESS.into() } else { slug }
}

/// Whether a character only says how its neighbours are joined, as in Persian and Hindi.
fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_of_words_of_any_script() {
        for (text, expected) in [
            ("RSI above 70: sell half", "rsi-above-70-sell-half"),
            ("  The deploy key of the staging cluster", "the-deploy-key-of-the-staging"),
            ("油价上涨", "油价上涨"),
            ("東京タワーの営業時間は九時から", "東京タワーの営業時間"),
            ("회의는 월요일입니다", "회의는-월요일입니다"),
            ("น้ำมันขึ้นราคา", "น้ำมันขึ้น"),
            ("हिन्दी में नमस्ते", "हिन्दी-में"),
            ("اَلْعَرَبِيَّة لغة", "اَلْعَرَبِيَّة"),
            ("می\u{200c}شود", "میشود"),
            ("Ёлка растёт", "ёлка-растёт"),
            ("Grundstücksverkehrsgenehmigung nötig", "grundstücksverkehrsgenehmigung"),
            // The same written with marks of their own.
            ("Cafe\u{301} zu\u{308}rich", "café-zürich"),
            ("\u{301}\u{302} x", "x"),
            ("Straße № 5", "straße-5"),
            ("…!", "memory"),
            ("🦀", "memory"),
            ("", "memory"),
            ("\u{e48}", "memory"),
        ] {
            let slug = slug(text, 32);
            assert_eq!(slug, expected, "{text}");
            assert!(slug.len() <= 32, "{slug}");
        }
        assert_eq!(slug(&"ก".repeat(100), 48).len(), 48);
        assert_eq!(slug("a-b c", 3), "a-b");
    }
}
