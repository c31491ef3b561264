//! What of a question is grammar, in languages other than English: words that say nothing about
//! what is asked for.
//!
//! In scripts that write without spaces a word is pairs of characters, so that `油价怎么样` would ask
//! for four things of which a note on `油价` has one: here the grammar is taken out of a question
//! before it is cut into pairs. What texts hold is never touched. A text in English, and every text
//! of plain letters that no table knows, stays what it is.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use unicode_normalization::UnicodeNormalization;

use super::{each_word, is_stop_word, words::is_unspaced};

/// Chinese, in both ways of writing; those with `=` are words that hold one of the others.
const CHINESE: &str = "什么时候 什麼時候 什么 什麼 甚麼 怎么样 怎麼樣 怎么 怎麼 怎样 怎樣 为什么 為什麼 为何 \
    為何 哪里 哪裡 哪裏 哪儿 哪个 哪個 哪些 哪天 哪一天 哪年 哪一年 哪位 几点 幾點 几个 幾個 几天 幾天 几号 幾號 几岁 \
    多少 多久 多大 多长 多長 多远 多遠 多高 如何 谁 誰 是不是 有没有 有沒有 能不能 请问 請問 请告诉我 告诉我 告訴我 \
    吗 嗎 呢 吧 啊 的 是 我们 我們 你们 你們 他们 他們 我 你 他 她 它 这个 這個 那个 那個 了 \
    =目的 =的确 =的士 =但是 =可是 =于是 =还是 =是非 =自我 =其他 =他人 =吉他 =了解 =为了 =除了";
/// Japanese: whole words and endings, which stand anywhere in a row of hiragana.
const JAPANESE: &str = "いつ どこ だれ どなた どれ どの どちら どう どうやって どんな なぜ なに なん いくら いくつ \
    ですか でしょうか でした でしょう です ますか ました ません ます ている ています ていますか ていました \
    にいますか がいますか にありますか がありますか ありますか いますか あります います ください について \
    における から まで より とは って という その この あの それ これ あれ そして さん さま ちゃん くん だった した する して される";
/// Japanese particles: only beside something that is no hiragana, where no word can begin or end
/// with them.
const PARTICLES: &str = "は が を に の と も へ で や か";
/// Japanese words of grammar that are written with other characters.
const KANJI: &str = "何時 何日 何月 何年 何曜日 何人 何歳 何個 何 誰 幾つ 幾ら 私 僕 =幾何";
/// Korean: whole words.
const KOREAN: &str = "언제 어디 어디서 어디에서 누구 누가 무엇 무엇을 뭐 뭘 얼마 얼마나 왜 어떻게 어떤 어느 몇 몇시 \
    있습니까 있나요 있어요 합니까 하나요 했나요 입니까 인가요 됩니까 되나요 무슨 그 이 저 나 나의 내 너 너의 우리";
/// Korean endings, which stand behind a word.
const ENDINGS: &str = "입니까 입니다 인가요 이에요 예요 이야 인지 에서는 에서 에게 한테 으로 부터 까지 처럼 이랑 \
    은 는 이 가 을 를 에 의 도 로 와 과 만";
/// Thai; those with `=` are words that hold one of the others.
const THAI: &str = "อะไร เมื่อไหร่ เมื่อไร เมื่อใด ที่ไหน ที่ใด ใคร เท่าไหร่ เท่าไร เท่าใด อย่างไร ยังไง ทำไม ไหม หรือไม่ \
    หรือเปล่า คือ เป็น ของ และ กี่โมง กี่ วันไหน ไหน ครับ ค่ะ คะ ฉัน ผม คุณ =คณะ";
/// Russian.
const RUSSIAN: &str = "а без бы был была были было быть в вам вас весь во вот все вы где да для до его ее её если \
    есть еще ещё же за и из или им их к как какая какие какой какое каков какова какую когда кого кому кто \
    куда ли мне мой моя мы на над не него нет ни но о об он она они от откуда по под почему при про с сколько \
    со так там то тоже только у уже чего чей чем что чтобы это этот я находится является";
/// Arabic.
const ARABIC: &str = "ما ماذا متى أين من كم كيف هل لماذا هو هي هم في على إلى عن مع أن إن كان كانت هذا هذه ذلك التي \
    الذي و أو ثم لا لم لن قد أي أية عند بين كل يكون تكون أنا أنت نحن";
/// German words that are no words of English questions: they tell that a text is German.
const GERMAN: &str = "wann wie wo wer wen wem wessen wohin woher warum wieso weshalb welche welcher welches welchen \
    welchem ist sind wird wurde wurden haben hatte habe kann und oder nicht der das dem ein eine einen einem \
    einer eines ich wir ihr sie mein meine meinen meinem meiner dein deine sein seine unser unsere mit von vom \
    zum zur für über auf aus bei nach auch noch nur viel viele gibt sich im";
