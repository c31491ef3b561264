// Sessions that speak for somebody's groups: who may open one, and what it sees.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

import { open } from 'homefs'
import { directory } from './support.mjs'

process.env.HOMEFS_EMBEDDER = 'static'

test('who may claim groups sees what they see', async (context) => {
  if (spawnSync('homefs', ['--version']).error) {
    return context.skip('the command homefs, which knows groups, is not on the PATH')
  }
  const store = directory(context)
  /** Makes an agent a member of a group. */
  const member = (group, agent) => {
    const ran = spawnSync('homefs', ['--store', store, '--operator', 'group', 'add', group, agent])
    assert.equal(ran.status, 0, String(ran.stderr))
  }
  const boss = await open({ agent: 'boss', store, operator: true })
  for (const group of ['billing', 'people']) {
    await boss.mkdir(`/shared/${group}`)
    await boss.write(`/shared/${group}/plan`, `of ${group}`)
    await boss.grant(`/shared/${group}`, `group:${group}`, 'read')
  }
  await boss.close()
  // A service acts for many; a member speaks for its own groups; nobody else does.
  member('claimants', 'svc')
  member('billing', 'ann')
  for (const [agent, groups, seen] of [
    ['svc', ['billing'], ['billing']],
    ['svc', ['billing', 'people'], ['billing', 'people']],
    ['svc', [], []],
    ['svc', undefined, []],
    ['ann', undefined, ['billing']],
    ['ann', ['billing'], ['billing']],
    ['ann', [], []],
  ]) {
    const home = await open({ agent, store, groups })
    const found = []
    for (const space of ['billing', 'people']) {
      if (await home.exists(`/shared/${space}/plan`)) found.push(space)
    }
    await home.close()
    assert.deepEqual(found, seen, `${agent} for ${groups}`)
  }
  for (const [agent, groups] of [
    ['ann', ['people']],
    ['ann', ['billing', 'people']],
    ['bob', ['people']],
  ]) {
    await assert.rejects(open({ agent, store, groups }), { kind: 'denied' }, `${agent} for ${groups}`)
  }
})
