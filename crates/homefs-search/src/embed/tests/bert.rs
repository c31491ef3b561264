//! Models that a user gives: what they compute, and folders that are not as they should be.
//!
//! The model is small and made up; `models/bert/reference.py` says what it must give.

use std::path::{Path as HostPath, PathBuf};

use homefs_core::{Disk, Embedder, Error, ErrorKind, HostDisk, Role};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::noise;
use crate::embed::Bert;

const WIDTH: usize = 32;
const HIDDEN: usize = 64;
const POSITIONS: usize = 16;
const WORDS: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nquery\npassage\n:\nred\napple\n##s\ngreen\npear\n";

/// A folder with a model, whole until something is done to it.
struct Folder {
    // The folder is there as long as this is.
    _dir: TempDir,
    path: PathBuf,
}

impl Folder {
    fn new(name: &str) -> Self {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let folder = Self { path: dir.path().join(name), _dir: dir };
        HostDisk.create_dir_all(&folder.path.join("1_Pooling")).expect("the disk takes it");
        folder.put("model.safetensors", &model(1.0, "F32"));
        folder.put("vocab.txt", WORDS.as_bytes());
        folder.put_json("config.json", &config());
        folder
    }

    fn put(&self, file: &str, content: &[u8]) {
        HostDisk.replace(&self.path.join(file), content).expect("the disk takes it");
    }

    fn put_json(&self, file: &str, content: &Value) {
        self.put(file, content.to_string().as_bytes());
    }

    fn remove(&self, file: &str) {
        HostDisk.remove(&self.path.join(file)).expect("it is there");
    }

    fn open(&self) -> Bert {
        Bert::open(&HostDisk, &self.path).expect("the model is whole")
    }

    /// Checks that the model is refused, and that the error names the file.
    fn refused(&self, file: &str, kind: ErrorKind, message: &str) {
        let error: Error = Bert::open(&HostDisk, &self.path).err().expect("the model is bad");
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(message), "{error}");
        assert_eq!(error.path().map(HostPath::new), Some(&*self.path.join(file)), "{error}");
    }
}

fn config() -> Value {
    json!({"model_type": "bert", "hidden_act": "gelu", "hidden_size": WIDTH,
        "intermediate_size": HIDDEN, "num_attention_heads": 2, "num_hidden_layers": 2,
        "max_position_embeddings": POSITIONS, "layer_norm_eps": 1e-12})
}

/// Returns the names and shapes of the tensors, in the order in which they are made up.
fn shapes() -> Vec<(String, Vec<usize>)> {
    let table = |name: &str, rows| (format!("embeddings.{name}_embeddings.weight"), [rows, WIDTH]);
    let tables = [table("word", 12), table("position", POSITIONS), table("token_type", 2)];
    let mut shapes: Vec<_> = tables.map(|(name, shape)| (name, shape.to_vec())).into();
    let mut parts = vec![("embeddings.LayerNorm".to_owned(), vec![WIDTH])];
    for layer in 0..2 {
        let parts_of_layer: [(&str, &[usize]); 8] = [
            ("attention.self.query", &[WIDTH, WIDTH]),
            ("attention.self.key", &[WIDTH, WIDTH]),
            ("attention.self.value", &[WIDTH, WIDTH]),
            ("attention.output.dense", &[WIDTH, WIDTH]),
            ("attention.output.LayerNorm", &[WIDTH]),
            ("intermediate.dense", &[HIDDEN, WIDTH]),
            ("output.dense", &[WIDTH, HIDDEN]),
            ("output.LayerNorm", &[WIDTH]),
        ];
        let named = |(part, shape): (&str, &[usize])| {
            (format!("encoder.layer.{layer}.{part}"), shape.to_vec())
        };
        parts.extend(parts_of_layer.map(named));
    }
    for (name, shape) in parts {
        let rows = vec![shape[0]];
        shapes.extend([(format!("{name}.weight"), shape), (format!("{name}.bias"), rows)]);
    }
    shapes
}

/// Returns a model file of made-up numbers, the very last of them times `last`.
fn model(last: f32, kind: &str) -> Vec<u8> {
    let shapes = shapes();
    let count: usize = shapes.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
    let mut numbers: Vec<f32> = noise(11).take(count).collect();
    numbers[count - 1] *= last;
    let size = if kind == "F32" { 4 } else { 2 };
    let (mut header, mut start) = (serde_json::Map::new(), 0);
    for (name, shape) in shapes {
        let end = start + shape.iter().product::<usize>() * size;
        header.insert(name, json!({"dtype": kind, "shape": shape, "data_offsets": [start, end]}));
        start = end;
    }
    let header = Value::Object(header).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    for number in numbers {
        match kind {
            "F32" => file.extend(number.to_le_bytes()),
            _ => file.extend_from_slice(&number.to_le_bytes()[2..]),
        }
    }
    file
}

fn check(model: &Bert, text: &str, role: Role, expected: [f32; 8]) {
    let vector = model.embed(text, role).expect("a model on disk never fails");
    assert_eq!(vector.len(), WIDTH);
    for (value, expected) in vector.iter().zip(expected) {
        assert!((value - expected).abs() < 2e-5, "{value} where {expected} is right, {text:?}");
    }
}