/// German words that mean something in English too.
const GERMAN_TOO: &str = "die den des was war hat in an am so es er du zu als um ob also will man";

/// The words that say nothing in a text.
pub(crate) struct StopWords {
    is_german: bool,
}

impl StopWords {
    /// Finds out in which language a text is.
    pub(crate) fn of(text: &str) -> Self {
        let (mut german, mut english) = (0, 0);
        each_word(text, |word| {
            german += usize::from(TABLES.german.contains(word.text));
            let is_english = is_stop_word(word.text) && !TABLES.german_too.contains(word.text);
            english += usize::from(is_english);
        });
        Self { is_german: german > english }
    }

    /// Tells whether a folded word says nothing.
    pub(crate) fn has(&self, word: &str) -> bool {
        let is_german = || TABLES.german.contains(word) || TABLES.german_too.contains(word);
        is_stop_word(word)
            || (!word.is_ascii() && TABLES.others.contains(word))
            || (self.is_german && is_german())
    }
}

/// A text without the grammar of scripts that write without spaces; the text itself if there is
/// nothing else in it, or nothing of them.
pub(crate) fn without_grammar(text: &str) -> String {
    if !text.contains(is_unspaced) {
        return text.to_owned();
    }
    let letters: Vec<char> = text.nfkc().collect();
    let is_japanese = letters.iter().any(|letter| is_kana(*letter));
    let mut left = String::with_capacity(text.len());
    for row in letters.chunk_by(|one, two| kind(*one) == kind(*two)) {
        let kept = |phrases: &Phrases| phrases.cut(row);
        match kind(row[0]) {
            Kind::Hiragana => {
                let is_first = left.ends_with(is_hard);
                left.push_str(&hiragana(row, is_first));
            }
            Kind::Han if is_japanese => left.push_str(&kept(&TABLES.kanji)),
            Kind::Han => left.push_str(&kept(&TABLES.chinese)),
            Kind::Hangul => left.push_str(&korean(row)),
            Kind::Other if row[0] >= '\u{e00}' && row[0] <= '\u{e7f}' => {
                left.push_str(&kept(&TABLES.thai));
            }
            _ => left.extend(row),
        }
    }
    if left.contains(char::is_alphanumeric) { left } else { text.to_owned() }
}

/// How much a character counts, by pairs, that nothing was found of: a word has two characters of
/// Chinese and many of an alphabet, and a row of hiragana is mostly grammar in another form.
pub(crate) fn weight_of(letter: char) -> f32 {
    match kind(letter) {
        Kind::Hiragana => 0.0,
        Kind::Han | Kind::Hangul => 0.5,
        Kind::Katakana | Kind::Other | Kind::Spaced => 1.0,
    }
}

/// The kinds of characters that are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Han,
    Hiragana,
    Katakana,
    Hangul,
    /// Of another script without spaces.
    Other,
    /// Of a script with spaces, or no letter.
    Spaced,
}

fn kind(letter: char) -> Kind {
    match letter {
        '\u{3040}'..='\u{309f}' => Kind::Hiragana,
        '\u{30a0}'..='\u{30ff}' => Kind::Katakana,
        '\u{ac00}'..='\u{d7ff}' | '\u{1100}'..='\u{11ff}' => Kind::Hangul,
        '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Kind::Han,
        _ if is_unspaced(letter) => Kind::Other,
        _ => Kind::Spaced,
    }
}

fn is_kana(letter: char) -> bool {
    matches!(kind(letter), Kind::Hiragana | Kind::Katakana)
}

/// Whether a word of a row of hiragana cannot have begun with a character.
fn is_hard(letter: char) -> bool {
    letter.is_alphanumeric() && kind(letter) != Kind::Hiragana
}

/// Leaves of a row of hiragana what is no grammar. A single character is none of its words.
fn hiragana(row: &[char], follows_word: bool) -> String {
    let mut cut = String::new();
    let begins = follows_word && TABLES.particles.contains(&row[0]);
    if begins {
        cut.push(' ');
    }
    let rest = &row[usize::from(begins)..];
    let ends = rest.len() > 1 && rest.last().is_some_and(|last| TABLES.particles.contains(last));
    cut.push_str(&TABLES.japanese.cut(&rest[..rest.len() - usize::from(ends)]));
    let words = cut.split(' ').filter(|word| word.chars().nth(1).is_some());
    let words: Vec<&str> = words.collect();
    format!(" {} ", words.join(" "))
}

/// Leaves of a word of Korean what is no grammar.
fn korean(word: &[char]) -> String {
    let text: String = word.iter().collect();
    if TABLES.korean.contains(&*text) {
        return " ".into();
    }
    // The longest ending first; what is left may be such a word itself.
    let ending = TABLES.endings.iter().find(|ending| {
        text.strip_suffix(**ending)
            .is_some_and(|stem| TABLES.korean.contains(stem) || stem.chars().nth(1).is_some())
    });
    match ending.and_then(|ending| text.strip_suffix(*ending)) {
        Some(stem) if TABLES.korean.contains(stem) => " ".into(),
        Some(stem) => stem.to_owned(),
        None => text,
    }
}

