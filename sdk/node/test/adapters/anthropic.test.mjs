// The memory tool of Anthropic on a home, beside its reference implementation on files.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import Anthropic from '@anthropic-ai/sdk'
import { betaMemoryTool, BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node'
import { open } from 'homefs'
import { memoryHandlers } from 'homefs/anthropic'
import { directory } from '../support.mjs'

const view = (path, view_range) => ({ command: 'view', path, ...(view_range && { view_range }) })
const create = (path, file_text) => ({ command: 'create', path, file_text })
const replace = (path, old_str, new_str) => ({ command: 'str_replace', path, old_str, new_str })
const insert = (path, insert_line, insert_text) => ({ command: 'insert', path, insert_line, insert_text })
const remove = (path) => ({ command: 'delete', path })
const rename = (old_path, new_path) => ({ command: 'rename', old_path, new_path })

/** Commands, one after another, whose answers must be the same. */
const COMMANDS = [
  view('/memories'),
  create('/memories/a.md', 'one\ntwo\nthree\nfour\nfive\nsix\n'),
  create('/memories/a.md', 'again'),
  create('/memories/d/e/f.txt', 'deep $& text'),
  create('/memories/d/.hidden', 'x'),
  create('/memories/empty', ''),
  create('/memories/big', 'x'.repeat(2000)),
  create('/memories/round', 'x'.repeat(2048)),
  create('/memories/☃', 'snow\n'),
  view('/memories'),
  view('/memories/d'),
  view('/memories/a.md'),
  view('/memories/a.md', [2, 3]),
  view('/memories/a.md', [2, -1]),
  view('/memories/a.md', [0, 2]),
  view('/memories/a.md', [4, 99]),
  view('/memories/empty'),
  view('/memories/nope'),
  replace('/memories/a.md', 'three', 'THREE'),
  replace('/memories/a.md', 'one', 'first\nline'),
  replace('/memories/a.md', 'six', '$& and $1'),
  replace('/memories/a.md', 'e', 'E'),
  replace('/memories/a.md', 'missing', 'x'),
  replace('/memories/nope', 'a', 'b'),
  replace('/memories/d', 'a', 'b'),
  view('/memories/a.md'),
  insert('/memories/a.md', 0, 'top\n'),
  insert('/memories/a.md', 2, 'middle'),
  view('/memories/a.md'),
  insert('/memories/nope', 0, 'x'),
  insert('/memories/d', 0, 'x'),
  rename('/memories/a.md', '/memories/new/place.md'),
  rename('/memories/a.md', '/memories/b.md'),
  rename('/memories/big', '/memories/round'),
  rename('/memories', '/memories/x'),
  rename('/memories/d', '/memories/moved'),
  view('/memories/moved/e/f.txt'),
  remove('/memories/nope'),
  remove('/memories'),
  remove('/memories/moved'),
  remove('/memories/big'),
  view('/memories/../etc'),
  view('/etc/passwd'),
  create('/memories/../../x', 'x'),
  view('/memories'),
]

test('the tool says what the reference implementation says', async (context) => {
  const home = await open({ store: directory(context), agent: 'akashi' })
  const ours = betaMemoryTool(memoryHandlers(home))
  const theirs = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(directory(context)))
  for (const command of COMMANDS) {
    assert.equal(same(await said(ours, command)), same(await said(theirs, command)), JSON.stringify(command))
  }
  await home.close()
})

test('where the references of the languages differ, it is that of Python', async (context) => {
  const home = await open({ store: directory(context) })
  const tool = betaMemoryTool(memoryHandlers(home))
  await tool.run(create('/memories/a', 'one\ntwo\n'))
  assert.match(await tool.run(view('/memories')), /^Here're the files and directories up to 2 levels deep in \/memories, excluding hidden items:\n/)
  await assert.rejects(tool.run(insert('/memories/a', 9, 'x')), {
    message: 'Invalid `insert_line` parameter: 9. It should be within the range [0, 2].',
  })
  // A text of several lines is found, where the reference in TypeScript looks at each line.
  await tool.run(replace('/memories/a', 'one\ntwo', 'three'))
  assert.equal(await home.read('/memories/a'), 'three\n')
  await home.close()
})

test('commands that are none are refused with words', async (context) => {
  const home = await open({ store: directory(context) })
  const tool = betaMemoryTool(memoryHandlers(home), { cache_control: { type: 'ephemeral' } })
  assert.deepEqual({ ...tool, parse: 0, run: 0 }, { type: 'memory_20250818', name: 'memory', cache_control: { type: 'ephemeral' }, parse: 0, run: 0 })
  for (const command of [{ command: 'view' }, { command: 'create', path: '/memories/a' }, { command: 'view', path: 5 }, insert('/memories/a', 'one', 'x')]) {
    await assert.rejects(async () => tool.run(command), (error) => error.message.length > 5 && !error.message.includes('\0'))
  }
  await home.close()
  await assert.rejects(tool.run(view('/memories')), { message: /closed/ })
})

test('a runner of the package uses it, and tells the model of errors', async (context) => {
  const home = await open({ store: directory(context) })
  const steps = [create('/memories/a', 'x\n'), create('/memories/a', 'x\n'), view('/memories/a')]
  const told = []
  const fetch = async (_, { body }) => {
    const content = JSON.parse(body).messages.at(-1).content
    if (Array.isArray(content)) told.push([content[0].content, content[0].is_error ?? false])
    const input = steps.shift()
    const blocks = input ? [{ type: 'tool_use', id: 'use', name: 'memory', input }] : [{ type: 'text', text: 'done' }]
    return Response.json({ id: 'm', type: 'message', role: 'assistant', model: 'scripted', content: blocks, stop_reason: input ? 'tool_use' : 'end_turn', usage: {} })
  }
  const client = new Anthropic({ apiKey: 'none', fetch })
  await client.beta.messages.toolRunner({
    model: 'scripted', max_tokens: 100, tools: [betaMemoryTool(memoryHandlers(home))], messages: [{ role: 'user', content: 'go' }],
  })
  assert.deepEqual(told, [
    ['File created successfully at: /memories/a', false],
    ['Error: File /memories/a already exists', true],
    ["Here's the content of /memories/a with line numbers:\n     1\tx\n     2\t", false],
  ])
  await home.close()
})

/** Runs a command; returns what the model is told. */
async function said(tool, command) {
  try {
    return await tool.run(command)
  } catch (error) {
    return `Error: ${error.message}`
  }
}

/** Leaves out what the references of the languages say differently, and sizes of real directories. */
function same(text) {
  return text
    .replace(', excluding hidden items and node_modules:', ', excluding hidden items:')
    .replace(/^[\d.]+[BK]\t(\/memories|.*\/)$/gm, 'SIZE\t$1')
    .replace(/^[\d.]+[BK]\t(\/memories\/d)$/m, 'SIZE\t$1')
}
