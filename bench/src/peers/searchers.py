"""Others that search notes, or embed them: `searchers.py KIND FOLDER`.

It makes ready, prints how many notes it has, and answers each line on its input with a line of
latencies in microseconds. FOLDER holds what is searched and asked, the same as homefs gets.
"""
import json
import pathlib
import sys
import time
import zipfile

# Nobody waits longer for notes to be added; then it searches fewer.
ADD_SECONDS = 100


def fts5(folder):
    """SQLite's full text search, a question being any of its words."""
    import sqlite3

    connection = sqlite3.connect(folder / "fts5.sqlite")
    connection.execute("create virtual table doc using fts5(text, tokenize = 'porter unicode61')")
    notes = read(folder, "notes")
    with connection:
        connection.executemany("insert into doc (text) values (?)", ([text] for text in notes))
    connection.execute("insert into doc (doc) values ('optimize')")
    connection.commit()
    query = "select rowid, text from doc where doc match ? order by rank limit 10"
    return len(notes), lambda question: connection.execute(query, [question]).fetchall(), read(folder, "words")


def chroma(folder):
    """chromadb in this process, kept on disk, with vectors that are given to it."""
    import chromadb
    import numpy

    client = chromadb.PersistentClient(folder / "chroma", chromadb.Settings(anonymized_telemetry=False))
    configuration = {"hnsw": {"space": "cosine"}}
    collection = client.create_collection("notes", configuration=configuration, embedding_function=None)
    notes, vectors = read(folder, "notes"), load(numpy, folder, "note-vectors")
    step, begun, added = 1000, time.monotonic(), 0
    while added < len(notes) and time.monotonic() - begun < ADD_SECONDS:
        part = slice(added, added + step)
        names = [str(added + number) for number in range(len(notes[part]))]
        collection.add(names, embeddings=vectors[part], documents=notes[part])
        added += len(names)
    return added, lambda vector: collection.query([vector], n_results=10), load(numpy, folder, "question-vectors")


def minilm(folder):
    """all-MiniLM-L6-v2 by onnxruntime: tokens, the pass, the mean of its rows."""
    import numpy
    import onnxruntime
    import tokenizers

    with zipfile.ZipFile(sys.argv[3]) as jar:
        options = onnxruntime.SessionOptions()
        # As homefs does: one text, one thread.
        options.intra_op_num_threads = 1
        model = jar.read("all-minilm-l6-v2.onnx")
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_str(jar.read("all-minilm-l6-v2-tokenizer.json").decode())
    tokenizer.no_padding()
    inputs = [given.name for given in session.get_inputs()]

    def embed(text):
        encoded = tokenizer.encode(text)
        given = {"input_ids": encoded.ids, "attention_mask": encoded.attention_mask, "token_type_ids": encoded.type_ids}
        rows = session.run(None, {name: numpy.array([given[name]], numpy.int64) for name in inputs})[0][0]
        vector = rows.mean(0)
        return vector / numpy.linalg.norm(vector)

    same, other = embed("A cat sat on the mat.") @ numpy.array([embed("The cat is on a mat."), embed("Interest rates rose.")]).T
    assert same > 0.8 > 0.3 > other, "these are no vectors of the model"
    return 0, embed, read(folder, "texts")


def read(folder, name):
    return json.loads((folder / f"{name}.json").read_text())


def load(numpy, folder, name):
    return numpy.fromfile(folder / name, numpy.float32).reshape(len(read(folder, name.split("-")[0] + "s")), -1)


def summary(ask, questions):
    """Asks each question once."""
    times = []
    for question in questions:
        start = time.perf_counter_ns()
        ask(question)
        times.append((time.perf_counter_ns() - start) / 1000)
    times.sort()
    at = lambda share: times[min(int(len(times) * share), len(times) - 1)]
    return {"count": len(times), "p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "mean": sum(times) / len(times), "max": times[-1]}


kinds = {"fts5": fts5, "chroma": chroma, "minilm": minilm}
count, ask, questions = kinds[sys.argv[1]](pathlib.Path(sys.argv[2]))
print(count, flush=True)
for _ in sys.stdin:
    print(json.dumps(summary(ask, questions)), flush=True)
