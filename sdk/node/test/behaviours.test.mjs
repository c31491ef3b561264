// Runs the behaviours that all SDKs share, once with promises and once with the `…Sync` twins.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'

import { Home, HomefsError, open, openSync } from 'homefs'
import { directory } from './support.mjs'

process.env.HOMEFS_EMBEDDER = 'static'

const table = JSON.parse(readFileSync(new URL('../../behaviours.json', import.meta.url), 'utf8'))
/** Durations are seconds in the table and milliseconds here. */
const DURATIONS = new Set(['timeout'])
/** What adapters need beyond the table. */
const FOR_ADAPTERS = ['memoryCommand', 'realpath', 'setAttrs']
/** What a home has beside its methods. */
const NO_METHODS = new Set(['constructor', 'agent', 'owner'])
/** What stands for a value instead of being one. */
const MATCHERS = {
  $any: () => true,
  $type: (kind, found) => kindOf(found) === kind,
  $bytes: (hex, found) => Buffer.isBuffer(found) && found.toString('hex') === hex,
  $contains: (part, found) =>
    typeof found === 'string' ? found.includes(part) : Array.isArray(found) && found.some((item) => matches(part, item)),
  $fields: (fields, found) =>
    Object.entries(fields).every(([name, value]) => matches(value, found[camel(name)] ?? null)),
  $len: (length, found) => found.length === length,
  $at_most: (most, found) => found <= most,
  $all: (all, found) => all.every((value) => matches(value, found)),
  $not: (value, found) => !matches(value, found),
}

for (const manner of ['async', 'sync']) {
  suite(manner, { concurrency: availableParallelism() }, () => {
    for (const behaviour of table.behaviours) {
      test(`${behaviour.name} (${manner})`, { timeout: 60_000 }, (context) => run(context, behaviour, manner === 'sync'))
    }
  })
}

test('a home has the methods of the table, and what adapters need, each with a twin', () => {
  const methods = [...Object.keys(table.methods).map(camel), ...FOR_ADAPTERS]
  const twins = methods.filter((name) => name !== 'watch').map((name) => `${name}Sync`)
  const found = Object.getOwnPropertyNames(Home.prototype).filter((name) => !NO_METHODS.has(name))
  assert.deepEqual(found.sort(), [...methods, ...twins].sort())
})

/** Runs the steps of one behaviour in a new store. */
async function run(context, behaviour, sync) {
  const homes = new Map()
  const saved = new Map()
  context.after(() => Promise.all([...homes.values()].map((home) => home.close())))
  const store = directory(context)
  for (const [index, step] of behaviour.steps.entries()) {
    const where = `step ${index + 1}: ${JSON.stringify(step).slice(0, 300)}`
    let found
    try {
      found = await take(step)
    } catch (error) {
      if (step.raises === undefined || !(error instanceof HomefsError)) throw new Error(where, { cause: error })
      if (step.code !== undefined) assert.equal(error.reason ?? null, step.code, where)
      assert.ok(matches(step.raises, error.kind), `${where}: ${error.kind}: ${error.message}`)
      if (step.path !== undefined) assert.equal(error.path, step.path, where)
      continue
    }
    assert.equal(step.raises, undefined, `${where}: nothing was raised`)
    if ('returns' in step) {
      const given = value(step.returns, saved)
      assert.ok(matches(given, found ?? null), `${where}: ${JSON.stringify(found)?.slice(0, 1000)}`)
    }
    if (step.save) saved.set(step.save, found)
  }

  /** Does one step. */
  async function take(step) {
    if (step.next) return (await saved.get(step.next).next()).value
    const name = step.home ?? 'me'
    if (!homes.has(name)) {
      const given = behaviour.homes?.[name] ?? { agent: name }
      homes.set(name, await (sync ? openSync : open)({ store, ...named(given) }))
    }
    const home = homes.get(name)
    const method = camel(step.call) + (sync && step.call !== 'watch' ? 'Sync' : '')
    return home[method](...passed(step.call, step.args ?? {}, saved, context))
  }
}

/** Sorts the arguments of a call as the table says. */
function passed(call, args, saved, context) {
  const { positional, options } = table.methods[call]
  const left = new Map(Object.entries(args).map(([name, given]) => [name, value(given, saved, context)]))
  const list = positional.map((name) => {
    const given = left.get(name)
    left.delete(name)
    return given
  })
  for (const name of left.keys()) assert.ok(options.includes(name), `${call} has no option ${name}`)
  if (left.size === 0) return list
  return [...list, named(Object.fromEntries(left))]
}

/** Names options as they are named here. */
function named(options) {
  const entries = Object.entries(options).map(([name, given]) => [
    camel(name),
    DURATIONS.has(name) ? given * 1000 : given,
  ])
  return Object.fromEntries(entries)
}

/** Makes a value of what the table says. */
function value(given, saved, context) {
  if (Array.isArray(given)) return given.map((item) => value(item, saved, context))
  if (typeof given !== 'object' || given === null) return given
  if ('$bytes' in given) return Buffer.from(given.$bytes, 'hex')
  if ('$repeat' in given) return given.$repeat[0].repeat(given.$repeat[1])
  if ('$saved' in given) {
    const [name, ...way] = [given.$saved].flat()
    return way.reduce((part, step) => part[step], saved.get(name))
  }
  if ('$host_dir' in given) {
    const root = directory(context)
    for (const [path, text] of Object.entries(given.$host_dir)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return root
  }
  if ('$host_address' in given) return `file://${value({ $host_dir: given.$host_address }, saved, context)}`
  return Object.fromEntries(Object.entries(given).map(([name, part]) => [name, value(part, saved, context)]))
}

/** Tells whether what was found is what was said. */
function matches(given, found) {
  if (Buffer.isBuffer(given)) return Buffer.isBuffer(found) && given.equals(found)
  if (Array.isArray(given)) {
    return Array.isArray(found) && given.length === found.length && given.every((item, at) => matches(item, found[at]))
  }
  if (typeof given !== 'object' || given === null) return Object.is(given, found)
  const [[name, argument] = []] = Object.entries(given)
  if (name in MATCHERS) return MATCHERS[name](argument, found)
  if (typeof found !== 'object' || found === null) return false
  // A field that is not there is null.
  const said = new Map(Object.entries(given).map(([name, part]) => [camel(name), part]))
  const names = new Set([...said.keys(), ...Object.keys(found)])
  return [...names].every((name) => said.has(name) && matches(said.get(name), found[name] ?? null))
}

function kindOf(found) {
  if (Buffer.isBuffer(found)) return 'bytes'
  return { string: 'text', number: 'number', boolean: 'boolean' }[typeof found]
}

function camel(name) {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
}
