// homefs for Node.js.
'use strict'

const native = /** @type {any} */ (require('./lib/native.cjs'))
const { blocking, promising, signalOf } = require('./lib/calls.cjs')
const { HomefsError } = require('./lib/errors.cjs')
const { mount, unmount } = require('./lib/mount.cjs')
const { Watch } = require('./lib/watch.cjs')

const { Home } = native
const { interrupt, watcher } = Home.prototype
delete Home.prototype.interrupt
delete Home.prototype.watcher

const begin = blocking(watcher)
for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Home.prototype))) {
  if (typeof value !== 'function' || name === 'constructor') continue
  if (name.endsWith('Sync')) define(name, blocking(value))
  else define(name, promising(value, name === 'sh' ? interrupt : undefined))
}

define('watch', function (/** @type {any} */ path, /** @type {any} */ options) {
  const signal = signalOf(options)
  signal?.throwIfAborted()
  // @ts-ignore: `this` is a home.
  return new Watch(begin.call(this, path, options?.since), options?.timeout, signal)
})
if (Symbol.dispose) define(Symbol.dispose, Home.prototype.closeSync)
if (Symbol.asyncDispose) define(Symbol.asyncDispose, Home.prototype.close)

/** Gives homes a method. @param {string | symbol} name @param {Function} value */
function define(name, value) {
  if (typeof name === 'string') Object.defineProperty(value, 'name', { value: name })
  Object.defineProperty(Home.prototype, name, { value, writable: true, configurable: true })
}

module.exports = {
  open: promising(native.open),
  openSync: blocking(native.openSync),
  clone: promising(native.clone),
  cloneSync: blocking(native.cloneSync),
  mount,
  unmount,
  Home,
  HomefsError,
}
