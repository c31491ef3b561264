// just-bash at work: `shells.mjs KIND DIR`, in a folder from which it is found.
//
// It makes one shell on the files of DIR, prints what each script writes, and answers each line on
// its input with a line of latencies and CPU time in microseconds. The first line of input has the
// scripts and how often each is run.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Bash, OverlayFs } from "just-bash";

/// Reads everything below a directory.
function readAll(dir, below, files) {
  for (const entry of readdirSync(join(dir, below), { withFileTypes: true })) {
    const path = `${below}/${entry.name}`;
    if (entry.isDirectory()) readAll(dir, path, files);
    else files[path] = readFileSync(join(dir, path), "utf8");
  }
  return files;
}

function open(kind, dir) {
  if (kind === "overlay") return new Bash({ fs: new OverlayFs({ root: dir, mountPoint: "/" }), cwd: "/" });
  return new Bash({ files: readAll(dir, "", {}), cwd: "/" });
}

/// Runs a script so many times.
async function measure(bash, script, count) {
  const times = [];
  const before = process.cpuUsage();
  for (let turn = 0; turn < count; turn++) {
    const start = process.hrtime.bigint();
    await bash.exec(script);
    times.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  const used = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(Math.floor(count * share), count - 1)];
  const mean = times.reduce((sum, time) => sum + time, 0) / count;
  const wall = { count, p50: at(0.5), p99: at(0.99), p999: at(0.999), mean, max: times[count - 1] };
  return { wall, cpu: (used.user + used.system) / count };
}

const bash = open(...process.argv.slice(-2));
let asked = null;
for await (const line of createInterface({ input: process.stdin })) {
  const answers = [];
  if (asked === null) {
    asked = JSON.parse(line);
    for (const script of asked.scripts) answers.push((await bash.exec(script)).stdout);
  } else {
    for (const script of asked.scripts) answers.push(await measure(bash, script, asked.count));
  }
  console.log(JSON.stringify(answers));
}
