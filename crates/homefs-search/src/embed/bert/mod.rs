//! A model of BERT's kind that the user gives, such as e5, `MiniLM` or bge.
//!
//! It is a folder as such models are published:
//!
//! - `model.safetensors`, `config.json`, and `vocab.txt` or `tokenizer.json`;
//! - if they are there, `1_Pooling/config.json` (mean or first token; else the mean),
//!   `sentence_bert_config.json` (how many tokens are read; else as many as there are positions),
//!   `tokenizer_config.json` (a model that tells upper from lower case is refused) and
//!   `config_sentence_transformers.json`, whose `prompts` named `query` and `passage` or
//!   `document` go before a text. Without prompts, the name of the folder or in `config.json`
//!   decides: one with the part `e5` or `bge` has those of its family, any other has none.

mod config;
mod forward;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path as HostPath;

use homefs_core::{Digest, Disk, Embedder, Error, ErrorKind, Result, Role};
use serde::Deserialize;

use self::config::{Shape, Usage};
use self::forward::{Forward, Layer, Linear, Norm, Weights};
use super::files::{Folder, VOCABULARY_FILE};
use super::matrix::Matrix;
use super::tensors::Tensors;
use super::vocabulary::{Token, Vocabulary};
use super::{normalise, simd, wordpiece};

/// Tokens that go through the layers together: enough to make up for fetching the weights, few
/// enough that what is between two layers stays near.
const BATCH_TOKENS: usize = 192;

/// A model that the user gives.
pub struct Bert {
    name: String,
    vocabulary: Vocabulary,
    special: Special,
    usage: Usage,
    weights: Weights,
}

/// The pieces that are no words.
struct Special {
    start: Token,
    end: Token,
    unknown: Token,
}

impl Bert {
    /// Opens the model in a folder of the host.
    ///
    /// Its name is that of the folder and a digest of all that decides its vectors, so that those
    /// of a model that was replaced in its place are not taken for its own.
    pub fn open(disk: &dyn Disk, dir: &HostPath) -> Result<Self> {
        let folder = Folder { disk, dir };
        let folder_name = dir.file_name().unwrap_or_default().to_string_lossy();
        let (shape, usage) = config::read(folder, &folder_name)?;
        let (weights, digest) =
            folder.tensors(|tensors| Ok((read_weights(tensors, &shape)?, tensors.digest())))?;
        let (vocabulary, pieces) = read_vocabulary(folder, weights.words.len() / weights.width)?;
        let special = folder.about(pieces, special(&vocabulary))?;
        let digest = Digest::of(format!("{digest} {} {usage:?}", vocabulary.digest()).as_bytes());
        let name = format!("{folder_name}-{}", &digest.to_string()[..8]);
        Ok(Self { name, vocabulary, special, usage, weights })
    }

    /// Returns the tokens of a text that the model reads, the special ones around them; nothing
    /// for a text without a word.
    pub(super) fn tokens(&self, text: &str, role: Role) -> Vec<Token> {
        let mut tokens = vec![self.special.start];
        let mut read = |text: &str| {
            let before = tokens.len();
            let _ = wordpiece::tokenize(&self.vocabulary, text, |token| {
                // One place is kept for the end.
                if tokens.len() + 1 >= self.usage.tokens_max {
                    return ControlFlow::Break(());
                }
                tokens.push(token.unwrap_or(self.special.unknown));
                ControlFlow::Continue(())
            });
            tokens.len() > before
        };
        read(self.usage.prompt(role));
        if !read(text) {
            return Vec::new();
        }
        tokens.push(self.special.end);
        tokens
    }

    /// Returns the unit vectors of texts that go through the layers together.
    fn embed_batch(&self, texts: &[Vec<Token>]) -> Vec<Vec<f32>> {
        let width = self.weights.width;
        let states = simd::run(Forward { weights: &self.weights, texts });
        let mut rows = states.chunks_exact(width);
        let vector = |text: &Vec<Token>| {
            let mut vector = vec![0.0; width];
            for (index, row) in rows.by_ref().take(text.len()).enumerate() {
                if index == 0 || !self.usage.first_token {
                    vector.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
                }
            }
            normalise(&mut vector);
            vector
        };
        texts.iter().map(vector).collect()
    }
}

impl Embedder for Bert {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> Result<usize> {
        Ok(self.weights.width)
    }

    fn embed(&self, text: &str, role: Role) -> Result<Vec<f32>> {
        Ok(self.embed_batch(&[self.tokens(text, role)]).concat())
    }

