//! What the files beside the tensors say of a model.

use homefs_core::{Error, ErrorKind, Result, Role};
use serde::Deserialize;

use super::super::files::Folder;
use super::super::simd::PANEL;

/// No number of a model's shape is larger; it keeps products of them within bounds.
const SIZE_MAX: usize = 1 << 16;

/// `config.json`: the shape of the model.
#[derive(Deserialize)]
pub(super) struct Shape {
    model_type: String,
    #[serde(rename = "_name_or_path", default)]
    name: String,
    #[serde(default)]
    hidden_act: Option<String>,
    #[serde(default)]
    position_embedding_type: Option<String>,
    #[serde(rename = "hidden_size")]
    pub(super) width: usize,
    #[serde(rename = "intermediate_size")]
    pub(super) hidden: usize,
    #[serde(rename = "num_attention_heads")]
    heads: usize,
    #[serde(rename = "num_hidden_layers")]
    pub(super) layers: usize,
    #[serde(rename = "max_position_embeddings")]
    pub(super) positions: usize,
    #[serde(rename = "layer_norm_eps", default = "usual_epsilon")]
    pub(super) epsilon: f32,
}

fn usual_epsilon() -> f32 {
    1e-12
}

impl Shape {
    /// Returns the width of one head of the attention.
    pub(super) fn head(&self) -> usize {
        self.width / self.heads
    }

    /// Refuses what the pass cannot compute.
    fn check(&self) -> Result<()> {
        let unsupported = |what: String| Err(Error::new(ErrorKind::Unsupported, what));
        if self.model_type != "bert" {
            return unsupported(format!("a model of type {:?}, not \"bert\"", self.model_type));
        }
        if let Some(act) = self.hidden_act.as_deref().filter(|act| *act != "gelu") {
            return unsupported(format!("a model with {act:?}, not \"gelu\""));
        }
        if let Some(kind) = self.position_embedding_type.as_deref().filter(|it| *it != "absolute") {
            return unsupported(format!("a model with {kind:?} positions, not \"absolute\""));
        }
        let sizes = [self.width, self.hidden, self.heads, self.layers, self.positions];
        if sizes.iter().any(|size| !(1..=SIZE_MAX).contains(size)) || self.positions < 3 {
            return Err(Error::new(ErrorKind::Invalid, format!("a model of the shape {sizes:?}")));
        }
        let whole = |size: usize| size.is_multiple_of(PANEL);
        if !self.width.is_multiple_of(self.heads) || !whole(self.head()) || !whole(self.hidden) {
            return unsupported(format!(
                "a model of the shape {sizes:?}, whose widths are not multiples of {PANEL}"
            ));
        }
        Ok(())
    }
}

/// How a model is to be used.
#[derive(Debug)]
pub(super) struct Usage {
    /// What goes before a query and before a memory.
    prompts: [String; 2],
    /// Whether the first token stands for the text, rather than the mean of all.
    pub(super) first_token: bool,
    /// What is read of a text.
    pub(super) tokens_max: usize,
}

impl Usage {
    /// Returns what goes before a text.
    pub(super) fn prompt(&self, role: Role) -> &str {
        &self.prompts[usize::from(role == Role::Memory)]
    }
}

/// `1_Pooling/config.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Pooling {
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
}

/// `sentence_bert_config.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Reading {
    max_seq_length: Option<usize>,
}

/// `tokenizer_config.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Tokenizing {
    do_lower_case: Option<bool>,
}

/// `config_sentence_transformers.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Prompting {
    prompts: Prompts,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Prompts {
    query: Option<String>,
    #[serde(alias = "passage")]
    document: Option<String>,
}

/// Reads all that a folder says of its model beside the tensors and the vocabulary.
pub(super) fn read(folder: Folder<'_>, folder_name: &str) -> Result<(Shape, Usage)> {
    let shape: Shape = folder.json("config.json")?;
    folder.about("config.json", shape.check())?;
    let tokenizing: Tokenizing = folder.json_or_default("tokenizer_config.json")?;
    if tokenizing.do_lower_case == Some(false) {
        let error = Error::new(ErrorKind::Unsupported, "a model that tells upper from lower case");
        return folder.about("tokenizer_config.json", Err(error));
    }
    let pooling: Option<Pooling> = folder.json_or_default("1_Pooling/config.json")?;
    let first_token = pooling.as_ref().is_some_and(|pooling| pooling.pooling_mode_cls_token);
    if pooling.is_some_and(|pooling| pooling.pooling_mode_mean_tokens == first_token) {
        let message = "a model that pools neither by the mean nor by the first token";
        let error = Error::new(ErrorKind::Unsupported, message);
        return folder.about("1_Pooling/config.json", Err(error));
    }
    let reading: Reading = folder.json_or_default("sentence_bert_config.json")?;
    let tokens_max = reading.max_seq_length.unwrap_or(usize::MAX).clamp(3, shape.positions);
    let prompting: Prompting = folder.json_or_default("config_sentence_transformers.json")?;
    let prompts = match prompting.prompts {
        Prompts { query: None, document: None } => {
            let names = format!("{folder_name}/{}", shape.name);
            [Role::Query, Role::Memory].map(|role| role.prompt(&names).to_owned())
        }
        Prompts { query, document } => [query, document].map(Option::unwrap_or_default),
    };
    Ok((shape, Usage { prompts, first_token, tokens_max }))
}
