// What goes in and comes out, and what is refused.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'

import { HomefsError, open, openSync } from 'homefs'
import { directory } from './support.mjs'

const require = createRequire(import.meta.url)

test('an error has the code, kind, errno and path', async (context) => {
  const home = await open({ store: directory(context), agent: 'akashi' })
  const expected = { name: 'HomefsError', code: 'ENOENT', kind: 'not-found', errno: -2, path: '/nope' }
  await assert.rejects(home.read('nope'), expected)
  assert.throws(() => home.readSync('nope'), expected)
  await assert.rejects(home.read('nope'), (error) => error instanceof HomefsError && error instanceof Error)
  assert.throws(() => home.readSync('nope'), { message: /^ENOENT: .*, '\/nope'$/ })
  home.writeSync('a', '1')
  for (const [call, code] of [
    [() => home.mkdirSync('a', { parents: false }), 'EEXIST'],
    [() => home.writeSync('a/b', ''), 'ENOTDIR'],
    [() => home.readSync('/'), 'EISDIR'],
    [() => home.writeSync('a', '2', { expectedVersion: 0 }), 'ESTALE'],
    [() => home.editSync('a', 'x', 'y'), 'EINVAL'],
  ]) assert.throws(call, { code, name: 'HomefsError' })
  await home.close()
})

test('every kind of error has a code of its own', () => {
  const { errorKinds } = require('../lib/native.cjs')
  const rows = errorKinds()
  const codes = new Set(rows.map(({ code }) => code))
  // What is closed takes no changes, as what is read-only.
  assert.equal(codes.size, rows.length - 1)
  assert.deepEqual(rows.filter(({ code }) => code === 'EIO').map(({ kind }) => kind), ['internal'])
  assert.ok(rows.every(({ errno }) => errno < 0))
})

