// What users catch.
'use strict'

const native = /** @type {any} */ (require('./native.cjs'))

/** What Node.js shows of each kind. @type {Map<string, { code: string, errno: number }>} */
const kinds = new Map(native.errorKinds().map((/** @type {any} */ row) => [row.kind, row]))

class HomefsError extends Error {
  /** @param {string} kind @param {string} message @param {string} [path] @param {string} [reason] */
  constructor(kind, message, path, reason) {
    const { code, errno } = kinds.get(kind) ?? { code: 'EIO', errno: -5 }
    super(`${code}: ${message}${path ? `, '${path}'` : ''}`)
    this.kind = kind
    this.code = code
    this.errno = errno
    this.path = path || undefined
    this.reason = reason || undefined
    this.detail = message
  }
}
Object.defineProperty(HomefsError.prototype, 'name', { value: 'HomefsError' })

/**
 * Makes of what the native part threw what users catch: it encodes its errors as one text, and
 * throws others for arguments of the wrong type only.
 * @param {any} error
 */
function translated(error) {
  const [begin, kind, reason, path, message] = String(error?.message).split('\0')
  if (begin === '' && message !== undefined) return new HomefsError(kind, message, path, reason)
  return Object.assign(new TypeError(String(error?.message)), { code: 'ERR_INVALID_ARG_TYPE' })
}

module.exports = { HomefsError, translated }
