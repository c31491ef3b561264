// Calls every method with arguments that mean harm; run as a program, in a process of its own.
//
// What a call answers does not matter; that it answers does: in time, with an answer or an error
// that programs expect, in little memory. Which methods there are is asked of the class, what their
// arguments are of its types; a method or a type that is not known here is a failure.
import { readFileSync } from 'node:fs'
import { Home, HomefsError, open, openSync } from '../index.mjs'

/** What one call may take of the processors, which is the same on a busy machine, and how long it may wait. */
const CALL_MS = 5000
const WAIT_MS = 30_000
/** How deep and how long arguments are. */
const DEEP = 100_000
const EXTENDED = process.env.HOMEFS_EXTENDED === '1'
const LONG = EXTENDED ? 1 << 20 : 1 << 17
const DEPTHS = EXTENDED ? [200, 1900, DEEP] : [DEEP]
const NESTED = [['(', ')'], ['[', ']'], ['{', '}'], ['{a,', '}'], ['-', ''], ['*', ''], ['\\', '']]

/** Directories in one another; in a long run, as many as a path can have. */
const DOWN = '/d'.repeat(EXTENDED ? 2000 : 100)
const TEXTS = [
  '', '..', '../x', 'a/../../x', '/etc/passwd', 'a\0b', '\udc80', 'a\n\x1b[31m\u202e', 'a'.repeat(LONG),
  '"'.repeat(LONG), '../'.repeat(DEEP), '/a'.repeat(DEEP), '/large', '/loop', '/out', '/out/x', DOWN,
  `${DOWN}/x`, '/a.md:related', '/:recent?n=1000000000000000000', `/:search?q=${'('.repeat(1000)}`,
  '(a|b){1000}{1000}', '**/'.repeat(DEEP), '{a,b}'.repeat(40), '9'.repeat(400) + 'd ago', '-1s ago',
  'file://', 's3://../..', 'chroma://127.0.0.1:1/c', 'cat /large', 'cat /large | wc -c',
  ...NESTED.flatMap(([opens, ends]) => DEPTHS.map((deep) => opens.repeat(deep) + 'a' + ends.repeat(deep))),
]
const NUMBERS = [0, -1, 0.5, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, -(2 ** 63), 1e18, 1e300, -1e300, NaN, Infinity, -Infinity]
let nested = []
for (let depth = 0; depth < DEEP; depth++) nested = [nested]
const WRONG = [null, undefined, 3, 2n ** 64n, true, 'a', Symbol('a'), [], {}, () => 3, new Uint8Array(2), nested, new Proxy({}, {}), new Date(NaN), Object.create(null)]

/** What is given for each type of TypeScript, besides what is wrong for all of them. */
const VALUES = {
  string: TEXTS,
  number: NUMBERS,
  boolean: [],
  'Uint8Array': [new Uint8Array(0), new Uint8Array(new SharedArrayBuffer(4)), Buffer.alloc(3)],
  'Array<string>': [TEXTS, Array(DEEP).fill('a'), [nested], ['a', 3]],
  'Array<number>': [NUMBERS, Array(DEEP).fill(1), [nested]],
  'Record<string, string>': [Object.fromEntries(TEXTS.map((text) => [text, text])), { a: nested }],
  'Record<string, string | null>': [Object.fromEntries(TEXTS.map((text) => [text, text])), { a: nested }],
  AbortSignal: [],
}
/** What somebody might mean, by the names of parameters. */
const HONEST = { script: 'echo ok', to: '/new', target: '/new', newPath: '/new', to_: '/new', glob: '*.md', content: 'words\n' }
/** What a call would wait for ever without, or for longer than it should here. */
const ALWAYS = { sh: { timeout: 2000 }, sync: { timeout: 50 } }
/** Methods that end what the others need; tried apart. */
const APART = new Set(['constructor', 'close', 'closeSync'])

