"""Homefs and others that keep small files, from Python: `sdk.py KIND FOLDER`.

It makes ready, says so, and answers each line on its input with a line: how many nanoseconds each
call took. `write FIRST COUNT` writes new files, `again FILES COUNT` writes the first files one
after the other, `read FILES COUNT` reads any of them, and `recall COUNT` asks any of the questions
that FOLDER has.
"""
import json
import pathlib
import posixpath
import random
import sys
import time


class Homefs:
    def __init__(self, folder):
        import homefs

        self.home = homefs.open(agent="me", store=folder / "homefs")
        self.write, self.read, self.recall = self.home.write, self.home.read, self.home.recall

    def rest(self):
        """Waits until nobody works in the background."""
        status = self.home.status()
        while status["unfolded_bytes"] or any(index["waiting"] for index in status["indexes"]):
            time.sleep(0.01)
            status = self.home.status()

    def take_notes(self, folder):
        """Writes the notes that are recalled, and returns the questions."""
        for number, note in enumerate(json.loads((folder / "notes.json").read_text())):
            self.write(f"notes/{number}.md", note)
        questions = json.loads((folder / "questions.json").read_text())
        # The first search makes the index, and the first answers count tokens.
        self.recall(questions[0])
        self.rest()
        for question in questions:
            self.recall(question)
        return questions


class Overlay:
    """What an overlay in memory does at least: the path is made normal, and two dicts change."""

    def __init__(self, folder):
        self.files, self.unsaved = {}, {}

    def write(self, path, text):
        path = posixpath.normpath("/" + path)
        self.files[path] = text
        self.unsaved[path] = True

    def read(self, path):
        return self.files[posixpath.normpath("/" + path)]

    def rest(self):
        pass


class Sqlite(Overlay):
    def __init__(self, folder):
        import sqlite3

        self.database = sqlite3.connect(folder / "sqlite", isolation_level=None)
        self.database.execute("pragma journal_mode = wal")
        self.database.execute("pragma synchronous = normal")
        self.database.execute("create table file (path text primary key, text text) without rowid")

    def write(self, path, text):
        self.database.execute("insert or replace into file values (?, ?)", (path, text))

    def read(self, path):
        return self.database.execute("select text from file where path = ?", (path,)).fetchone()[0]


class AgentFs(Overlay):
    def __init__(self, folder):
        import asyncio

        from agentfs_sdk import AgentFS, AgentFSOptions

        # Going through the loop takes about a hundredth of a write.
        self.run = asyncio.new_event_loop().run_until_complete
        self.fs = self.run(AgentFS.open(AgentFSOptions(path=str(folder / "agentfs")))).fs

    def write(self, path, text):
        self.run(self.fs.write_file("/" + path, text))

    def read(self, path):
        return self.run(self.fs.read_file("/" + path))


class Chroma(Overlay):
    def __init__(self, folder):
        import chromadb

        client = chromadb.PersistentClient(folder / "chroma", chromadb.Settings(anonymized_telemetry=False))
        self.collection = client.create_collection("files", embedding_function=None)
        self.vector = [random.random() for _ in range(256)]
        self.known = set()

    def write(self, path, text):
        # Adding what is there already does nothing.
        put = self.collection.upsert if path in self.known else self.collection.add
        put([path], embeddings=[self.vector], documents=[text])
        self.known.add(path)

    def read(self, path):
        return self.collection.get([path])["documents"][0]


def path(number):
    return f"notes-{number // 100:05}/note-{number % 100:02}.md"


# Made just before it is written, as a program does, and no two are alike.
drawn = random.getrandbits(40)
REST = "".join(f"{random.getrandbits(64):016x}" for _ in range(63)) + "\n"


def content():
    global drawn
    drawn += 1
    return f"{drawn:015x}{REST}"


def measure_writes(write, numbers):
    clock, times = time.perf_counter_ns, []
    for number in numbers:
        file, text = path(number), content()
        start = clock()
        write(file, text)
        times.append(clock() - start)
    return times


def measure_reads(read, names, count):
    clock, times = time.perf_counter_ns, []
    for _ in range(count):
        name = random.choice(names)
        start = clock()
        read(name)
        times.append(clock() - start)
    return times


kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
store = {"homefs": Homefs, "overlay": Overlay, "sqlite": Sqlite, "agentfs": AgentFs, "chroma": Chroma}[kind](folder)
questions = None
print("ready", flush=True)
for line in sys.stdin:
    act, *numbers = line.split()
    *some, count = map(int, numbers)
    store.rest()
    if act == "write":
        times = measure_writes(store.write, range(some[0], some[0] + count))
    elif act == "again":
        times = measure_writes(store.write, (number % some[0] for number in range(count)))
    elif act == "read":
        names = [path(number) for number in range(some[0])]
        assert len(store.read(names[0])) == 1024
        times = measure_reads(store.read, names, count)
    else:
        questions = questions or store.take_notes(folder)
        times = measure_reads(store.recall, questions, count)
    print(json.dumps(times), flush=True)
