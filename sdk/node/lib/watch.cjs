// Changes as they happen.
'use strict'

const { translated } = require('./errors.cjs')

/** The longest time of a timer, in milliseconds. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** An async iterator of changes, on a native watcher. */
class Watch {
  /** The cursor before those that were found last, and after. @type {(string | undefined)[]} */
  #cursors
  /** @type {any} */
  #watcher
  /** How long it waits for a change, in milliseconds. @type {number | undefined} */
  #timeout
  /** Changes that were found and not yet taken. @type {object[]} */
  #found = []
  /** The last step; steps go one after another. @type {Promise<any>} */
  #step = Promise.resolve()
  /** Says that the watch is over. @type {(why: { reason?: unknown }) => void} */
  #end = () => {}
  /** Settled when the watch is over. @type {Promise<{ reason?: unknown }>} */
  #over = new Promise((resolve) => { this.#end = resolve })
  /** Takes the watch off its signal. */
  #leave = () => {}

  /** @param {any} watcher @param {number | undefined} timeout @param {AbortSignal | undefined} signal */
  constructor(watcher, timeout, signal) {
    this.#watcher = watcher
    this.#cursors = [watcher.cursor, watcher.cursor]
    this.#timeout = timeout
    if (!signal) return
    const abort = () => this.#finish({ reason: signal.reason })
    signal.addEventListener('abort', abort, { once: true })
    this.#leave = () => signal.removeEventListener('abort', abort)
  }

  get cursor() {
    return this.#cursors[this.#found.length === 0 ? 1 : 0]
  }

  next() {
    const take = () => this.#take()
    this.#step = this.#step.then(take, take)
    return this.#step
  }

  async return() {
    this.#found = []
    this.#finish({})
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator]() {
    return this
  }

  /** Returns the next change, when there is one. */
  async #take() {
    if (this.#found.length === 0) await this.#look()
    const value = this.#found.shift()
    if (value) return { value, done: false }
    const { reason } = await this.#over
    if (reason !== undefined) {
      // Whoever goes on after the error is at the end.
      this.#over = Promise.resolve({})
      throw reason
    }
    return { value: undefined, done: true }
  }

  /** Waits until there are changes, or until it is over. */
  async #look() {
    const looked = this.#watcher.next()
    /** @type {Promise<any>[]} */
    const waits = [looked, this.#over]
    let timer
    if (this.#timeout !== undefined) {
      // What is longer than a timer can be would be no time at all.
      const wait = Math.min(this.#timeout, TIMER_MS_MAX)
      waits.push(new Promise((resolve) => { timer = setTimeout(resolve, wait, {}) }))
    }
    try {
      const { changes = [], cursor } = await Promise.race(waits)
      this.#found = changes
      if (cursor) this.#cursors = [this.#cursors[1], cursor]
    } catch (error) {
      this.#finish({})
      throw translated(error)
    } finally {
      clearTimeout(timer)
    }
    // What is found after the end is of no interest, nor is how that fails.
    looked.catch(() => {})
    if (this.#found.length === 0) this.#finish({})
  }

  /** @param {{ reason?: unknown }} why */
  #finish(why) {
    this.#watcher.end()
    this.#leave()
    this.#end(why)
  }
}

module.exports = { Watch }
