// Tools of the AI SDK on a home, and a sandbox for bash-tool.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { asSchema, generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { createBashTool } from 'bash-tool'
import { open } from 'homefs'
import { homeSandbox, homeTools } from 'homefs/ai'
import { directory } from '../support.mjs'

const READING = ['read', 'ls', 'find', 'grep', 'recall', 'search']
const WRITING = ['write', 'edit', 'delete', 'remember', 'shell']

test('every tool has a description and a schema that the package takes', async (context) => {
  const home = await open({ store: directory(context) })
  const tools = homeTools(home)
  assert.deepEqual(Object.keys(tools), [...READING, ...WRITING])
  assert.deepEqual(Object.keys(homeTools(home, { readOnly: true })), READING)
  for (const [name, { description, inputSchema }] of Object.entries(tools)) {
    assert.ok(description.length > 20, name)
    const schema = await asSchema(inputSchema).jsonSchema
    assert.equal(schema.type, 'object')
    for (const required of schema.required) assert.ok(schema.properties[required].description, `${name}: ${required}`)
    assert.ok(Object.keys(schema.properties).every((property) => !property.includes('?')), name)
  }
  const { validate } = asSchema(tools.grep.inputSchema)
  assert.equal((await validate({ pattern: 'x', limit: 5 })).success, true)
  for (const wrong of [undefined, null, [], 'x', {}, { pattern: 5 }, { pattern: 'x', limit: 'y' }, { pattern: 'x', other: 1 }, { pattern: 'x', toString: 1 }]) {
    assert.equal((await validate(wrong)).success, false, JSON.stringify(wrong))
  }
  assert.equal((await asSchema(tools.remember.inputSchema).validate({ text: 'x', tags: [1] })).success, false)
  await home.close()
})

test('a model works with the tools', async (context) => {
  const home = await open({ store: directory(context) })
  const calls = [
    ['write', { path: 'notes/a.md', content: 'one\ntwo\nthree\n', expectedVersion: 0 }, 'Wrote notes/a.md, version 1.'],
    ['read', { path: 'notes/a.md' }, 'one\ntwo\nthree\n'],
    ['read', { path: 'notes/a.md', offset: 2, limit: 1 }, 'two\n'],
    ['read', { path: 'notes/a.md', offset: 3 }, 'three\n'],
    ['edit', { path: 'notes/a.md', oldText: 'two', newText: 'needle' }, 'Edited notes/a.md, version 2.'],
    ['edit', { path: 'notes/a.md', oldText: 'e', newText: 'E' }, /^EINVAL: /],
    ['ls', {}, 'directory\t0\t/notes'],
    ['ls', { path: '/notes' }, 'file\t17\t/notes/a.md'],
    ['find', { pattern: '*.md' }, '/notes/a.md'],
    ['find', { pattern: '*.txt' }, '(nothing found)'],
    ['grep', { pattern: 'NEED', ignoreCase: true, glob: '*.md' }, '/notes/a.md:2:needle'],
    ['grep', { pattern: 'n.e', literal: true }, '(nothing found)'],
    ['remember', { text: 'The deploy key is in the vault.', tags: ['ops'], title: 'Deploy key' }, /^Remembered in \/memories\/.*\.md\.$/],
    ['recall', { question: 'where is the deploy key?', maxTokens: 200 }, /vault/],
    ['search', { query: 'deploy', limit: 1 }, /^\/memories\/.*:\d+\n/],
    ['shell', { script: 'cd notes; wc -l < a.md; false' }, { stdout: '3\n', stderr: '', exitCode: 1, truncated: false }],
    ['shell', { script: 'pwd' }, { stdout: '/notes\n', stderr: '', exitCode: 0, truncated: false }],
    ['delete', { path: 'notes' }, /^ENOTEMPTY: /],
    ['delete', { path: 'notes', recursive: true }, 'Removed notes to the trash.'],
    ['read', { path: 'notes/a.md' }, /^ENOENT: /],
    ['read', { path: 5 }, /Invalid input for tool read/],
  ]
  const steps = calls.map(([toolName, input], index) => ({ toolCallId: String(index), toolName, input: JSON.stringify(input) }))
  const { steps: done, text } = await generateText({
    model: scripted(steps), tools: homeTools(home, { session: 'work' }), prompt: 'go', stopWhen: stepCountIs(calls.length + 1),
  })
  assert.equal(text, 'done')
  for (const [index, [name, input, expected]] of calls.entries()) {
    const part = done[index].content.find(({ type }) => type === 'tool-result' || type === 'tool-error')
    const answer = part.output ?? part.error.message ?? part.error
    if (expected instanceof RegExp) assert.match(answer, expected, `${name} ${JSON.stringify(input)}`)
    else assert.deepEqual(answer, expected, `${name} ${JSON.stringify(input)}`)
  }
  await home.close()
})

test('a signal ends a script', async (context) => {
  const home = await open({ store: directory(context) })
  const abortSignal = AbortSignal.timeout(50)
  await assert.rejects(homeTools(home).shell.execute({ script: 'while true; do :; done' }, { abortSignal }), { name: 'TimeoutError' })
  await home.close()
})

test('bash-tool works with a home as its sandbox', async (context) => {
  const home = await open({ store: directory(context) })
  const { tools, sandbox } = await createBashTool({
    sandbox: homeSandbox(home), destination: '/project', files: { 'src/a.txt': 'needle\n', 'b.md': 'hay\n' },
  })
  assert.deepEqual(await home.find('*.*'), ['/project/b.md', '/project/src/a.txt'])
  const options = { toolCallId: '1', messages: [] }
  const { stdout, exitCode } = await tools.bash.execute({ command: 'grep -rn needle . && echo more > src/c.txt' }, options)
  assert.match(stdout, /src\/a\.txt:1:needle\n$/)
  assert.equal(exitCode, 0)
  assert.equal(await home.read('project/src/c.txt'), 'more\n')
  assert.equal((await tools.readFile.execute({ path: 'src/c.txt' }, options)).content, 'more\n')
  await tools.writeFile.execute({ path: 'new/d.txt', content: 'made' }, options)
  assert.equal(await home.read('/project/new/d.txt'), 'made')
  assert.deepEqual(await sandbox.executeCommand('echo oops >&2; exit 3'), { stdout: '', stderr: 'oops\n', exitCode: 3 })
  await sandbox.writeFiles([{ path: '/x', content: Buffer.from([255]) }])
  assert.deepEqual([...await home.readBytes('/x')], [255])
  await assert.rejects(sandbox.readFile('/nope'), { code: 'ENOENT' })
  await home.close()
})

/** Returns a model that makes tool calls one by one, then says that it is done. */
function scripted(calls) {
  const left = [...calls]
  const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } }
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const call = left.shift()
      const content = call ? [{ type: 'tool-call', ...call }] : [{ type: 'text', text: 'done' }]
      const finishReason = { unified: call ? 'tool-calls' : 'stop', raw: undefined }
      return { content, finishReason, usage, warnings: [] }
    },
  })
}