    fn embed_many(&self, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>> {
        let texts: Vec<_> = texts.iter().map(|text| self.tokens(text, role)).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        while vectors.len() < texts.len() {
            let rest = &texts[vectors.len()..];
            let fitting = rest.iter().scan(0, |sum, text| {
                *sum += text.len();
                Some(*sum)
            });
            let count = fitting.take_while(|sum| *sum <= BATCH_TOKENS).count().max(1);
            vectors.extend(self.embed_batch(&rest[..count]));
        }
        Ok(vectors)
    }
}

/// Reads the vocabulary, which must have a piece for each of `count` rows; returns the name of its
/// file too.
fn read_vocabulary(folder: Folder<'_>, count: usize) -> Result<(Vocabulary, &'static str)> {
    /// `tokenizer.json`.
    #[derive(Deserialize)]
    struct Tokenizer {
        model: Model,
    }
    #[derive(Deserialize)]
    struct Model {
        vocab: HashMap<String, usize>,
    }
    let file = "tokenizer.json";
    if folder.has(VOCABULARY_FILE)? || !folder.has(file)? {
        return Ok((folder.vocabulary(count)?, VOCABULARY_FILE));
    }
    let tokenizer: Tokenizer = folder.json(file)?;
    let mut pieces = vec![""; tokenizer.model.vocab.len()];
    for (piece, number) in &tokenizer.model.vocab {
        if let Some(place) = pieces.get_mut(*number) {
            *place = piece;
        }
    }
    let text = pieces.iter().flat_map(|piece| [piece, "\n"]).collect::<String>();
    let vocabulary = folder.about(file, Vocabulary::parse(Cow::Owned(text), count))?;
    Ok((vocabulary, file))
}

fn special(vocabulary: &Vocabulary) -> Result<Special> {
    let token = |piece: &str| match vocabulary.longest(piece.as_bytes(), false) {
        Some((token, length)) if length == piece.len() => Ok(token),
        _ => {
            let message = format!("the vocabulary has no {piece}: it is another model's");
            Err(Error::new(ErrorKind::Invalid, message))
        }
    };
    Ok(Special { start: token("[CLS]")?, end: token("[SEP]")?, unknown: token("[UNK]")? })
}

fn read_weights(tensors: &Tensors, shape: &Shape) -> Result<Weights> {
    let Shape { width, hidden, positions, .. } = *shape;
    // A model that was saved with a head on top has its body below a name.
    let words = "embeddings.word_embeddings.weight";
    let body = if tensors.has(words) { "" } else { "bert." };
    let floats = |name: &str, shape: &[usize]| tensors.floats(&format!("{body}{name}"), shape);
    let norm = |name: &str| -> Result<Norm> {
        Ok(Norm {
            gain: floats(&format!("{name}.weight"), &[width])?,
            shift: floats(&format!("{name}.bias"), &[width])?,
            epsilon: shape.epsilon,
        })
    };
    // The parts of one matrix lie one after the other in its outputs.
    let linear = |names: &[&str], inputs: usize, outputs: usize| -> Result<Linear> {
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weights.append(&mut floats(&format!("{name}.weight"), &[outputs, inputs])?);
            bias.append(&mut floats(&format!("{name}.bias"), &[outputs])?);
        }
        let weight = |output: usize, input: usize| weights[output * inputs + input];
        Ok(Linear { matrix: Matrix::pack(inputs, bias.len(), weight), bias })
    };
    let layer = |index: usize| -> Result<Layer> {
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let asks = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        Ok(Layer {
            attention: linear(&asks.each_ref().map(String::as_str), width, width)?,
            attention_out: linear(&[&name("attention.output.dense")], width, width)?,
            attention_norm: norm(&name("attention.output.LayerNorm"))?,
            hidden: linear(&[&name("intermediate.dense")], width, hidden)?,
            hidden_out: linear(&[&name("output.dense")], hidden, width)?,
            hidden_norm: norm(&name("output.LayerNorm"))?,
        })
    };
    let table = |name: &str| floats(name, &[tensors.rows(&format!("{body}{name}"))?, width]);
    let words = table(words)?;
    let types = table("embeddings.token_type_embeddings.weight")?;
    let mut places = floats("embeddings.position_embeddings.weight", &[positions, width])?;
    for row in places.chunks_exact_mut(width) {
        row.iter_mut().zip(&types).for_each(|(value, added)| *value += added);
    }
    Ok(Weights {
        width,
        head: shape.head(),
        words,
        positions: places,
        norm: norm("embeddings.LayerNorm")?,
        layers: (0..shape.layers).map(layer).collect::<Result<_>>()?,
    })
}
