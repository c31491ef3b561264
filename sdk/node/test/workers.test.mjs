// Scripts in processes of their own.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

import { open, openSync } from 'homefs'
import { directory } from './support.mjs'

/** What `cargo test` builds. */
const PROGRAM = join(import.meta.dirname, '../../../target/debug/homefs')
/** It would end this process, by its stack. */
const DEEP = "jq -n 'reduce range(1000000) as $i (1; [.]) | tojson' | wc -c"

/** Sets the PATH for one test. */
function path(context, folder) {
  const before = process.env.PATH
  process.env.PATH = folder
  context.after(() => (process.env.PATH = before))
}

const skip = existsSync(PROGRAM) ? false : 'there is no target/debug/homefs: cargo build --package homefs-cli'

test('what a script does to its process it does to its session', { skip }, async (context) => {
  path(context, dirname(PROGRAM))
  const home = await open({ store: directory(context), workers: true })
  await home.write('a.md', 'one\n')
  const session = 's'
  assert.equal((await home.sh('cat a.md; x=5', { session })).stdout, 'one\n')
  assert.equal(home.shSync('echo $x', { session }).stdout, '5\n')
  assert.notEqual((await home.sh(DEEP, { session })).status, 0)
  assert.equal((await home.sh('cat a.md; echo $x', { session })).stdout, 'one\n\n')
  await home.close()
})

test('workers need the command', async (context) => {
  const store = directory(context)
  path(context, store)
  await assert.rejects(open({ store, workers: true }), { kind: 'unsupported', message: /is not on the PATH/ })
  assert.equal(openSync({ store }).shSync('echo here').stdout, 'here\n')
})
