// The examples do what they say.
//
// That of two processes needs a Python with homefs: `HOMEFS_PYTHON`, or the one in which
// `cargo xtask python` installs the wheel.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { directory } from './support.mjs'

const run = promisify(execFile)
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const python = process.env.HOMEFS_PYTHON ?? here('../../../target/python/bin/python')

test('an agent keeps what it learns', async (context) => {
  const { stdout } = await run(process.execPath, [here('../examples/memory-agent.mjs'), directory(context)])
  assert.match(stdout, /^I remember: The memory file has been edited/)
  assert.match(stdout, /I remember: Here's the content of \/memories\/preferences\.md with line numbers:\n {5}1\t- drinks tea\n/)
  assert.match(stdout, /^versions: 2$/m)
  assert.match(stdout.slice(stdout.indexOf('versions:')), /drinks tea/)
})

test('Node.js and Python share a store at once', { timeout: 120_000 }, async (context) => {
  const store = directory(context)
  // One whose other has failed would wait for it.
  const over = new AbortController()
  context.after(() => over.abort())
  const ends = await Promise.all([
    run(process.execPath, [here('../examples/two-processes.mjs'), store], { signal: over.signal }),
    run(python, [here('../../python/examples/two_processes.py'), store], { signal: over.signal }),
  ])
  assert.deepEqual(ends.map(({ stdout }) => stdout), Array(2).fill('counted to 100 and logged 100 lines\n'))
})
