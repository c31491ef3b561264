//! Writes the tables of the tokenizers' vocabularies, which are part of the binary.
//!
//! `cargo run --release -p homefs-search --example token_tables`
#![expect(clippy::print_stdout, reason = "its output is its purpose")]
#![expect(clippy::disallowed_methods, reason = "it writes files of the source")]

use std::{fs, path::Path};

use homefs_search::recall::token_table;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/tokens");
    for name in ["o200k_base", "cl100k_base"] {
        let encoding = tiktoken::get_encoding(name).expect("a dependency has it");
        let count = u32::try_from(encoding.vocab_size()).expect("the ranks are small");
        let tokens: Vec<Vec<u8>> = (0..count).map(|rank| encoding.decode(&[rank])).collect();
        let table = token_table(&tokens).expect("the tokens are short");
        println!("{name}: {count} tokens, {} bytes", table.len());
        fs::write(folder.join(format!("{name}.table")), table)?;
    }
    Ok(())
}
