// Methods of the native part as users call them: arguments checked, errors translated, signals
// heard.
'use strict'

const { HomefsError, translated } = require('./errors.cjs')

/** How deep options are looked into. */
const DEPTH = 3

/**
 * Wraps a method that returns at once.
 * @param {Function} method
 */
function blocking(method) {
  // Named one by one, since this is the path of every write.
  return function (/** @type {any} */ a, /** @type {any} */ b, /** @type {any} */ c, /** @type {any} */ d) {
    check(a, DEPTH)
    check(b, DEPTH)
    check(c, DEPTH)
    check(d, DEPTH)
    try {
      // @ts-ignore: `this` is what the native part says it is.
      return method.call(this, a, b, c, d)
    } catch (error) {
      throw translated(error)
    }
  }
}

/**
 * Wraps a method that returns a promise. Its last argument may be an object with a `signal`: when
 * that aborts, so does the promise.
 *
 * A method whose work can be ended takes a number as its third argument, by which `interrupt` ends
 * it.
 * @param {Function} method
 * @param {(this: any, number: number) => void} [interrupt]
 */
function promising(method, interrupt) {
  return async function (/** @type {any[]} */ ...given) {
    for (const value of given) check(value, DEPTH)
    const signal = signalOf(given.at(-1))
    signal?.throwIfAborted()
    const number = (numbers = (numbers + 1) % 2 ** 32)
    if (interrupt) given[2] = number
    try {
      // @ts-ignore: `this` is what the native part says it is.
      const self = this
      const done = method.apply(self, given)
      if (!signal) return await done
      return await abortable(done, signal, () => interrupt?.call(self, number))
    } catch (error) {
      throw signal?.aborted && error === signal.reason ? error : translated(error)
    }
  }
}

/** The number of the last call. */
let numbers = 0
/** How often work is told to end until it has: what has not begun does not hear it. */
const AGAIN_MS = 20

/**
 * Rejects when the signal aborts, if nothing was settled before.
 * @param {Promise<any>} done
 * @param {AbortSignal} signal
 * @param {() => void} interrupt
 */
function abortable(done, signal, interrupt) {
  return new Promise((resolve, reject) => {
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    const abort = () => {
      interrupt()
      timer = setInterval(interrupt, AGAIN_MS)
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    done.then(resolve, reject).finally(() => {
      clearInterval(timer)
      signal.removeEventListener('abort', abort)
    })
  })
}

/**
 * Returns the signal among options.
 * @param {any} options
 * @returns {AbortSignal | undefined}
 */
function signalOf(options) {
  const signal = options?.signal
  if (signal == null || typeof options !== 'object') return undefined
  if (signal instanceof AbortSignal) return signal
  throw Object.assign(new TypeError('signal is not an AbortSignal'), { code: 'ERR_INVALID_ARG_TYPE' })
}

/**
 * Refuses text that has no UTF-8 form, which would be changed silently on its way.
 * @param {any} value
 * @param {number} depth
 */
function check(value, depth) {
  if (typeof value === 'string') {
    // @ts-ignore: of ES2024, and in Node.js 20.
    if (value.isWellFormed()) return
    throw new HomefsError('invalid', 'a text has a lone surrogate, and so no UTF-8 form')
  }
  if (typeof value === 'object' && value !== null && depth > 0 && !ArrayBuffer.isView(value)) {
    for (const part of Object.values(value)) check(part, depth - 1)
  }
}

module.exports = { blocking, promising, signalOf }