/// What the reference gives for "red apples".
const RED_APPLES: [f32; 8] =
    [-0.0416, 0.25044, -0.0575, -0.01575, 0.2769, 0.05617, -0.13353, -0.1395];

#[test]
fn a_model_gives_what_the_reference_gives() {
    let folder = Folder::new("tiny");
    let model = folder.open();
    check(&model, "Red APPLES", Role::Query, RED_APPLES);
    check(&model, "red apples", Role::Memory, RED_APPLES);
    assert_eq!(model.dimensions().ok(), Some(WIDTH));
    let pooling = json!({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false});
    folder.put_json("1_Pooling/config.json", &pooling);
    let first = [-0.04176, 0.25047, -0.05845, -0.01569, 0.27665, 0.05599, -0.13361, -0.13932];
    check(&folder.open(), "red apples", Role::Query, first);
}

#[test]
fn prompts_are_those_of_the_files_or_of_the_family() {
    let (query, memory) = (
        [-0.01875, 0.24905, -0.04738, -0.01454, 0.26857, 0.05213, -0.133, -0.13955],
        [-0.04899, 0.24725, -0.05662, -0.01575, 0.28798, 0.05747, -0.1315, -0.13603],
    );
    let of_family = Folder::new("e5-tiny");
    let of_files = Folder::new("tiny");
    let prompts = json!({"prompts": {"query": "query: ", "document": "passage: "}});
    of_files.put_json("config_sentence_transformers.json", &prompts);
    for model in [of_family.open(), of_files.open()] {
        check(&model, "red apples", Role::Query, query);
        check(&model, "green", Role::Memory, memory);
    }
    let none = json!({"prompts": {"query": "", "passage": ""}});
    of_family.put_json("config_sentence_transformers.json", &none);
    check(&of_family.open(), "red apples", Role::Query, RED_APPLES);
}

#[test]
fn many_texts_at_once_have_the_same_vectors() {
    let model = Folder::new("tiny").open();
    let long = "red green pear ".repeat(100);
    let mut texts = vec!["red apples", "", "pear", "\0", &long, "🦀 green", "a"];
    texts.extend([&*long; 40]);
    let vectors = model.embed_many(&texts, Role::Memory).expect("a model on disk never fails");
    assert_eq!(vectors.len(), texts.len());
    for (text, vector) in texts.iter().zip(&vectors) {
        let alone = model.embed(text, Role::Memory).expect("a model on disk never fails");
        let apart = alone.iter().zip(vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 1e-5, "{apart} {text:?}");
    }
    assert_eq!(vectors[1], [0.0; WIDTH]);
    assert_eq!(model.tokens(&long, Role::Query).len(), POSITIONS);
    let folder = Folder::new("tiny");
    folder.put_json("sentence_bert_config.json", &json!({"max_seq_length": 5}));
    assert_eq!(folder.open().tokens(&long, Role::Query), [2, 7, 10, 11, 3]);
}

#[test]
fn a_name_tells_models_apart() {
    let folder = Folder::new("tiny");
    let name = folder.open().name().to_owned();
    assert!(name.starts_with("tiny-"), "{name}");
    assert_eq!(folder.open().name(), name);
    folder.put("model.safetensors", &model(0.5, "F32"));
    let changed = folder.open().name().to_owned();
    assert_ne!(changed, name);
    folder.put_json("sentence_bert_config.json", &json!({"max_seq_length": 5}));
    assert_ne!(folder.open().name(), changed);
}

#[test]
fn half_precision_and_a_body_below_a_name_are_read() {
    let folder = Folder::new("tiny");
    folder.put("model.safetensors", &model(1.0, "BF16"));
    let vector = folder.open().embed("red apples", Role::Query).expect("as above");
    let likeness: f32 = vector.iter().zip(RED_APPLES).map(|(a, b)| (a - b).abs()).sum();
    assert!(likeness < 0.1, "{likeness}");
    let file = model(1.0, "F32");
    let header = usize::from(file[0]) + usize::from(file[1]) * 256;
    let text = String::from_utf8(file[8..8 + header].to_vec()).expect("it is JSON");
    let text = text.replace("\"embeddings.", "\"bert.embeddings.");
    let text = text.replace("\"encoder.", "\"bert.encoder.");
    let mut below = (text.len() as u64).to_le_bytes().to_vec();
    below.extend_from_slice(text.as_bytes());
    below.extend_from_slice(&file[8 + header..]);
    folder.put("model.safetensors", &below);
    check(&folder.open(), "red apples", Role::Query, RED_APPLES);
}

