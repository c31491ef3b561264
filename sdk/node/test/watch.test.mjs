// Watching, and signals.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { open } from 'homefs'
import { directory } from './support.mjs'

test('a loop sees changes and ends with break', async (context) => {
  const home = await open({ store: directory(context) })
  const watch = home.watch('/notes')
  home.writeSync('notes/a', '1')
  await home.write('elsewhere', '1')
  await home.write('notes/b', '1')
  const seen = []
  for await (const change of watch) {
    seen.push(change.path)
    if (change.path === '/notes/b') break
  }
  assert.deepEqual(seen, ['/notes', '/notes/a', '/notes/b'].filter((path) => seen.includes(path)))
  assert.ok(seen.includes('/notes/a'))
  assert.deepEqual(await watch.next(), { value: undefined, done: true })
  await home.close()
})

test('return ends a step that waits', async (context) => {
  const home = await open({ store: directory(context) })
  const watch = home.watch()
  const [first, second] = [watch.next(), watch.next()]
  assert.deepEqual(await watch.return(), { value: undefined, done: true })
  assert.deepEqual(await first, { value: undefined, done: true })
  assert.deepEqual(await second, { value: undefined, done: true })
  await home.close()
})

test('an abort ends a watch with its reason', async (context) => {
  const home = await open({ store: directory(context) })
  const controller = new AbortController()
  const watch = home.watch('/', { signal: controller.signal })
  const step = watch.next()
  controller.abort()
  await assert.rejects(step, { name: 'AbortError' })
  assert.deepEqual(await watch.next(), { value: undefined, done: true })
  assert.throws(() => home.watch('/', { signal: controller.signal }), { name: 'AbortError' })
  await home.close()
})

test('a watch ends when nothing happens for its time', async (context) => {
  const home = await open({ store: directory(context) })
  const watch = home.watch('/', { timeout: 50 })
  home.writeSync('a', '1')
  const seen = []
  for await (const { path } of watch) seen.push(path)
  assert.deepEqual(seen, ['/a'])
  await home.close()
})

test('a cursor goes on where a watch ended', async (context) => {
  const home = await open({ store: directory(context) })
  const first = home.watch()
  await home.write('a', '1')
  assert.equal((await first.next()).value.path, '/a')
  await first.return()
  await home.write('b', '1')
  const second = home.watch('/', { since: first.cursor })
  assert.equal((await second.next()).value.path, '/b')
  await second.return()
  assert.throws(() => home.watch('/', { since: 'nonsense' }), { kind: 'invalid' })
  await home.close()
})

test('the end of the home ends its watches', async (context) => {
  const home = await open({ store: directory(context) })
  const step = home.watch().next()
  await home.close()
  assert.deepEqual(await step, { value: undefined, done: true })
})

test('a watch through the owner sees what the owner does', async (context) => {
  const store = directory(context)
  const [home, other] = [await open({ store }), await open({ store })]
  assert.deepEqual([home.owner, other.owner], [true, false])
  const watch = other.watch('/', { since: await other.cursor() })
  await home.write('a', '1')
  assert.equal((await watch.next()).value.path, '/a')
  await watch.return()
  await other.close()
  await home.close()
})

test('an abort ends a script, and its session goes on', { timeout: 30_000 }, async (context) => {
  const home = await open({ store: directory(context) })
  await home.sh('x=5', { session: 's' })
  const controller = new AbortController()
  const script = home.sh('while true; do :; done', { session: 's', timeout: 60_000, signal: controller.signal })
  setTimeout(() => controller.abort(new Error('enough')), 50)
  await assert.rejects(script, { message: 'enough' })
  const { stdout } = await home.sh('echo $x', { session: 's' })
  assert.equal(stdout, '5\n')
  await home.close()
})

test('an abort ends the wait for a call that has begun', async (context) => {
  const store = directory(context)
  const home = await open({ store })
  const calls = [
    (signal) => open({ store, signal }),
    (signal) => home.write('a', 'x'.repeat(1 << 20), { signal }),
    (signal) => home.search('x', { signal }),
    (signal) => home.barrier({ signal }),
  ]
  for (const call of calls) {
    const controller = new AbortController()
    const done = call(controller.signal)
    controller.abort(new Error('enough'))
    await assert.rejects(done, { message: 'enough' }, String(call))
  }
  // What has begun goes on, and the home is of use.
  await home.write('b', '1')
  assert.equal(await home.read('b'), '1')
  await home.close()
})

test('a signal that has aborted begins nothing', async (context) => {
  const home = await open({ store: directory(context) })
  const signal = AbortSignal.abort()
  await assert.rejects(home.write('a', '1', { signal }), { name: 'AbortError' })
  await assert.rejects(home.recall('a', 100, { signal }), { name: 'AbortError' })
  assert.equal(await home.exists('a'), false)
  assert.equal((await home.recall('a', 100, { signal: AbortSignal.timeout(60_000) })).text, 'nothing known about this\n')
  await home.close()
})
