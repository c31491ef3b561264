//! Model files that are missing, cut off or of another model.

use std::path::Path as HostPath;

use homefs_core::{Disk, Error, ErrorKind, HostDisk};

use crate::embed::{Encoder, StaticModel};

const STATIC: &[u8] = include_bytes!("../../../models/static/model.safetensors");
const ENCODER: &[u8] = include_bytes!("../../../models/encoder/model.safetensors");
const WORDS: &[u8] = include_bytes!("../../../models/static/vocab.txt");

/// Writes a folder with a model and gives both models' error for it.
fn errors(model: Option<&[u8]>, vocabulary: Option<&[u8]>) -> [Error; 2] {
    let dir = tempfile::tempdir().expect("a folder can be made");
    for (name, content) in [("model.safetensors", model), ("vocab.txt", vocabulary)] {
        if let Some(content) = content {
            HostDisk.replace(&dir.path().join(name), content).expect("the disk takes it");
        }
    }
    let open = |dir: &HostPath| {
        [StaticModel::open(&HostDisk, dir).err(), Encoder::open(&HostDisk, dir).err()]
    };
    open(dir.path()).map(|error| {
        let error = error.expect("the model is bad");
        assert!(error.path().is_some_and(|path| path.contains(&*dir.path().to_string_lossy())));
        error
    })
}

fn check(model: Option<&[u8]>, vocabulary: Option<&[u8]>, kind: ErrorKind, message: &str) {
    for error in errors(model, vocabulary) {
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(message), "{error}");
    }
}

#[test]
fn a_missing_file_is_named() {
    check(None, Some(WORDS), ErrorKind::NotFound, "cannot read the model");
    for (model, missing) in [(None, "model.safetensors"), (Some(STATIC), "vocab.txt")] {
        let [error, _] = errors(model, None);
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.path().is_some_and(|path| path.ends_with(missing)), "{error}");
    }
}

#[test]
fn a_truncated_file_is_corrupt() {
    for len in [0, 7, 8, 100, STATIC.len() / 2, STATIC.len() - 1] {
        check(Some(&STATIC[..len]), Some(WORDS), ErrorKind::Corrupt, "truncated");
    }
    check(Some(&[0xFF; 64]), Some(WORDS), ErrorKind::Corrupt, "truncated");
    check(Some(&[0; 64]), Some(WORDS), ErrorKind::Corrupt, "no safetensors header");
    let [error, _] = errors(Some(STATIC), Some(&[0xFF, b'\n']));
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Corrupt, "the vocabulary is not UTF-8")
    );
}

#[test]
fn another_model_is_refused() {
    let [_, encoder] = errors(Some(STATIC), Some(b"a\n"));
    assert_eq!(encoder.kind(), ErrorKind::Invalid);
    assert!(encoder.message().contains("it is another model"), "{encoder}");
    let [static_model, encoder] = errors(Some(ENCODER), Some(WORDS));
    assert!(static_model.message().contains("no tensor \"embeddings\""), "{static_model}");
    assert!(encoder.message().contains("29523 pieces where the model has 27971"), "{encoder}");
}

#[test]
fn another_dimension_is_refused() {
    let header = br#"{"scales":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
        "embeddings":{"dtype":"I8","shape":[1,384],"data_offsets":[4,388]},
        "emb.q":{"dtype":"I8","shape":[1,384],"data_offsets":[4,388]},"emb.s":{}}"#;
    let mut model = (header.len() as u64).to_le_bytes().to_vec();
    model.extend_from_slice(header);
    model.extend([0; 388]);
    check(Some(&model), Some(b"a\n"), ErrorKind::Invalid, "[1, 384] where [1, 256] is needed");
}

#[test]
fn a_good_folder_is_opened() {
    let dir = HostPath::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let model = StaticModel::open(&HostDisk, &dir.join("static")).expect("it is whole");
    assert_eq!(model.embed("a text"), StaticModel::built_in().embed("a text"));
    Encoder::open(&HostDisk, &dir.join("encoder")).expect("it is whole");
}
