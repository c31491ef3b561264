//! What a service that embeds answered.

use homefs_core::{Error, ErrorKind, Result};
use serde::Deserialize;

/// Takes the unit vectors of `count` texts out of an answer, in the order of the texts.
pub(super) fn read_vectors(content: &[u8], count: usize) -> Result<Vec<Vec<f32>>> {
    #[derive(Deserialize)]
    struct Answer {
        data: Vec<Item>,
    }
    #[derive(Deserialize)]
    struct Item {
        index: Option<usize>,
        embedding: Vec<f32>,
    }
    let odd = |what: String| Error::new(ErrorKind::Invalid, format!("cannot embed: {what}"));
    let answer: Answer = serde_json::from_slice(content).map_err(|cause| {
        odd("the answer is not what a service that embeds says".to_owned()).with_source(cause)
    })?;
    let found = answer.data.len();
    if found != count {
        return Err(odd(format!("the answer has {found} vectors for {count} texts")));
    }
    let mut vectors = vec![Vec::new(); count];
    for (position, item) in answer.data.into_iter().enumerate() {
        let index = item.index.unwrap_or(position);
        let place = vectors.get_mut(index).filter(|vector| vector.is_empty());
        let place = place.ok_or_else(|| odd(format!("the answer's index {index} is odd")))?;
        *place = unit(item.embedding)
            .ok_or_else(|| odd(format!("vector {index} of the answer has no direction")))?;
    }
    Ok(vectors)
}

/// Scales a vector to unit length; nothing if it has no finite length above zero.
fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    for value in &mut vector {
        *value /= length;
    }
    Some(vector)
}

/// Makes an error of an answer that is none.
pub(super) fn refusal(status: u16, content: &[u8], model: &str, key_source: &str) -> Error {
    let reason = reason(content);
    let (kind, why) = match status {
        401 | 403 => {
            (ErrorKind::Denied, format!("the key is refused (variable: {key_source}): check it"))
        }
        300..=399 => {
            let why = "the endpoint sends the request elsewhere, where it does not go: name that \
                       place";
            (ErrorKind::Invalid, why.to_owned())
        }
        404 => (ErrorKind::Invalid, format!("there is no such place, or no model {model:?}")),
        408 | 429 | 500.. => (ErrorKind::Unavailable, "the endpoint is busy or broken".to_owned()),
        _ => (ErrorKind::Invalid, "the endpoint refuses the request".to_owned()),
    };
    Error::new(kind, format!("cannot embed: {why} ({status}{reason})"))
}

/// Takes the word for the reason out of a refusal. Nothing else of it is shown: some services
/// repeat the key there.
fn reason(content: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Refusal {
        error: Reason,
    }
    #[derive(Deserialize)]
    struct Reason {
        code: Option<serde_json::Value>,
    }
    let refusal: Option<Refusal> = serde_json::from_slice(content).ok();
    let code = refusal.and_then(|refusal| refusal.error.code);
    let word = code.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
    let is_word = |char: &char| char.is_ascii_alphabetic() || *char == '_';
    let word: String = word.chars().filter(is_word).take(40).collect();
    if word.is_empty() { word } else { format!(" {word}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let answer = br#"{"object": "list", "data": [{"index": 1, "embedding": [0, 2]},
            {"index": 0, "embedding": [3e0, 4]}], "usage": {}}"#;
        assert_eq!(read_vectors(answer, 2).unwrap(), [[0.6, 0.8], [0.0, 1.0]]);
        let unnumbered = br#"{"data": [{"embedding": [1]}, {"embedding": [-5]}]}"#;
        assert_eq!(read_vectors(unnumbered, 2).unwrap(), [[1.0], [-1.0]]);
    }

    #[test]
    fn an_odd_answer_is_invalid() {
        let check = |answer: &str, message: &str| {
            let error = read_vectors(answer.as_bytes(), 2).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{answer}");
            assert!(error.message().contains(message), "{error}");
        };
        for nonsense in ["", "<html>", "[]", r#"{"data": null}"#, r#"{"data": [{"index": 0}]}"#] {
            check(nonsense, "is not what a service");
        }
        check(r#"{"data": []}"#, "0 vectors for 2 texts");
        check(r#"{"data": [{"embedding": [1]}, {"index": 0, "embedding": [1]}]}"#, "index 0");
        check(r#"{"data": [{"embedding": [1]}, {"index": 2, "embedding": [1]}]}"#, "index 2");
        for vector in ["[]", "[0]", "[1e39]", "[3e30, 3e30]"] {
            let answer =
                format!(r#"{{"data": [{{"embedding": [1]}}, {{"embedding": {vector}}}]}}"#);
            check(&answer, "vector 1 of the answer has no direction");
        }
        check(r#"{"data": [{"embedding": [1]}, {"embedding": [null]}]}"#, "is not what a service");
    }

    #[test]
    fn only_a_word_is_taken_from_a_refusal() {
        let word = |content: &str| reason(content.as_bytes());
        assert_eq!(
            word(r#"{"error": {"code": "model_not_found", "message": "x"}}"#),
            " model_not_found"
        );
        assert_eq!(word(r#"{"error": {"code": "sk-123"}}"#), " sk");
        for content in ["", "<html>", r#"{"error": "no"}"#, r#"{"error": {"code": 401}}"#] {
            assert_eq!(word(content), "");
        }
    }
}
