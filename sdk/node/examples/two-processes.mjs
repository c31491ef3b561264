// Two processes, one of Node.js and one of Python, work in one home at once.
//
// Both count in one file and write to one log; whichever came first owns the store and answers the
// other, and when it ends the other takes over.
//
//     node two-processes.mjs STORE & python ../../python/examples/two_processes.py STORE; wait
import { HomefsError, open } from 'homefs'

/** @import { Home } from 'homefs' */

const STEPS = 50

const home = await open({ agent: 'akashi', store: process.argv[2] })
for (let step = 1; step <= STEPS; step++) {
  await increment(home, 'counter')
  await home.append('log', `node ${step}\n`)
}
await home.write('done/node', '')
await arrival(home, '/done/python')
const lines = (await home.read('log')).split('\n').length - 1
console.log(`counted to ${await home.read('counter')} and logged ${lines} lines`)
await home.close()

/**
 * Adds one to a number that others count up too.
 * @param {Home} home
 * @param {string} path
 */
async function increment(home, path) {
  for (;;) {
    // The version is asked for first: if somebody writes after that, the write is refused.
    const version = await home.exists(path) ? (await home.stat(path)).version : 0
    const count = version === 0 ? 0 : Number(await home.read(path))
    try {
      return await home.write(path, String(count + 1), { expectedVersion: version })
    } catch (error) {
      if (!(error instanceof HomefsError && error.kind === 'conflict')) throw error
    }
  }
}

/**
 * Waits until there is something at a path.
 * @param {Home} home
 * @param {string} path
 */
async function arrival(home, path) {
  while (!(await home.exists(path))) {
    // What came between the question and the watch is found by the next question.
    for await (const change of home.watch('/done', { timeout: 200 })) if (change.path === path) return
  }
}
