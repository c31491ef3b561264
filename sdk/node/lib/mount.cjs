// Mounts, which the command `homefs` makes.
'use strict'

const { execFile } = require('node:child_process')

const { HomefsError } = require('./errors.cjs')

/**
 * Mounts a home as a directory.
 * @param {string} dir
 * @param {{ agent?: string, address?: string, store?: string, readOnly?: boolean }} [options]
 */
async function mount(dir, options = {}) {
  const words = ['mount', ...storeOf(options)]
  if (options.agent !== undefined) words.push('--agent-id', options.agent)
  if (options.readOnly) words.push('--read-only')
  const places = options.address === undefined ? [dir] : [options.address, dir]
  await run([...words, '--', ...places])
}

/**
 * Takes a mount away.
 * @param {string} dir
 * @param {{ store?: string, lazy?: boolean }} [options]
 */
async function unmount(dir, options = {}) {
  const words = ['unmount', ...storeOf(options)]
  if (options.lazy) words.push('--lazy')
  await run([...words, '--', dir])
}

/** @param {{ store?: string }} options */
function storeOf(options) {
  return options.store === undefined ? [] : ['--store', options.store]
}

/**
 * Runs the command, and makes an error of what it says.
 * @param {string[]} words
 * @returns {Promise<void>}
 */
function run(words) {
  return new Promise((resolve, reject) => {
    const child = execFile('homefs', ['--json', ...words], (error, _, told) => {
      if (error === null) resolve()
      else if (error.code === 'ENOENT') reject(new HomefsError('unsupported', MISSING))
      else reject(errorOf(told))
    })
    child.stdin?.end()
  })
}

const MISSING =
  'mounting needs the command homefs, which is not on the PATH: cargo install --path crates/homefs-cli'

/** @param {string} told */
function errorOf(told) {
  try {
    const { kind, code, message, path } = JSON.parse(told.trim().split('\n').at(-1) ?? '').error
    const known = kind === 'command' ? 'invalid' : kind
    const begin = `${path}: `
    const detail = message.startsWith(begin) ? message.slice(begin.length) : message
    return new HomefsError(known, detail, path ?? undefined, code ?? undefined)
  } catch {
    return new HomefsError('invalid', told.trim())
  }
}

module.exports = { mount, unmount }
