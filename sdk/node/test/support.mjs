// What tests need.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a directory that is removed after the test. */
export function directory(context) {
  const made = mkdtempSync(join(tmpdir(), 'homefs-node-'))
  context?.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Runs a script in a process of its own; returns its end and what it printed. */
export function run(script, ...args) {
  const child = start(script, ...args)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
}

/** Starts a script in a process of its own. */
export function start(script, ...args) {
  const flags = ['--input-type=module', '--eval', script, '--', ...args]
  return spawn(process.execPath, flags, { cwd: import.meta.dirname })
}
