// The package as users get it: packed, installed into a clean project, and used there.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { directory } from './support.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const tool = (path) => join(root, 'node_modules', path)
/** The first lines of JavaScript in a README. */
const shown = (page) => /```js\n([^]*?)```/.exec(readFileSync(join(root, page), 'utf8'))[1]
const quick = shown('README.md')
/** What the clean project has beside the package. */
const project = directory({ after: (clean) => process.on('exit', clean) })
let packed

before(() => {
  const archives = join(root, '../../target/npm')
  mkdirSync(archives, { recursive: true })
  packed = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', archives], root))[0]
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(archives, packed.filename)])
})

test('the archive holds what is used, and nothing else', () => {
  const names = packed.files.map(({ path }) => path)
  for (const name of ['index.cjs', 'index.d.mts', 'native.d.cts', 'adapters/ai.mjs', 'README.md', 'LICENSE-MIT']) {
    assert.ok(names.includes(name), name)
  }
  assert.ok(names.some((name) => /^homefs\..*\.node$/.test(name)), names.join())
  assert.deepEqual(names.filter((name) => /^(src|test|node_modules)\/|Cargo|build|tsconfig|lock/.test(name)), [])
})

test('the lines of the README work as an ES module', () => {
  assert.match(node('quick.mjs', quick), /The deploy key is in the vault\./)
  assert.match(node('project.mjs', shown('../../README.md')), /Ann drinks green tea/)
})

test('the lines of the README work as CommonJS', () => {
  const lines = quick.replace(/import (.*) from (.*)/, 'const $1 = require($2)')
  assert.match(node('quick.cjs', `(async () => {\n${lines}\n})()`), /The deploy key is in the vault\./)
})

test('both kinds of modules give the same', () => {
  const script = `import * as module from 'homefs'
    import { createRequire } from 'node:module'
    const { default: _, ...named } = module
    const required = createRequire(import.meta.url)('homefs')
    console.log(Object.keys(named).join(), Object.keys(required).every((name) => required[name] === named[name]))`
  assert.equal(node('same.mjs', script), 'Home,HomefsError,clone,cloneSync,mount,open,openSync,unmount true\n')
})

test('adapters load without the packages that they are for', () => {
  const script = `for (const name of ['ai', 'anthropic', 'just-bash']) console.log(...Object.keys(await import('homefs/' + name)))`
  assert.equal(node('adapters.mjs', script), 'homeSandbox homeTools\nmemoryHandlers\nHomeFs searchCommands\n')
})

for (const [resolution, module, programs] of [
  ['node16', 'node16', ['program.mts', 'program.cts']],
  ['bundler', 'esnext', ['program.mts']],
]) {
  test(`programs type-check strictly with ${resolution}`, () => {
    for (const name of programs) copyFileSync(join(root, 'test/types', name), join(project, name))
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit', '--target', 'es2022']
    const types = ['--types', 'node', '--typeRoots', tool('@types')]
    run(tool('.bin/tsc'), [...strict, ...types, '--module', module, '--moduleResolution', resolution, ...programs])
  })
}

/** Runs a script in the clean project; returns what it printed. */
function node(name, script) {
  writeFileSync(join(project, name), script)
  return run(process.execPath, [name])
}

/** Runs a program, in the clean project if nothing else is said; returns what it printed. */
function run(program, args, cwd = project) {
  const env = { ...process.env, HOMEFS_STORE: join(project, 'store'), HOMEFS_EMBEDDER: 'static' }
  try {
    return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    throw new Error(`${program} failed:\n${error.stdout}\n${error.stderr}`)
  }
}
