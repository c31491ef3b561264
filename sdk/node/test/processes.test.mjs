// Ends, threads, and several processes.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

import { open, openSync } from 'homefs'
import { directory, run, start } from './support.mjs'

const OPEN = `import { open, openSync } from 'homefs'; const store = process.argv.at(-1);`

test('a process with an open home ends by itself', async (context) => {
  const store = directory(context)
  const script = `${OPEN} const home = await open({ store }); await home.write('a', '1')`
  assert.deepEqual(await run(script, store), { code: 0, signal: null, stdout: '', stderr: '' })
  assert.equal(openSync({ store }).readSync('a'), '1')
})

test('a process ends only when its calls are done', async (context) => {
  const store = directory(context)
  const script = `${OPEN} const home = openSync({ store });
    for (let i = 0; i < 500; i++) home.write('n' + i, 'x').then(() => { if (i === 499) console.log('last') })`
  const { code, stdout } = await run(script, store)
  assert.deepEqual([code, stdout], [0, 'last\n'])
  assert.equal((await (await open({ store })).ls()).length, 500)
})

test('exit with calls in flight neither hangs nor crashes', { timeout: 60_000 }, async (context) => {
  const script = `${OPEN} const home = openSync({ store });
    for (let i = 0; i < 100; i++) home.write('n' + i, 'x'.repeat(10000));
    home.watch().next(); home.sh('while true; do :; done'); home.read('n1').catch(() => {});
    setTimeout(() => process.exit(7), Number(process.argv.at(-2)))`
  for (const wait of [0, 5, 50]) {
    const { code, signal, stderr } = await run(script, String(wait), directory(context))
    assert.deepEqual([code, signal, stderr], [7, null, ''])
  }
})

test('an uncaught error ends a process with calls in flight', async (context) => {
  const script = `${OPEN} const home = openSync({ store }); home.watch().next();
    setTimeout(() => { throw new Error('oops') }, 10)`
  const { code, signal } = await run(script, directory(context))
  assert.deepEqual([code, signal], [1, null])
})

test('a watch that nobody ends keeps a process alive until the home is closed', async (context) => {
  const script = `${OPEN} const home = openSync({ store });
    setTimeout(() => home.close(), 300);
    for await (const change of home.watch()) console.log(change.path);
    console.log('over')`
  const { code, stdout } = await run(script, directory(context))
  assert.deepEqual([code, stdout], [0, 'over\n'])
})

test('two processes share a store', async (context) => {
  const store = directory(context)
  const home = await open({ store })
  await home.write('a', 'mine')
  const script = `${OPEN} const home = await open({ store });
    console.log(home.owner, await home.read('a')); await home.write('b', 'theirs'); home.writeSync('c', 'too')`
  assert.equal((await run(script, store)).stdout, 'false mine\n')
  assert.equal(await home.read('b'), 'theirs')
  assert.equal(home.readSync('c'), 'too')
  await home.close()
})

test('when the owner is killed the next call becomes the owner', async (context) => {
  const store = directory(context)
  const script = `${OPEN} const home = await open({ store }); await home.write('a', '1');
    console.log('ready'); setInterval(() => {}, 1000)`
  const owner = start(script, store)
  await once(owner.stdout, 'data')
  const home = await open({ store })
  assert.deepEqual([home.owner, await home.read('a')], [false, '1'])
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  assert.equal(await home.write('a', '2'), 2)
  assert.deepEqual([home.owner, home.readSync('a')], [true, '2'])
  await home.close()
})

test('an owner of another version is named', async (context) => {
  const store = directory(context)
  const home = await open({ store })
  const hello = Buffer.from('homefs\0\n\xe7\x03\0\0\x059.9.9 and what only that one knows', 'latin1')
  const length = Buffer.alloc(4)
  length.writeUInt32LE(hello.length)
  rmSync(join(store, 'socket'))
  const owner = createServer((socket) => {
    socket.write(Buffer.concat([length, hello]))
    socket.on('data', () => socket.end())
  })
  await once(owner.listen(join(store, 'socket')), 'listening')
  await assert.rejects(open({ store }), {
    name: 'HomefsError', kind: 'unsupported', code: 'EOPNOTSUPP', message: /homefs 9\.9\.9 .*use the same version on both sides, or end the owner/,
  })
  owner.close()
  await home.close()
  assert.equal(await (await open({ store })).write('a', '1'), 1)
})

test('threads have homes of their own on one store', async (context) => {
  const store = directory(context)
  const home = await open({ store })
  const script = `const { open } = require('homefs'); const { workerData } = require('node:worker_threads');
    (async () => { const home = await open({ store: workerData.store });
    for (let i = 0; i < 50; i++) { await home.append('log', workerData.name); home.appendSync('log', workerData.name) }
    await home.close() })()`
  const workers = ['a', 'b', 'c'].map((name) => worker(script, { store, name }))
  assert.deepEqual(await Promise.all(workers.map((one) => once(one, 'exit'))), [[0], [0], [0]])
  const text = await home.read('log')
  for (const name of ['a', 'b', 'c']) assert.equal(text.split(name).length - 1, 100)
  await home.close()
})

test('a thread that is terminated with calls in flight takes nothing with it', { timeout: 60_000 }, async (context) => {
  const script = `const { openSync } = require('homefs'); const { parentPort, workerData } = require('node:worker_threads');
    const home = openSync(workerData); home.watch().next();
    // What is answered from memory takes no turn of the event loop: others get theirs by this one.
    const go = () => Promise.all([1, 2, 3].map((i) => home.write('n' + i, 'x'))).then(() => setImmediate(go));
    go().then(() => setTimeout(() => parentPort.postMessage('going'), 20))`
  const store = directory(context)
  for (let round = 0; round < 3; round++) {
    const thread = worker(script, { store })
    await once(thread, 'message')
    await thread.terminate()
  }
  const home = await open({ store })
  assert.equal(await home.read('n1'), 'x')
  await home.close()
})

test('only a thread uses it, and ends', async (context) => {
  // The main thread never loads the native part, which Node.js would then unload with the thread.
  const inner = `import { openSync } from 'homefs'; const home = openSync({ store: process.argv.at(-1) });
    home.write('a', '1'); home.writeSync('b', '1')`
  const script = `import { Worker } from 'node:worker_threads'; const store = process.argv.at(-1);
    const thread = new Worker(${JSON.stringify(inner)}, { eval: true, argv: [store] });
    thread.on('exit', (code) => setTimeout(() => console.log('ended', code), 300))`
  const { stderr, ...end } = await run(script, directory(context))
  assert.deepEqual(end, { code: 0, signal: null, stdout: 'ended 0\n' }, stderr)
})

test('the loop goes on while calls wait', async (context) => {
  const home = await open({ store: directory(context) })
  // It ends only if the loop goes on meanwhile.
  const script = home.sh('until test -e go; do sleep 0.02; done; echo seen')
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 10))
  await home.write('go', '')
  assert.equal((await script).stdout, 'seen\n')
  await home.close()
})

/** Starts a thread that finds the package as this file does. */
function worker(script, workerData) {
  return new Worker(script, { eval: true, workerData })
}
