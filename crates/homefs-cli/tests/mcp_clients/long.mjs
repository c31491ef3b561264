// Writes and reads 10 MB with the official client of TypeScript: by standard input and output, or by
// HTTP with a token.
//
// Usage: long.mjs PACKAGES stdio HOMEFS ARGUMENT... | long.mjs PACKAGES http URL TOKEN

import assert from 'node:assert/strict';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [packages, how, ...rest] = process.argv.slice(2);
const require = createRequire(path.join(packages, 'index.js'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');

async function transport() {
  if (how === 'stdio') {
    const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
    const [command, ...args] = rest;
    return new StdioClientTransport({ command, args, env: process.env, stderr: 'ignore' });
  }
  const name = '@modelcontextprotocol/sdk/client/streamableHttp.js';
  const { StreamableHTTPClientTransport } = await load(name);
  const [url, token] = rest;
  const headers = { Authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

const client = new Client({ name: 'homefs-test', version: '1' });
await client.connect(await transport());
// The client checks answers by schemas that it knows.
await client.listTools();

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.notEqual(result.isError, true, JSON.stringify(result).slice(0, 1000));
  return { text: result.content.map((block) => block.text), meta: result._meta };
}

const count = 700_000;
const line = (number) => `line ${String(number).padStart(9, '0')}\n`;
const lines = Array.from({ length: count }, (_, number) => line(number)).join('');
assert.ok(lines.length > 10_000_000);
await call('write_file', { path: '/long.txt', content: lines });
const begun = await call('read_text_file', { path: '/long.txt' });
const [text, note] = begun.text;
assert.ok(text.length > 30_000 && text.length <= 32 << 10 && lines.startsWith(text), text.length);
const offset = begun.meta['homefs/next_offset'];
assert.ok(note.includes(`go on with offset ${offset}`), note);
const more = await call('read_text_file', { path: '/long.txt', offset });
assert.ok(lines.startsWith(text + more.text[0]));
const last = await call('read_text_file', { path: '/long.txt', offset: count - 1 });
assert.equal(last.text[0], line(count - 2) + line(count - 1));

// What puts out 10 MB answers in a size that a model can read, and says that it does.
for (const [name, args] of [
  ['shell', { script: 'cat /long.txt' }],
  ['shell', { script: 'cat /long.txt >&2' }],
  ['grep', { pattern: 'line', limit: 10_000 }],
  ['read_multiple_files', { paths: ['/long.txt', '/long.txt'] }],
]) {
  const cut = (await call(name, args)).text.join('');
  assert.ok(cut.length > 1000 && cut.length < 34_000 && cut.includes('['), `${name}: ${cut.length}`);
}

// A whole file comes as a resource, where a message has room for it: by standard output this client
// takes 10 MiB, and closes the connection when more comes.
const resource = (uri) => client.readResource({ uri });
if (how === 'stdio') {
  await call('shell', { script: 'head -c 9000000 /long.txt > /shorter.txt' });
  assert.equal((await resource('homefs:///shorter.txt')).contents[0].text, lines.slice(0, 9_000_000));
} else {
  await assert.rejects(resource('homefs:///long.txt'), /offset and limit of read_text_file/);
}

await client.close();
console.log('all is well');
