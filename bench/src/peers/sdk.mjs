// Homefs and others that keep small files, from Node.js: `sdk.mjs KIND FOLDER PACKAGE`, in a folder
// from which the others are found; PACKAGE is where homefs is.
//
// It makes ready, says so, and answers each line on its input with a line: how many nanoseconds
// each call took. `write FIRST COUNT` writes new files, `again FILES COUNT` writes the first files
// one after the other, `later FILES COUNT` does so by promises, and `read FILES COUNT` reads any of
// them.
import { join } from "node:path";
import { createInterface } from "node:readline";

const kinds = {
  async homefs(folder, location) {
    const { openSync } = await import(location);
    const home = openSync({ agent: "me", store: join(folder, "homefs") });
    return {
      write: (path, text) => home.writeSync(path, text),
      later: (path, text) => home.write(path, text),
      read: (path) => home.readSync(path),
      // Nobody works in the background.
      isAtRest: () => home.statusSync().unfoldedBytes === 0,
    };
  },

  async sqlite(folder) {
    const { default: Database } = await import("better-sqlite3");
    const database = new Database(join(folder, "sqlite"));
    database.pragma("journal_mode = wal");
    database.pragma("synchronous = normal");
    database.exec("create table file (path text primary key, text text) without rowid");
    const put = database.prepare("insert or replace into file values (?, ?)");
    const get = database.prepare("select text from file where path = ?").pluck();
    return { write: (path, text) => put.run(path, text), read: (path) => get.get(path) };
  },

  async agentfs(folder) {
    const { AgentFS } = await import("agentfs-sdk");
    const { fs } = await AgentFS.open({ path: join(folder, "agentfs") });
    return {
      isLater: true,
      write: (path, text) => fs.writeFile(`/${path}`, text),
      read: (path) => fs.readFile(`/${path}`, "utf8"),
    };
  },
};

function path(number) {
  const two = (number) => String(number).padStart(2, "0");
  return `notes-${two(Math.floor(number / 100))}/note-${two(number % 100)}.md`;
}

// Made just before it is written, as a program does, and no two are alike.
let drawn = Math.floor(Math.random() * 2 ** 40);
const rest = Array.from({ length: 1009 }, () => "abcdefghijklmnop"[Math.floor(Math.random() * 16)]).join("");
function content() {
  drawn += 1;
  // Joined here: text that is only going to be joined would be joined by whoever writes it.
  return Buffer.from(drawn.toString(16).padStart(15, "0") + rest, "latin1").toString("latin1");
}

const nanoseconds = (start, end) => Math.round((end - start) * 1e6);

function measure(call, next, count) {
  const times = [];
  for (let turn = 0; turn < count; turn++) {
    const [path, text] = next(turn);
    const start = performance.now();
    call(path, text);
    times.push(nanoseconds(start, performance.now()));
  }
  return times;
}

async function measureLater(call, next, count) {
  const times = [];
  for (let turn = 0; turn < count; turn++) {
    const [path, text] = next(turn);
    const start = performance.now();
    await call(path, text);
    times.push(nanoseconds(start, performance.now()));
  }
  return times;
}

const [kind, folder, location] = process.argv.slice(-3);
const store = await kinds[kind](folder, location);
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [act, ...numbers] = line.split(" ");
  const [first, count] = numbers.map(Number);
  const [call, next] = {
    write: [store.write, (turn) => [path(first + turn), content()]],
    again: [store.write, (turn) => [path(turn % first), content()]],
    later: [store.later, (turn) => [path(turn % first), content()]],
    read: [store.read, () => [path(Math.floor(Math.random() * first))]],
  }[act];
  while (store.isAtRest?.() === false) await new Promise((resolve) => setTimeout(resolve, 10));
  const isLater = store.isLater || act === "later";
  console.log(JSON.stringify(await (isLater ? measureLater : measure)(call, next, count)));
}
