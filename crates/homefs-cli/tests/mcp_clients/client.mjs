// Drives `homefs mcp` with the official client of TypeScript, and compares it with the official
// file system server: the same calls on the same files give the same answers.
//
// Usage: client.mjs PACKAGES HOMEFS ARGUMENT...

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [packages, program, ...args] = process.argv.slice(2);
const require = createRequire(path.join(packages, 'index.js'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');

async function connect(command, args) {
  const client = new Client({ name: 'homefs-test', version: '1' });
  const transport = new StdioClientTransport({ command, args, env: process.env, stderr: 'ignore' });
  await client.connect(transport);
  // The client checks answers by schemas that it knows.
  await client.listTools();
  return client;
}

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'official-')));
const server = path.join(
  packages, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
);
const official = await connect(process.execPath, [server, root]);
const ours = await connect(program, args);

// Calls both, and returns their answers with the root of the official one taken out.
async function both(name, args) {
  const there = JSON.parse(JSON.stringify(args), (key, value) =>
    ['path', 'source', 'destination'].includes(key) ? path.join(root, value) : value);
  if (args.paths) there.paths = args.paths.map((place) => path.join(root, place));
  const ask = async (client, args) => {
    const result = await client.callTool({ name, arguments: args });
    const text = result.content.map((block) => block.text ?? JSON.stringify(block)).join('');
    // The official one says everything twice, ours once.
    if (client === ours) assert.equal(result.structuredContent, undefined);
    return { error: result.isError === true, text: text.replaceAll(root, '') };
  };
  return [await ask(official, there), await ask(ours, args)];
}

const lines = Array.from({ length: 30 }, (_, number) => `line ${number}`).join('\n') + '\n';
const program_text = 'def f(x):\n    if x:\n        return 1\n    return 2\n';
const cases = [
  ['create_directory', { path: '/a/b' }],
  ['create_directory', { path: '/a/b' }],
  ['write_file', { path: '/a/lines.txt', content: lines }],
  ['write_file', { path: '/a/f.py', content: program_text }],
  ['write_file', { path: '/a/no-end', content: 'one\ntwo' }],
  ['write_file', { path: '/a/empty', content: '' }],
  ['write_file', { path: '/a/b/ünï 日本.md', content: 'höhe\n' }],
  ['write_file', { path: '/a/crlf', content: 'one\r\ntwo\r\nthree' }],
  ['read_file', { path: '/a/lines.txt' }],
  ...[1, 3, 29, 30, 31, 99].flatMap((count) => [
    ['read_text_file', { path: '/a/lines.txt', head: count }],
    ['read_text_file', { path: '/a/lines.txt', tail: count }],
    ['read_text_file', { path: '/a/no-end', head: count }],
    ['read_text_file', { path: '/a/no-end', tail: count }],
    ['read_text_file', { path: '/a/crlf', head: count }],
    ['read_text_file', { path: '/a/crlf', tail: count }],
    ['read_text_file', { path: '/a/empty', head: count }],
    ['read_text_file', { path: '/a/empty', tail: count }],
  ]),
  ['read_text_file', { path: '/a/lines.txt', head: 1, tail: 1 }],
  ['read_multiple_files', { paths: ['/a/f.py', '/a/empty', '/a/b/ünï 日本.md'] }],
  ['list_directory', { path: '/a' }, 'unordered'],
  ['list_directory', { path: '/a/b' }],
  ['list_directory_with_sizes', { path: '/a' }],
  ['list_directory_with_sizes', { path: '/a', sortBy: 'name' }],
  ['directory_tree', { path: '/a' }, 'unordered'],
  ['directory_tree', { path: '/a', excludePatterns: ['b', '*.txt'] }, 'unordered'],
  ['search_files', { path: '/a', pattern: '**/*.md' }],
  ['search_files', { path: '/a', pattern: '*.md' }],
  ['search_files', { path: '/a', pattern: '**/*', excludePatterns: ['**/*.py', 'b/**'] }, 'unordered'],
  ['search_files', { path: '/a', pattern: 'b/*.{md,txt}' }],
  ...[
    ['/a/lines.txt', [['line 7\n', 'seven\n']]],
    ['/a/lines.txt', [['line 0\n', ''], ['line 29', 'the end']]],
    ['/a/lines.txt', [['line 10\nline 11\n', 'ten\neleven\ntwelve\n']]],
    ['/a/lines.txt', [['line 12', '``` fence']]],
    ['/a/f.py', [['if x:\n    return 1', 'if not x:\n    return 3\n    pass']]],
    ['/a/f.py', [['  return 2  ', 'return 4']]],
    ['/a/no-end', [['two', '2']]],
    ['/a/no-end', [['one\n', '']]],
    ['/a/no-end', [['2', '2\n']]],
    ['/a/crlf', [['two\n', 'zwei\n']]],
    ['/a/empty', [['', 'filled\n']]],
    ['/a/empty', [['filled\n', '']]],
    ['/a/f.py', [['nowhere', 'x']]],
    ['/a/f.py', []],
  ].flatMap(([place, pairs]) => {
    const edits = pairs.map(([oldText, newText]) => ({ oldText, newText }));
    return [
      ['edit_file', { path: place, edits, dryRun: true }],
      ['edit_file', { path: place, edits }],
    ];
  }),
  ['read_text_file', { path: '/a/f.py' }],
  ['move_file', { source: '/a/f.py', destination: '/a/lines.txt' }],
  ['move_file', { source: '/a/f.py', destination: '/a/b/g.py' }],
  ['read_text_file', { path: '/a/b/g.py' }],
];

const sorted = (answer) => answer.text.split('\n').map((line) => line.replace(/,$/, '')).sort();
for (const [name, args, order] of cases) {
  const [theirs, here] = await both(name, args);
  if (order) {
    for (const answer of [theirs, here]) {
      answer.text = sorted(answer);
    }
  }
  assert.deepEqual(here, theirs, `${name} ${JSON.stringify(args)}`);
}

// What is no success there is none here, though in other words.
for (const [name, args] of [
  ['read_text_file', { path: '/none' }],
  ['read_text_file', { path: '/a' }],
  ['list_directory', { path: '/none' }],
  ['list_directory', { path: '/a/lines.txt' }],
  ['edit_file', { path: '/none', edits: [] }],
  ['move_file', { source: '/none', destination: '/x' }],
  ['get_file_info', { path: '/none' }],
  ['read_text_file', {}],
  ['write_file', { path: '/a', content: 'a directory' }],
]) {
  const [theirs, here] = await both(name, args);
  assert.deepEqual([theirs.error, here.error], [true, true], `${name} ${JSON.stringify(args)}`);
}

// Both have the same tools with the same arguments; ours may have more.
const tools = async (client) => (await client.listTools()).tools;
const known = new Map((await tools(ours)).map((tool) => [tool.name, tool]));
for (const tool of await tools(official)) {
  const mine = known.get(tool.name);
  assert.ok(mine, tool.name);
  for (const [name, { type }] of Object.entries(tool.inputSchema.properties ?? {})) {
    const kind = mine.inputSchema.properties[name]?.type.replace('integer', 'number');
    assert.equal(kind, type, `${tool.name}: ${name}`);
  }
  assert.deepEqual(mine.inputSchema.required, tool.inputSchema.required, tool.name);
  assert.deepEqual({ ...tool.annotations, title: mine.title }, mine.annotations, tool.name);
  assert.equal(mine.title, tool.title);
}

await official.close();
await ours.close();
fs.rmSync(root, { recursive: true });
console.log('all is well');
