// Builds the native part and its types: `node build.mjs [--release] [--target TRIPLE]`.
//
// The choice a reader may question: `@napi-rs/cli` is not used. It compiles everything for a target
// that it names, apart from what cargo has compiled already, and brings a hundred packages.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const CRATE = 'homefs-node'
const { values } = parseArgs({ options: { release: { type: 'boolean' }, target: { type: 'string' } } })
const triple = values.target ?? /^host: (.*)$/m.exec(cargo(['-vV']))[1]
const profile = values.release ? 'release' : 'debug'
const types = join(JSON.parse(cargo(['metadata', '--format-version=1', '--no-deps'])).target_directory, 'napi-types', `${triple}-${profile}`)
mkdirSync(types, { recursive: true })

// The types come from the macros, so that the crate must have been expanded for this directory.
const environment = { NAPI_TYPE_DEF_TMP_FOLDER: types }
if (!existsSync(join(types, CRATE))) environment.NAPI_FORCE_BUILD = String(Date.now())

const options = ['--package', CRATE, '--lib', '--message-format=json-render-diagnostics']
if (values.release) options.push('--release')
if (values.target) options.push('--target', values.target)
// Names of functions are of no use to others, and most of the size.
if (values.release) options.push('--', '-C', 'strip=symbols')
const messages = cargo(['rustc', ...options], environment).trim().split('\n').map((line) => JSON.parse(line))
const built = messages.find(({ reason, target }) => reason === 'compiler-artifact' && target.name === 'homefs_node')
const library = built.filenames.find((name) => /\.(so|dylib|dll)$/.test(name))

writeFileSync('native.d.cts', declarations(readFileSync(join(types, CRATE), 'utf8')))
// A process may have the old one loaded: it keeps it.
const file = `homefs.${platform(triple)}.node`
copyFileSync(library, `${file}.new`)
renameSync(`${file}.new`, file)
console.log(file)

/** Makes declarations of what the macros wrote: a line of JSON for each item. */
function declarations(lines) {
  const items = lines.trim().split('\n').map((line) => JSON.parse(line))
  const shown = items.filter(({ kind }) => kind !== 'impl').sort((a, b) => (a.name < b.name ? -1 : 1))
  return shown.map((item) => item.js_doc + declaration(item, items)).join('\n').replace(/ +$/gm, '')
}

function declaration({ kind, name, def }, items) {
  if (kind === 'fn') return `export declare ${def}\n`
  if (kind === 'interface') return `export interface ${name} {\n${indented(def)}}\n`
  if (kind !== 'struct') throw new Error(`${name} is of a kind that is not known: ${kind}`)
  const methods = items.filter((item) => item.kind === 'impl' && item.name === name).map((item) => item.def)
  // Homes are opened, not made.
  return `export declare class ${name} {\n${indented(['private constructor()', ...methods].join('\n'))}}\n`
}

function indented(text) {
  return text.replace(/^ *(.*)$/gm, (_, line) => (line.startsWith('*') ? `   ${line}` : `  ${line}`)) + '\n'
}

/** Names the platform of a target as `lib/native.cjs` does. */
function platform(triple) {
  const [cpu, , system, abi] = triple.split('-')
  const arch = { x86_64: 'x64', aarch64: 'arm64' }[cpu] ?? cpu
  return [system, arch, abi].filter(Boolean).join('-')
}

/** Runs cargo; returns what it printed. */
function cargo(args, environment = {}) {
  const { status, stdout, error } = spawnSync('cargo', args, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
  return stdout
}
