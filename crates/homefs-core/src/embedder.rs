//! What turns texts into vectors, as a seam: a model in the binary, one on disk, or a service.

use crate::Result;

/// What families of models were taught to read before a text: a part of a model's name, what goes
/// before a query, and what goes before a memory.
const PROMPTS: [(&str, &str, &str); 2] = [
    ("e5", "query: ", "passage: "),
    ("bge", "Represent this sentence for searching relevant passages: ", ""),
];

/// What a text is embedded for; some models treat a question otherwise than its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A text that asks.
    Query,
    /// A text that is looked for.
    Memory,
}

impl Role {
    /// Returns what a model was taught to read before a text, as far as its name tells: `e5` or
    /// `bge` as a part of it, as in `intfloat/e5-small-v2`.
    pub fn prompt(self, model_name: &str) -> &'static str {
        let mut parts = model_name.split(|char: char| !char.is_alphanumeric());
        let found = parts
            .find_map(|part| PROMPTS.iter().find(|(family, ..)| part.eq_ignore_ascii_case(family)));
        match (self, found) {
            (_, None) => "",
            (Self::Query, Some((_, query, _))) => query,
            (Self::Memory, Some((_, _, memory))) => memory,
        }
    }
}

/// A model that turns texts into vectors.
///
/// The cosine of two vectors says how alike their texts are: about zero if they have nothing to do
/// with each other. A model whose cosines crowd elsewhere is spread out by whoever implements this.
pub trait Embedder: Send + Sync {
    /// Returns the model's name; vectors of different names cannot be compared.
    fn name(&self) -> &str;

    /// Returns the length of every vector; a service may have to be asked for it first.
    fn dimensions(&self) -> Result<usize>;

    /// Returns the unit vector of a text, or zeros for a text in which the model sees nothing.
    fn embed(&self, text: &str, role: Role) -> Result<Vec<f32>>;

    /// As [`Self::embed`] for each text, in order; a service is asked for many at once.
    fn embed_many(&self, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>> {
        texts.iter().map(|text| self.embed(text, role)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Role;

    #[test]
    fn a_family_of_models_is_told_by_a_part_of_its_name() {
        for name in ["e5-small-v2", "intfloat/E5-small", "models:e5"] {
            assert_eq!(
                [Role::Query, Role::Memory].map(|role| role.prompt(name)),
                ["query: ", "passage: "]
            );
        }
        for name in ["", "all-MiniLM-L6-v2", "text-embedding-3-small", "bee5"] {
            assert_eq!(Role::Query.prompt(name), "", "{name}");
        }
        assert_eq!(Role::Memory.prompt("bge-small-en-v1.5"), "");
    }
}
