// Programs as users write them; what must not compile is marked.
import { Home, HomefsError, open, openSync } from 'homefs'
import type { Event, Hit, OpenOptions, Recall, Stat, Watch } from 'homefs'

const options: OpenOptions = { agent: 'akashi', store: '/nowhere', operator: false, offline: true }
const home: Home = await open(options)
const version: number = await home.write('notes/x.md', 'hello', { expectedVersion: 0, durability: 'journal' })
const same: number = home.writeSync('notes/y', new Uint8Array([1, 2]))
const text: string = await home.read('notes/x.md', { version })
const bytes: Buffer = home.readBytesSync('notes/y', 1, 1)
const entries: Stat[] = await home.ls()
const hits: Hit[] = await home.search('hello', { kind: 'text', space: ['agents/me'], signal: AbortSignal.timeout(5) })
const recall: Recall = await home.recall('hello', 500, { strategy: 'recency' })
const first: [number, number] | undefined = recall.memories[0]?.lines
const { stdout, status }: { stdout: string; status: number } = await home.sh('ls', { session: 's', timeout: 1000 })
await home.setMeta('notes/x.md', { importance: 0.5, addTags: ['a'], other: { key: null } })

const watch: Watch = home.watch('/notes', { signal: new AbortController().signal })
for await (const change of watch) {
  const { path, action }: Event = change
  if (action === 'removed') console.log(path, watch.cursor)
}

try {
  openSync()
} catch (error) {
  if (error instanceof HomefsError && error.kind === 'not-found') console.log(error.code, error.path?.length)
}

// @ts-expect-error: a path is a text.
await home.read(1)
// @ts-expect-error: there is no such durability.
await home.write('a', 'b', { durability: 'paper' })
// @ts-expect-error: there is no such option.
await home.write('a', 'b', { version: 1 })
// @ts-expect-error: homes are opened.
new Home()
// @ts-expect-error: there is no such kind.
if (new HomefsError().kind === 'missing') home.closeSync()

console.log(same, text, bytes, entries, hits, first, stdout, status)
await home.close()