#[test]
fn the_vocabulary_may_be_that_of_a_tokenizer() {
    let folder = Folder::new("tiny");
    folder.put("vocab.txt", WORDS.trim_end().as_bytes());
    check(&folder.open(), "red apples", Role::Query, RED_APPLES);
    folder.remove("vocab.txt");
    folder.refused("vocab.txt", ErrorKind::NotFound, "cannot read the model");
    let vocabulary = |words: &str| -> Value {
        let pieces =
            words.lines().zip(0..).map(|(piece, number)| (piece.to_owned(), json!(number)));
        json!({"model": {"type": "WordPiece", "vocab": Value::Object(pieces.collect())}})
    };
    folder.put_json("tokenizer.json", &vocabulary(WORDS));
    check(&folder.open(), "red apples", Role::Query, RED_APPLES);
    folder.put_json("tokenizer.json", &vocabulary("[PAD]\n[UNK]"));
    folder.refused("tokenizer.json", ErrorKind::Invalid, "2 pieces where the model has 12 rows");
    folder.put_json("tokenizer.json", &json!({"model": {"vocab": [["a", 0.5]]}}));
    folder.refused("tokenizer.json", ErrorKind::Invalid, "not as a model has it");
}

#[test]
fn a_vocabulary_that_does_not_fit_is_refused() {
    let folder = Folder::new("tiny");
    let file = "vocab.txt";
    folder.put(file, WORDS.trim_end_matches("pear\n").as_bytes());
    folder.refused(file, ErrorKind::Invalid, "11 pieces where the model has 12 rows");
    folder.put(file, (WORDS.to_owned() + "plum\n").as_bytes());
    folder.refused(file, ErrorKind::Invalid, "13 pieces where the model has 12 rows");
    folder.put(file, WORDS.replace("[CLS]", "cls").as_bytes());
    folder.refused(file, ErrorKind::Invalid, "no [CLS]");
    folder.put(file, &[0xFF, b'\n']);
    folder.refused(file, ErrorKind::Corrupt, "not UTF-8");
    folder.put(file, b"");
    folder.refused(file, ErrorKind::Invalid, "pieces where the model has 12 rows");
}

#[test]
fn a_bad_model_file_is_refused() {
    let folder = Folder::new("tiny");
    let file = "model.safetensors";
    let whole = model(1.0, "F32");
    for len in [0, 7, 100, whole.len() / 2, whole.len() - 1] {
        folder.put(file, &whole[..len]);
        folder.refused(file, ErrorKind::Corrupt, "truncated");
    }
    for (last, kind) in [(f32::NAN, "F32"), (f32::INFINITY, "F32"), (f32::NAN, "BF16")] {
        folder.put(file, &model(last, kind));
        folder.refused(
            file,
            ErrorKind::Corrupt,
            "LayerNorm.bias\" has a number that is not finite",
        );
    }
    folder.put(file, &model(1.0, "I16"));
    folder.refused(file, ErrorKind::Invalid, "is I16");
    folder.put(file, include_bytes!("../../../models/static/model.safetensors"));
    folder.refused(file, ErrorKind::Invalid, "it is another model");
    folder.remove(file);
    folder.refused(file, ErrorKind::NotFound, "cannot read the model");
}

#[test]
fn a_config_that_does_not_fit_is_refused() {
    let folder = Folder::new("tiny");
    let check = |key: &str, value: Value, file: &str, kind, message: &str| {
        let mut config = config();
        config[key] = value;
        folder.put_json("config.json", &config);
        folder.refused(file, kind, message);
    };
    let (own, model) = ("config.json", "model.safetensors");
    check("hidden_size", json!(64), model, ErrorKind::Invalid, "[12, 32] where [12, 64]");
    check("num_hidden_layers", json!(3), model, ErrorKind::Invalid, "it is another model");
    check("max_position_embeddings", json!(8), model, ErrorKind::Invalid, "[16, 32] where [8, 32]");
    check("intermediate_size", json!(usize::MAX), own, ErrorKind::Invalid, "of the shape");
    check("num_attention_heads", json!(0), own, ErrorKind::Invalid, "of the shape");
    check("num_attention_heads", json!(3), own, ErrorKind::Unsupported, "multiples of 16");
    check("num_attention_heads", json!(4), own, ErrorKind::Unsupported, "multiples of 16");
    check("model_type", json!("xlm-roberta"), own, ErrorKind::Unsupported, "\"xlm-roberta\"");
    check("hidden_act", json!("relu"), own, ErrorKind::Unsupported, "\"relu\"");
    check("position_embedding_type", json!("rotary"), own, ErrorKind::Unsupported, "\"rotary\"");
    check("hidden_size", json!("wide"), own, ErrorKind::Invalid, "not as a model has it");
    folder.put(own, b"{");
    folder.refused(own, ErrorKind::Corrupt, "not as a model has it");
    folder.remove(own);
    folder.refused(own, ErrorKind::NotFound, "cannot read the model");
}

#[test]
fn what_cannot_be_computed_is_refused() {
    let folder = Folder::new("tiny");
    let file = "tokenizer_config.json";
    folder.put_json(file, &json!({"do_lower_case": false}));
    folder.refused(file, ErrorKind::Unsupported, "upper from lower case");
    folder.put_json(file, &json!({"do_lower_case": true}));
    let file = "1_Pooling/config.json";
    folder.put_json(file, &json!({"pooling_mode_max_tokens": true}));
    folder.refused(file, ErrorKind::Unsupported, "pools neither");
}