test('arguments of the wrong type are a TypeError', async (context) => {
  const home = await open({ store: directory(context) })
  const wrong = { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' }
  for (const call of [
    () => home.write(1, 'x'),
    () => home.write('a'),
    () => home.write('a', 5),
    () => home.write('a', null),
    () => home.write('a', new ArrayBuffer(1)),
    () => home.write('a', 'b', 'c'),
    () => home.write('a', 'b', { expectedVersion: 'one' }),
    () => home.read(),
    () => home.read(Symbol('a')),
    () => home.recall('a', 'many'),
    () => home.remember('a', { tags: 5 }),
    () => home.sh({}),
    () => home.sync({ signal: {} }),
  ]) await assert.rejects(call, wrong, String(call))
  for (const call of [
    () => home.writeSync(1, 'x'),
    () => home.writeSync('a', {}),
    () => home.readSync(),
    () => home.watch(5),
    () => home.watch('/', { signal: 'now' }),
    () => openSync('store'),
    () => openSync({ store: 5 }),
    () => home.writeSync.call({}, 'a', 'b'),
  ]) assert.throws(call, wrong, String(call))
  await assert.rejects(open({ agent: 7 }), wrong)
  await home.close()
})

test('what makes no sense is refused', async (context) => {
  const store = directory(context)
  const home = await open({ store })
  const invalid = { name: 'HomefsError', kind: 'invalid', code: 'EINVAL' }
  for (const call of [
    () => home.write('', 'x'),
    () => home.write('a\0b', 'x'),
    () => home.write('a'.repeat(300), 'x'),
    () => home.write('a', 'x', { durability: 'paper' }),
    () => home.write('a', 'x', { expectedVersion: -1 }),
    () => home.readBytes('a', -1),
    () => home.search('a', { kind: 'smell' }),
    () => home.recall('a', 10, { strategy: 'luck' }),
    () => home.sh('true', { timeout: -1 }),
    () => home.sync({ direction: 'up' }),
    () => home.diff('a', 'whenever'),
  ]) await assert.rejects(call, invalid, String(call))
  await assert.rejects(open({ store, agent: 'not a name' }), invalid)
  await home.close()
})

test('text without a UTF-8 form is refused wherever it stands', async (context) => {
  const home = await open({ store: directory(context) })
  const lone = { kind: 'invalid', message: /lone surrogate/ }
  const text = 'a\ud800'
  for (const call of [
    () => home.write(text, 'x'),
    () => home.write('a', text),
    () => home.remember('x', { title: text }),
    () => home.remember('x', { tags: [text] }),
    () => home.setMeta('/', { other: { key: text } }),
  ]) await assert.rejects(call, lone, String(call))
  assert.throws(() => home.writeSync('a', text), lone)
  assert.equal(await home.write('pair \u{1f600}', '\ufffd \u{1f600}'), 1)
  assert.equal(home.readSync('pair \u{1f600}'), '\ufffd \u{1f600}')
  await home.close()
})

test('bytes go in as any view and come out as a Buffer', async (context) => {
  const home = await open({ store: directory(context) })
  const all = new Uint8Array(300).map((_, at) => at)
  for (const [name, bytes] of [['view', all.subarray(10, 20)], ['buffer', Buffer.from(all)], ['empty', new Uint8Array()]]) {
    await home.write(`${name}`, bytes)
    home.writeSync(`${name}-sync`, bytes)
    for (const path of [name, `${name}-sync`]) {
      const found = await home.readBytes(path)
      assert.ok(Buffer.isBuffer(found))
      assert.deepEqual(new Uint8Array(found), new Uint8Array(bytes))
      assert.deepEqual(home.readBytesSync(path), found)
    }
  }
  assert.throws(() => home.readSync('buffer'), { kind: 'invalid', message: /readBytes/, path: '/buffer' })
  await home.close()
})

test('the caller may use its memory again at once', async (context) => {
  const home = await open({ store: directory(context) })
  const bytes = Buffer.alloc(100_000, 'a')
  const written = home.write('a', bytes)
  bytes.fill('b')
  await written
  assert.equal(await home.read('a'), 'a'.repeat(100_000))
  await home.close()
})

test('large contents come back whole, also through the owner', { timeout: 60_000 }, async (context) => {
  const store = directory(context)
  const [home, other] = [await open({ store }), await open({ store })]
  const bytes = Buffer.alloc(70 << 20)
  for (let at = 0; at < bytes.length; at += 4096) bytes.writeUInt32LE(at, at)
  await other.write('large', bytes)
  for (const reader of [home, other]) assert.ok(bytes.equals(await reader.readBytes('large')))
  assert.equal(other.readBytesSync('large', bytes.length - 10).length, 10)
  await other.close()
  await home.close()
})

test('a closed home refuses calls and closes again', async (context) => {
  const home = await open({ store: directory(context) })
  const calls = [home.write('a', '1'), home.read('a'), home.close()]
  await Promise.allSettled(calls)
  await assert.rejects(home.write('a', '1'), { kind: 'closed' })
  assert.throws(() => home.readSync('a'), { kind: 'closed' })
  await assert.rejects(home.sh('true'), { kind: 'closed' })
  assert.throws(() => home.watch(), { kind: 'closed' })
  await home.close()
  home.closeSync()
})

test('a home has no constructor', async (context) => {
  const home = await open({ store: directory(context) })
  assert.throws(() => new home.constructor())
  assert.equal(home.agent, 'me')
  assert.equal(home.owner, true)
  await home[Symbol.asyncDispose]()
})

test('what is in memory is answered without a turn of the event loop', async (context) => {
  const home = await open({ store: directory(context), agent: 'me' })
  await home.write('a', '1')
  const calls = {
    write: () => home.write('a', 'one'),
    append: () => home.append('a', ' two'),
    read: () => home.read('a'),
    readBytes: () => home.readBytes('a'),
    stat: () => home.stat('a'),
    exists: () => home.exists('b'),
    isFile: () => home.isFile('a'),
    isDir: () => home.isDir('a'),
    cursor: () => home.cursor(),
  }
  for (const [name, call] of Object.entries(calls)) {
    let isDone = false
    // While one of the store's own threads is at the same place, a call waits on another thread.
    for (let attempt = 0; attempt < 20 && !isDone; attempt++) {
      const done = call().then(() => { isDone = true })
      // Promises that are settled go on meanwhile, and nothing else does.
      for (let step = 0; step < 20; step++) await null
      const isAtOnce = isDone
      await done
      isDone = isAtOnce
    }
    assert.ok(isDone, name)
  }
  await home.close()
})
