"""The pass of a model of BERT's kind in numpy, over a small model of made-up weights.

    python reference.py

It prints the numbers that the tests of embed/bert expect. The pass itself was compared with
onnxruntime on all-MiniLM-L6-v2, e5-small-v2 and bge-small-en-v1.5.
"""
import math

import numpy as np

WIDTH, HEADS, HIDDEN, LAYERS, POSITIONS, ROWS = 32, 2, 64, 2, 16, 12


def noise(seed):
    """Numbers between -1 and 1 that look random, as the tests make them."""
    mask = 2**64 - 1
    state = (seed * 0x9E3779B97F4A7C15) & mask | 1
    while True:
        state ^= (state << 13) & mask
        state ^= state >> 7
        state ^= (state << 17) & mask
        yield (state >> 48) / 32768 - 1


def shapes():
    """Names and shapes of the tensors, in the order in which they are made up."""
    yield "embeddings.word_embeddings.weight", (ROWS, WIDTH)
    yield "embeddings.position_embeddings.weight", (POSITIONS, WIDTH)
    yield "embeddings.token_type_embeddings.weight", (2, WIDTH)
    parts = [("embeddings.LayerNorm", (WIDTH,))]
    for index in range(LAYERS):
        layer = f"encoder.layer.{index}."
        parts += [(layer + "attention.self." + part, (WIDTH, WIDTH)) for part in ("query", "key", "value")]
        parts += [(layer + "attention.output.dense", (WIDTH, WIDTH)), (layer + "attention.output.LayerNorm", (WIDTH,)),
                  (layer + "intermediate.dense", (HIDDEN, WIDTH)), (layer + "output.dense", (WIDTH, HIDDEN)),
                  (layer + "output.LayerNorm", (WIDTH,))]
    for name, shape in parts:
        yield name + ".weight", shape
        yield name + ".bias", shape[:1]


def forward(weights, ids):
    """Returns a row for each token."""
    def linear(x, name):
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * weights[name + ".weight"] + weights[name + ".bias"]

    gelu = np.vectorize(lambda x: x * 0.5 * (1 + math.erf(x / math.sqrt(2))))
    embeddings = [weights[f"embeddings.{part}_embeddings.weight"] for part in ("word", "position", "token_type")]
    x = norm(embeddings[0][ids] + embeddings[1][:len(ids)] + embeddings[2][0], "embeddings.LayerNorm")
    for index in range(LAYERS):
        layer = f"encoder.layer.{index}."
        heads = [linear(x, layer + "attention.self." + part).reshape(len(ids), HEADS, -1) for part in ("query", "key", "value")]
        shares = np.einsum("qhd,khd->hqk", heads[0], heads[1]) / math.sqrt(WIDTH // HEADS)
        shares = np.exp(shares - shares.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = np.einsum("hqk,khd->qhd", shares, heads[2]).reshape(len(ids), WIDTH)
        x = norm(x + linear(mixed, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
        hidden = gelu(linear(x, layer + "intermediate.dense"))
        x = norm(x + linear(hidden, layer + "output.dense"), layer + "output.LayerNorm")
    return x


if __name__ == "__main__":
    numbers = noise(11)
    weights = {name: np.array([next(numbers) for _ in range(math.prod(shape))]).reshape(shape) for name, shape in shapes()}
    for title, ids, pool in [
        ("red apples", [2, 7, 8, 9, 3], "mean"),
        ("red apples, first token", [2, 7, 8, 9, 3], "first"),
        ("query: red apples", [2, 4, 6, 7, 8, 9, 3], "mean"),
        ("passage: green", [2, 5, 6, 10, 3], "mean"),
    ]:
        rows = forward(weights, ids)
        vector = rows[0] if pool == "first" else rows.mean(0)
        print(title, np.round(vector / np.linalg.norm(vector), 5)[:8].tolist())
