// No argument ends the process, makes it wait or leads out of the home.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { directory } from './support.mjs'

/** Most memory that the process may write to, in KiB: what it reserves does not count. */
const DATA_KIB = 4 << 20

/** Returns every file below a directory. */
function picture(dir) {
  const files = readdirSync(dir, { recursive: true }).filter((name) => statSync(join(dir, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(dir, name), 'utf8')]))
}

test('no argument ends the process or leads out of the home', (context) => {
  const dir = directory(context)
  const host = join(dir, 'host')
  mkdirSync(join(host, 'work'), { recursive: true })
  writeFileSync(join(host, 'x'), 'outside')
  const before = picture(host)
  const program = join(import.meta.dirname, 'hostile.mjs')
  const script = `ulimit -d ${DATA_KIB} && exec "$0" "$@"`
  const ran = spawnSync('sh', ['-c', script, process.execPath, program, join(dir, 'store')], {
    cwd: join(host, 'work'),
    env: { ...process.env, HOME: dir, XDG_CONFIG_HOME: dir, XDG_DATA_HOME: dir, HOMEFS_EMBEDDER: 'static' },
    encoding: 'utf8',
    timeout: 1_800_000,
    maxBuffer: 1 << 28,
  })
  assert.ok([0, 1].includes(ran.status), `${ran.status} ${ran.signal} ${ran.stderr.slice(-4000)}`)
  const told = JSON.parse(ran.stdout)
  assert.deepEqual(told.wrong, [])
  assert.ok(told.calls > 2000, `${told.calls}`)
  assert.deepEqual(picture(host), before)
})
