//! The default model: a transformer of one layer that reads a text as a whole.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path as HostPath;
use std::sync::LazyLock;

use homefs_core::{Disk, Embedder, Result, Role};

use super::files::Folder;
use super::forward::{Forward, HIDDEN, POSITIONS, WIDTH, Weights};
use super::matrix::Matrix;
use super::tensors::{Rows, Tensors};
use super::vocabulary::{Token, Vocabulary};
use super::{normalise, simd, wordpiece};

/// The length of a vector.
pub(super) const DIMENSIONS: usize = 192;
/// What the model is called.
pub(super) const NAME: &str = "encoder-192";
/// The row of a word that the vocabulary cannot make up.
const UNKNOWN: Token = 0;
/// What is read of a text; the model was taught on no more.
const TOKENS_MAX: usize = 126;

/// The model's weights and its vocabulary.
pub struct Encoder {
    vocabulary: Vocabulary,
    weights: Weights,
}

impl Encoder {
    /// Returns the model that is part of the binary.
    pub fn built_in() -> &'static Self {
        static MODEL: LazyLock<Encoder> = LazyLock::new(|| {
            let model = include_bytes!("../../models/encoder/model.safetensors");
            let vocabulary = include_str!("../../models/encoder/vocab.txt");
            Encoder::parse(Cow::Borrowed(model), Cow::Borrowed(vocabulary))
                .expect("the files in the binary are whole; a test reads them")
        });
        &MODEL
    }

    /// Opens the model in a folder of the host.
    pub fn open(disk: &dyn Disk, dir: &HostPath) -> Result<Self> {
        let folder = Folder { disk, dir };
        let weights = folder.tensors(read_weights)?;
        Ok(Self { vocabulary: folder.vocabulary(weights.words.len())?, weights })
    }

    fn parse(model: Cow<'static, [u8]>, vocabulary: Cow<'static, str>) -> Result<Self> {
        let weights = read_weights(&Tensors::parse(model)?)?;
        Ok(Self { vocabulary: Vocabulary::parse(vocabulary, weights.words.len())?, weights })
    }

    /// Returns the unit vector of a text, or zeros for a text without a word; only the first 126
    /// tokens are read.
    pub fn embed(&self, text: &str, role: Role) -> Vec<f32> {
        let mut vector = simd::run(self.forward(&self.tokens(text), role));
        normalise(&mut vector);
        vector
    }

    /// Returns the tokens of a text that the model reads.
    pub(super) fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(TOKENS_MAX);
        let _ = wordpiece::tokenize(&self.vocabulary, text, |token| {
            tokens.push(token.unwrap_or(UNKNOWN));
            if tokens.len() < TOKENS_MAX {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        tokens
    }

    /// Returns the pass over tokens, to be run.
    pub(super) fn forward<'a>(&'a self, tokens: &'a [Token], role: Role) -> Forward<'a> {
        Forward { weights: &self.weights, tokens, role }
    }
}

impl Embedder for Encoder {
    fn name(&self) -> &'static str {
        NAME
    }

    fn dimensions(&self) -> Result<usize> {
        Ok(DIMENSIONS)
    }

    fn embed(&self, text: &str, role: Role) -> Result<Vec<f32>> {
        Ok(Self::embed(self, text, role))
    }
}

fn read_weights(tensors: &Tensors) -> Result<Weights> {
    let floats = |name: &str, shape: &[usize]| tensors.floats(name, shape);
    let words = tensors.rows("emb.q")?;
    Ok(Weights {
        words: tensors.rows_of_bytes("emb.q", "emb.s", words)?,
        roles: floats("typ", &[2, WIDTH])?,
        positions: floats("pos", &[POSITIONS, WIDTH])?,
        attention_gain: floats("bl.0.n1", &[WIDTH])?,
        attention: matrix::<WIDTH>(tensors, "bl.0.qkv.weight", 3 * WIDTH)?,
        attention_bias: floats("bl.0.qkv.bias", &[3 * WIDTH])?,
        attention_out: matrix::<WIDTH>(tensors, "bl.0.o.weight", WIDTH)?,
        hidden_gain: floats("bl.0.n2", &[WIDTH])?,
        hidden: matrix::<WIDTH>(tensors, "bl.0.f1.weight", HIDDEN)?,
        hidden_bias: floats("bl.0.f1.bias", &[HIDDEN])?,
        hidden_out: matrix::<HIDDEN>(tensors, "bl.0.f2.weight", WIDTH)?,
        gate: floats("gate.weight", &[1, WIDTH])?,
        gate_bias: floats("gate.bias", &[1])?[0],
        out: matrix::<WIDTH>(tensors, "out.weight", DIMENSIONS)?,
        out_bias: floats("out.bias", &[DIMENSIONS])?,
    })
}

fn matrix<const INPUTS: usize>(tensors: &Tensors, name: &str, outputs: usize) -> Result<Matrix> {
    let (bytes, scales) = (format!("{name}.q"), format!("{name}.s"));
    let rows: Rows<INPUTS> = tensors.rows_of_bytes(&bytes, &scales, outputs)?;
    Ok(Matrix::pack_rows(outputs, |output, row: &mut [f32; INPUTS]| rows.add(output, 1.0, row)))
}
