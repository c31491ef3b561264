// A home that follows its agent: remotes, clones, and mounts by the command `homefs`.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { clone, cloneSync, mount, open, openSync, unmount } from 'homefs'
import { directory } from './support.mjs'

process.env.HOMEFS_EMBEDDER = 'static'

/** Makes a remote with the home of one agent. */
async function remote(root) {
  mkdirSync(join(root, 'remote'))
  const address = `file://${join(root, 'remote')}`
  const home = await open({ agent: 'me', store: join(root, 'first'), operator: true })
  await home.write('note.md', 'one')
  await home.remoteAdd(address, { machine: 'first' })
  await home.sync()
  await home.close()
  return address
}

test('a clone brings the home', async (context) => {
  const root = directory(context)
  const address = await remote(root)
  const store = join(root, 'second')
  const home = await clone(address, { agent: 'me', store, machine: 'second' })
  assert.equal(await home.read('note.md'), 'one')
  assert.equal((await home.status()).remote.machine, 'second')
  await home.close()
  await assert.rejects(clone(address, { agent: 'me', store }), { kind: 'already-exists' })
  const reader = cloneSync(address, { agent: 'me', store: join(root, 'third'), readOnly: true })
  await assert.rejects(reader.sync({ direction: 'push' }), { kind: 'read-only' })
  reader.closeSync()
})

test('where nothing is no store is made', async (context) => {
  const root = directory(context)
  const store = join(root, 'second')
  await assert.rejects(clone(`file://${root}`, { store }), { kind: 'not-found', detail: /nothing is there/ })
  assert.ok(!existsSync(store))
  assert.throws(() => openSync({ store: 's3://bucket/prefix' }), { kind: 'invalid', detail: /it is an address/ })
})

test('a mount is made by the command', async (context) => {
  const root = directory(context)
  const { PATH } = process.env
  context.after(() => (process.env.PATH = PATH))
  process.env.PATH = root
  await assert.rejects(mount('m'), { kind: 'unsupported', detail: /is not on the PATH/ })
  const command = (script) => {
    const program = join(root, 'homefs')
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${root}/given\n${script}\n`)
    chmodSync(program, 0o755)
  }
  const given = () => readFileSync(join(root, 'given'), 'utf8').trim().split('\n')
  command('exit 0')
  await mount('m', { agent: 'me', address: 's3://b/p', store: 's', readOnly: true })
  const words = ['mount', '--store', 's', '--agent-id', 'me', '--read-only', '--', 's3://b/p', 'm']
  assert.deepEqual(given(), ['--json', ...words])
  await unmount('m', { lazy: true })
  assert.deepEqual(given(), ['--json', 'unmount', '--lazy', '--', 'm'])
  const told = { error: { kind: 'not-empty', message: 'm: it is full', path: 'm' } }
  command(`echo '${JSON.stringify(told)}' >&2; exit 2`)
  await assert.rejects(mount('m'), { kind: 'not-empty', path: 'm', detail: 'it is full' })
  command('echo error: no such option >&2; exit 2')
  await assert.rejects(unmount('m'), { kind: 'invalid', detail: /no such option/ })
})
