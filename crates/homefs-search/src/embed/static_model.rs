//! The instant model: a vector for each piece of a word, summed.
//!
//! It knows nothing of word order, but needs only microseconds, so that every write has a vector
//! when it returns.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path as HostPath;
use std::sync::LazyLock;

use homefs_core::{Disk, Embedder, Result, Role};

use super::files::Folder;
use super::tensors::{Rows, Tensors};
use super::vocabulary::{Token, Vocabulary};
use super::{normalise, simd, wordpiece};

/// The length of a vector.
pub(super) const DIMENSIONS: usize = 256;
/// What the model is called.
pub(super) const NAME: &str = "static-256";

/// A table of piece vectors and the vocabulary that finds them.
pub struct StaticModel {
    vocabulary: Vocabulary,
    rows: Rows<DIMENSIONS>,
}

impl StaticModel {
    /// Returns the model that is part of the binary.
    pub fn built_in() -> &'static Self {
        static MODEL: LazyLock<StaticModel> = LazyLock::new(|| {
            let model = include_bytes!("../../models/static/model.safetensors");
            let vocabulary = include_str!("../../models/static/vocab.txt");
            StaticModel::parse(Cow::Borrowed(model), Cow::Borrowed(vocabulary))
                .expect("the files in the binary are whole; a test reads them")
        });
        &MODEL
    }

    /// Opens the model in a folder of the host.
    pub fn open(disk: &dyn Disk, dir: &HostPath) -> Result<Self> {
        let folder = Folder { disk, dir };
        let rows = folder.tensors(read_rows)?;
        Ok(Self { vocabulary: folder.vocabulary(rows.len())?, rows })
    }

    fn parse(model: Cow<'static, [u8]>, vocabulary: Cow<'static, str>) -> Result<Self> {
        let rows = read_rows(&Tensors::parse(model)?)?;
        Ok(Self { vocabulary: Vocabulary::parse(vocabulary, rows.len())?, rows })
    }

    /// Returns how many tokens there are; each is less.
    pub fn token_count(&self) -> usize {
        self.vocabulary.len()
    }

    /// Returns the piece of a word that a token stands for; `##` continues a word.
    pub fn piece(&self, token: Token) -> &str {
        self.vocabulary.piece(token)
    }

    /// Calls `each` with the known tokens of a text, in order and as often as they occur.
    pub fn tokens(&self, text: &str, mut each: impl FnMut(Token)) {
        let _ = wordpiece::tokenize(&self.vocabulary, text, |token| {
            if let Some(token) = token {
                each(token);
            }
            ControlFlow::Continue(())
        });
    }

    /// Returns the unit vector of a text, or zeros when no word of it is known.
    pub fn embed(&self, text: &str) -> Vec<f32> {
        self.embed_weighted(text, |_| 1.0)
    }

    /// As [`Self::embed`], with a weight for each token.
    pub fn embed_weighted(&self, text: &str, weight: impl FnMut(Token) -> f32) -> Vec<f32> {
        let mut tokens = Vec::with_capacity(text.len() / 4);
        self.tokens(text, |token| tokens.push(token));
        let mut sum = simd::run(Sum { rows: &self.rows, tokens: &tokens, weight });
        normalise(&mut sum);
        sum.to_vec()
    }
}

impl Embedder for StaticModel {
    fn name(&self) -> &'static str {
        NAME
    }

    fn dimensions(&self) -> Result<usize> {
        Ok(DIMENSIONS)
    }

    fn embed(&self, text: &str, _role: Role) -> Result<Vec<f32>> {
        Ok(Self::embed(self, text))
    }
}

fn read_rows(tensors: &Tensors) -> Result<Rows<DIMENSIONS>> {
    tensors.rows_of_bytes("embeddings", "scales", tensors.rows("embeddings")?)
}

/// The sum of the rows of tokens.
struct Sum<'a, W> {
    rows: &'a Rows<DIMENSIONS>,
    tokens: &'a [Token],
    weight: W,
}

impl<W: FnMut(Token) -> f32> simd::Task for Sum<'_, W> {
    type Output = [f32; DIMENSIONS];

    #[expect(clippy::inline_always, reason = "a task is compiled for the processor it runs on")]
    #[inline(always)]
    fn run(mut self) -> Self::Output {
        let mut sum = [0.0; DIMENSIONS];
        for token in self.tokens {
            self.rows.add(*token as usize, (self.weight)(*token), &mut sum);
        }
        sum
    }
}