const types = readFileSync(new URL('../native.d.cts', import.meta.url), 'utf8')
/** Returns the members of a declaration as name, type pairs. */
function members(declaration) {
  const found = types.match(new RegExp(`(?:interface|class) ${declaration} \\{\n([^]*?)\n\\}`))
  if (!found) return undefined
  return found[1].replace(/\/\*\*[^]*?\*\//g, '')
}
function fields(declaration) {
  return [...(members(declaration)?.matchAll(/^ {2}(\w+)\??: (.*)$/gm) ?? [])].map(([, name, type]) => ({ name, type }))
}
/** Returns the parameters of a method; nothing if the types do not know it. */
function parameters(method) {
  const found = members('Home')?.match(new RegExp(`^  ${method}\\((.*)\\): .*$`, 'm'))
  if (!found) return undefined
  return [...found[1].matchAll(/(\w+)(\??): ((?:[^,<]|<[^>]*>)+)/g)].map(([, name, optional, type]) => ({ name, optional: optional === '?', type }))
}

const wrong = []
let calls = 0

/** Returns what is given for a type, each with what it is. */
function hostile(type, label) {
  const found = [...WRONG]
  for (const part of type.split(/ \| (?![^<]*>)/).map((part) => part.replace(/[()]/g, '').trim())) {
    if (part === 'undefined' || part === 'null' || /^'.*'$/.test(part)) found.push(...(part.startsWith("'") ? TEXTS.slice(0, 10) : []))
    else if (part in VALUES) found.push(...VALUES[part])
    else if (fields(part).length > 0) {
      for (const field of fields(part)) found.push(...hostile(field.type, label).map((value) => ({ [field.name]: value })))
    } else if (members(part) === undefined) wrong.push(`${label}: nobody has said what ${part} is`)
  }
  return found
}

function honest({ name, type }) {
  if (name in HONEST) return HONEST[name]
  const part = type.split(' | ')[0]
  if (part.startsWith("'")) return part.slice(1, -1)
  if (part === 'number') return 1
  if (part === 'boolean') return true
  if (part.startsWith('Array')) return ['a']
  if (part === 'string') return '/a.md'
  return name === 'command' ? { command: 'view', path: '/memories' } : {}
}

function short(value) {
  if (value === nested) return 'a list in a list in …'
  try {
    return String(JSON.stringify(value) ?? String(value)).slice(0, 60)
  } catch {
    return typeof value
  }
}

/** Makes one call, whose outcome must be one of those that programs expect. */
async function outcome(label, call) {
  calls++
  const begun = performance.now()
  const before = process.cpuUsage()
  let timer
  try {
    const late = new Promise((_, reject) => { timer = setTimeout(reject, WAIT_MS, new Error('no answer')) })
    await Promise.race([Promise.resolve(call()), late])
  } catch (error) {
    const isExpected = error instanceof HomefsError || error instanceof TypeError || error instanceof RangeError
    if (!isExpected || error.kind === 'internal' || /panic/i.test(error.message)) wrong.push(`${label}: ${error?.name} ${String(error?.message).slice(0, 200)}`)
    if (error instanceof HomefsError && (!error.kind || error.detail === undefined)) wrong.push(`${label}: ${error.message}`)
  } finally {
    clearTimeout(timer)
  }
  const took = performance.now() - begun
  const { user, system } = process.cpuUsage(before)
  const work = (user + system) / 1000
  if (took > WAIT_MS || work > CALL_MS) wrong.push(`${label}: took ${Math.round(took)} ms, ${Math.round(work)} ms of work`)
}

/** Calls every method with one argument after the other that is hostile. */
async function hunt(home, refill) {
  for (const method of Object.getOwnPropertyNames(Home.prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(Home.prototype, method)
    if (APART.has(method) || method === 'watch' || typeof descriptor.value !== 'function') continue
    const known = parameters(method)
    if (known === undefined) {
      wrong.push(`${method}: the types do not know it`)
      continue
    }
    const always = ALWAYS[method.replace(/Sync$/, '')]
    // A promise and its twin have one body: each value goes to one of the two.
    const half = method.endsWith('Sync') ? 0 : 1
    for (const [at, tried] of known.entries()) {
      for (const [index, value] of hostile(tried.type, `${method}.${tried.name}`).entries()) {
        if (index % 2 !== half && `${method}Sync` in Home.prototype !== method.endsWith('Sync')) continue
        const given = known.map((each, place) => {
          if (place === at) return always && value?.constructor === Object ? { ...always, ...value } : value
          if (each.name === 'options' && always) return always
          return each.optional ? undefined : honest(each)
        })
        refill()
        await outcome(`${method}(${tried.name}=${short(value)})`, () => home[method](...given))
      }
    }
    if (known.length === 0) await outcome(method, () => home[method]())
  }
  for (const value of [...TEXTS, ...WRONG]) {
    await outcome(`watch(${short(value)})`, async () => {
      const watch = home.watch(value, { timeout: 1 })
      await watch.next()
      await watch.return()
    })
  }
  for (const timeout of [...NUMBERS, ...WRONG]) {
    await outcome(`watch(timeout=${short(timeout)})`, async () => {
      const watch = home.watch('/', { timeout })
      await watch.return()
    })
    await outcome(`watch(since=${short(timeout)})`, () => home.watch('/', { since: timeout, timeout: 1 }).return())
  }
}

const store = process.argv[2]
const home = openSync({ agent: 'me', store })
const refill = () => { try { home.writeSync('/a.md', 'some words\n') } catch {} }
refill()
home.shSync('truncate -s 1T /large; ln -s /loop /loop; ln -s ../../../etc /out')
home.mkdirSync(DOWN)
await hunt(home, refill)
home.writeSync('/last', 'words')
if (home.readSync('/last') !== 'words') wrong.push('the home is not what it was')
home.closeSync()
for (const method of Object.getOwnPropertyNames(Home.prototype)) {
  const { value } = Object.getOwnPropertyDescriptor(Home.prototype, method)
  if (typeof value === 'function' && method !== 'constructor') await outcome(`closed ${method}`, () => home[method]('/a.md', 'x', 'x'))
}
for (const field of fields('OpenOptions')) {
  for (const value of hostile(field.type, `open.${field.name}`)) {
    // Where nothing is said, the store of whoever runs this is meant.
    if (field.name === 'store' && (value === undefined || value === null || value === '' || (typeof value === 'string' && !value.includes('\0')))) continue
    await outcome(`open(${field.name}=${short(value)})`, async () => (await open({ store, [field.name]: value })).closeSync())
  }
}
for (const value of WRONG.filter((value) => typeof value !== 'object' && value !== undefined)) {
  await outcome(`open(${short(value)})`, () => open(value))
}
const { maxRSS } = process.resourceUsage()
console.log(JSON.stringify({ calls, peakMib: Math.round(maxRSS / 1024), wrong }))
process.exit(wrong.length === 0 ? 0 : 1)