/// Phrases that are cut out of a row, and words that keep others from being cut out.
struct Phrases {
    cut: FxHashSet<Vec<char>>,
    kept: FxHashSet<Vec<char>>,
    longest: usize,
}

impl Phrases {
    fn new(table: &str) -> Self {
        let (mut cut, mut kept) = (FxHashSet::default(), FxHashSet::default());
        for phrase in table.split_whitespace() {
            match phrase.strip_prefix('=') {
                Some(word) => kept.insert(word.nfkc().collect()),
                None => cut.insert(phrase.nfkc().collect()),
            };
        }
        let longest = cut.iter().chain(&kept).map(Vec::len).max().unwrap_or(0);
        Self { cut, kept, longest }
    }

    /// Leaves spaces in the places of the phrases, the longest first.
    fn cut(&self, row: &[char]) -> String {
        let (mut left, mut at) = (String::new(), 0);
        while at < row.len() {
            let longest = self.longest.min(row.len() - at);
            let found = (1..=longest).rev().find_map(|len| {
                let part = &row[at..at + len];
                let is_kept = self.kept.contains(part);
                (is_kept || self.cut.contains(part)).then_some((len, is_kept))
            });
            let (len, is_kept) = found.unwrap_or((1, true));
            if is_kept {
                left.extend(&row[at..at + len]);
            } else if !left.ends_with(' ') {
                left.push(' ');
            }
            at += len;
        }
        left
    }
}

/// All tables, read once.
struct Tables {
    chinese: Phrases,
    kanji: Phrases,
    japanese: Phrases,
    thai: Phrases,
    particles: FxHashSet<char>,
    korean: FxHashSet<&'static str>,
    endings: Vec<&'static str>,
    /// Words of scripts that no language of plain letters has.
    others: FxHashSet<String>,
    german: FxHashSet<String>,
    german_too: FxHashSet<String>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut endings: Vec<&str> = ENDINGS.split_whitespace().collect();
    endings.sort_by_key(|ending| std::cmp::Reverse(ending.len()));
    let mut others = folded(RUSSIAN);
    others.extend(folded(ARABIC));
    Tables {
        chinese: Phrases::new(CHINESE),
        kanji: Phrases::new(KANJI),
        japanese: Phrases::new(JAPANESE),
        thai: Phrases::new(THAI),
        particles: PARTICLES.chars().filter(|letter| *letter != ' ').collect(),
        korean: KOREAN.split_whitespace().collect(),
        endings,
        others,
        german: folded(GERMAN),
        german_too: folded(GERMAN_TOO),
    }
});

/// The words of a table as they stand in an index.
fn folded(table: &str) -> FxHashSet<String> {
    let mut words = FxHashSet::default();
    each_word(table, |word| {
        words.insert(word.text.to_owned());
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammar_is_taken_out_of_a_question() {
        for (question, left) in [
            ("油价怎么样？", "油价 ?"),
            ("张伟的生日是哪天？", "张伟 生日 ?"),
            ("这次旅行的目的是什么", "这次旅行 目的"),
            ("會議什麼時候開始", "會議 開始"),
            ("会議はいつですか", "会議"),
            ("東京タワーの営業時間は？", "東京タワー 営業時間 ?"),
            ("田中さんはどこに住んでいますか", "田中 住 んで"),
            ("りんごの値段は何円ですか", "りんご 値段 円"),
            ("회의는 언제예요?", "회의 ?"),
            ("김민수의 생일은 언제입니까", "김민수 생일"),
            ("ราคาน้ำมันเป็นอย่างไร", "ราคาน้ำมัน"),
            ("when does it start", "when does it start"),
            ("Café?", "Café?"),
            // Nothing else is asked.
            ("怎么样", "怎么样"),
            ("", ""),
        ] {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let left: String = left.nfkc().collect();
            assert_eq!(words(&without_grammar(question)), left, "{question}");
        }
    }

    #[test]
    fn words_of_a_language_say_nothing_in_it_alone() {
        for (text, word, is_stop_word) in [
            ("Wie hoch ist die Miete", "die", true),
            ("Wie hoch ist die Miete", "miete", false),
            ("Was ist der Preis", "ist", true),
            ("die hard", "die", false),
            ("when did the cat die", "die", false),
            ("when did Mr Das arrive", "das", false),
            ("war and peace", "war", false),
            ("Когда день рождения Анны", "когда", true),
            ("Когда день рождения Анны", "день", false),
            ("أين يسكن أحمد", "اين", true),
            ("أين يسكن أحمد", "احمد", false),
            ("the falcon", "the", true),
        ] {
            assert_eq!(StopWords::of(text).has(word), is_stop_word, "{word} in {text}");
        }
    }
}
