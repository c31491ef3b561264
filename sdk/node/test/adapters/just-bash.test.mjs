// A home below just-bash.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { open } from 'homefs'
import { HomeFs, searchCommands } from 'homefs/just-bash'
import { Bash, InMemoryFs, MountableFs } from 'just-bash'
import { directory } from '../support.mjs'

/** Scripts that must do with a home what they do with the file system of just-bash. */
const SCRIPTS = [
  'echo one > a; echo two >> a; cat a; wc -l < a',
  'mkdir -p d/e/f; touch d/e/f/g; ls -R d; rmdir d/e',
  'mkdir d/e; mkdir missing/x',
  'cat missing; cat d; ls missing; cd missing',
  'ln -s a link; cat link; readlink link; [ -L link ] && echo link; [ -e link ] && echo there; ls',
  'ln -s nowhere broken; [ -L broken ] && echo link; [ -e broken ] || echo gone; cat broken; realpath broken',
  'ln -s d dirlink; cd dirlink/e; pwd; cd /w; [ -d dirlink ] && echo directory',
  'ln a hard; echo three >> a; cat a',
  'cp a b; cmp a b && echo same; cp -r d copy; cp -r d copy; find copy | sort; cp d nope',
  'mv b c; cat b; mv c d; cat d/c; mv d/c d/e; find d | sort',
  'mkdir m1 m2; touch m1/x m2/y; mv m1 m2; find m2 | sort; mv m2 a 2> /dev/null || echo refused',
  'rm missing; rm -f missing; rm d; rm -r copy; ls; rm -rf copy',
  'chmod 600 a; stat -c %a a; chmod +x a; [ -x a ] && echo runs',
  'touch -d 2020-01-02T03:04:05Z a; stat -c %Y a; [ a -ot d ] && echo older',
  'echo d*/* *.nothing [ab]; for f in d/*; do echo "$f"; done',
  'printf "\\xff\\x00\\x01" > bin; od -An -tx1 bin; base64 bin; cat bin | wc -c; wc -c bin',
  'echo "grüße ☃" > "name with ☃"; cat *☃; wc -m < "name with ☃"',
  'echo 1 > n; sed -i s/1/2/ n; cat n; echo x | tee n n2; sort n n2; diff n a > /dev/null; echo $?',
  'echo line > out 2> err; cat missing 2> err; cat err',
  'while read -r line; do echo "<$line>"; done < a',
  'tar cf t.tar d a && tar tf t.tar; du -s d > size; test -s size && echo sized',
  'stat -c "%F %s" a d link; file a',
  'set -o noclobber; echo again > a; echo $?; set +o noclobber',
]

test('scripts do what they do on the file system of just-bash', async (context) => {
  const home = await open({ store: directory(context) })
  const [ours, theirs] = [new HomeFs(home), new InMemoryFs({ '/tmp/.keep': '' })].map((fs) => new Bash({ fs, cwd: '/w' }))
  await home.mkdir('/w')
  await home.mkdir('/tmp')
  await theirs.exec('mkdir -p /w', { cwd: '/' })
  for (const script of SCRIPTS) {
    assert.deepEqual(outcome(await ours.exec(script)), outcome(await theirs.exec(script)), script)
  }
  await home.close()
})

test('methods take and give what the interface says', async (context) => {
  const home = await open({ store: directory(context) })
  const fs = new HomeFs(home)
  await fs.writeFile('/n/a', 'ff00', 'hex')
  await fs.appendFile('/n/a', new Uint8Array([1]))
  await fs.appendFile('/n/a', 'é', { encoding: 'latin1' })
  assert.deepEqual([...await fs.readFileBuffer('/n/a')], [255, 0, 1, 0xe9])
  assert.equal(await fs.readFileBytes('/n/a'), '\xff\x00\x01\xe9')
  assert.equal(await fs.readFile('/n/a', { encoding: 'base64' }), '/wAB6Q==')
  assert.equal(await fs.readFile('/n/a', 'utf-8'), '\ufffd\0\x01\ufffd')
  const stat = await fs.stat('/n/a')
  assert.deepEqual({ ...stat, mtime: 0, identity: 0 }, { isFile: true, isDirectory: false, isSymbolicLink: false, mode: 0o644, size: 4, mtime: 0, identity: 0 })
  assert.ok(stat.mtime instanceof Date)
  await fs.utimes('/n/a', new Date(5), new Date(1000))
  assert.equal((await fs.stat('/n/a')).mtime.getTime(), 1000)
  assert.deepEqual(await fs.readdirWithFileTypes('/n'), [{ name: 'a', isFile: true, isDirectory: false, isSymbolicLink: false }])
  assert.deepEqual(await fs.readdir('/'), ['n'])
  assert.equal(fs.resolvePath('/a/b', '../c/./d'), '/a/c/d')
  assert.equal(fs.resolvePath('/', '../..'), '/')
  assert.deepEqual(fs.getAllPaths(), [])
  assert.deepEqual([await fs.exists('/n'), await fs.exists('/m')], [true, false])
  for (const [call, message] of [
    [() => fs.readFile('/m'), /^ENOENT: /],
    [() => fs.readFile('/n'), /^EISDIR: /],
    [() => fs.readdir('/n/a'), /^ENOTDIR: /],
    [() => fs.readdir('/m'), /^ENOENT: /],
    [() => fs.mkdir('/n'), /^EEXIST: /],
    [() => fs.mkdir('/m/n'), /^ENOENT: /],
    [() => fs.rm('/n'), /^ENOTEMPTY: /],
    [() => fs.rm('/m'), /^ENOENT: /],
    [() => fs.cp('/n', '/m'), /^EISDIR: /],
    [() => fs.mv('/n/a', '/n'), /^EISDIR: /],
    [() => fs.readlink('/n'), /^EINVAL: /],
    [() => fs.realpath('/m'), /^ENOENT: /],
    [() => fs.chmod('/m', 0o600), /^ENOENT: /],
    [() => fs.symlink('x', '/n/a'), /^EEXIST: /],
  ]) await assert.rejects(call, { message }, String(call))
  await fs.rm('/m', { force: true })
  await fs.mkdir('/n', { recursive: true })
  await home.close()
})

/** Searches whose answers must not change when they are pushed down. */
const SEARCHES = [
  'grep -r needle .', 'grep -rn needle /w', 'grep -rin NEEDLE .', 'grep -rl needle docs src', 'grep -rL needle .',
  'grep -rc needle .', 'grep -rv needle .', 'grep -rw need .', 'grep -rx "a needle" .', 'grep -ro "need[a-z]*" .',
  'grep -rho needle .', 'grep -rE "ne+dle|hay" .', 'grep -rn "n.*dle$" .', 'grep -rn "needles*" .', 'grep -rn "need?le" .',
  'grep -rE "xneedle?" .', 'grep -rF "a.b" .', 'grep -rF -e "-dash" .', 'grep -r -- -dash .', 'grep -rA1 -B 1 needle src',
  'grep -rC2 needle .', 'grep -rm1 needle .', 'grep -r --include="*.md" needle .', 'grep -r --exclude-dir=src needle .',
  'grep -rq needle .; echo $?', 'grep -rq nowhere .; echo $?', 'grep -rs needle missing; echo $?', 'grep -r needle missing docs; echo $?',
  'grep needle src/*', 'grep needle src/one.txt', 'echo needle | grep needle', 'cat src/one.txt | grep -n needle -', 'grep -r', 'grep',
  'grep -rP "\\bneedle\\b" .', 'grep -r "\\(needle\\)" .', 'grep -ri "kelvin" .', 'grep -ri "SNOWFLAKE" .', 'grep -r "grüße" .', 'grep -r "^$" docs',
  'grep -rf patterns .', 'grep -r needle links', 'grep -r needle link-to-src', 'grep -r needle .hidden', 'grep -r needle empty; echo $?',
  'cd src; grep -rn needle ..', 'cd src; grep -rn needle', 'egrep -r "needle|hay" .', 'fgrep -r "a.b" .', 'grep -r needle . | wc -l',
  'grep -r --color needle .', 'grep -r -e needle -e hay .', 'grep -rz needle .', 'grep -rZl needle .', 'grep -r "" src', 'grep -r n src',
  'rg needle', 'rg -n needle .', 'rg -i NEEDLE', 'rg -S needle', 'rg -S Needle', 'rg -l needle', 'rg -c needle', 'rg -v needle', 'rg --hidden needle',
  'rg --no-ignore needle', 'rg -u needle', 'rg -uu needle', 'rg -uuu needle', 'rg -g "*.md" needle', 'rg -g "!*.md" needle', 'rg -t md needle', 'rg -F "a.b"', 'rg "ne+dle"', 'rg -w need',
  'rg -A1 needle src', 'rg -C 1 needle', 'rg -o "need\\w+"', 'rg -r gold needle', 'rg --files', 'rg --files-without-match needle', 'rg -U "needle\\nhay"',
  'rg -e needle -e hay', 'rg nowhere; echo $?', 'rg needle missing; echo $?', 'rg --json needle src', 'rg -a needle', 'rg --stats needle src', 'rg -m1 needle', 'rg --heading needle',
  'rg --max-depth 1 needle', 'rg -L needle', 'rg -f patterns', 'rg -q needle; echo $?', 'rg --count-matches needle', 'rg --passthru needle src/one.txt',
  'rg "" src', 'rg', 'echo needle | rg needle', 'rg needle ignored', 'rg --vimgrep needle', 'rg -N needle', 'rg -I needle', 'rg --column needle',
  'find .', 'find . -name "*.md"', 'find / -type f', 'find . -type d', 'find . -type l', 'find . -maxdepth 1', 'find . -mindepth 2', 'find . -empty', 'find . -size +1',
  'find . -name "one*" -o -name "two*"', 'find . -path "*src*"', 'find . -name src -prune -o -print', 'find docs src missing', 'find . -newer src/one.txt -name "*.zz"', 'find . -perm 600',
  'find . -type f -exec wc -c {} +', 'find . -name "*.md" -print0 | xargs -0 cat', 'find src -type f -exec grep -l needle {} \\;', 'find link-to-src/', 'find -L links', 'find . -iname "*.MD"',
  'find . -regex ".*md"', 'find . -printf "%p %s %y\\n"', 'find . -not -name "*.md"', 'find src/one.txt', 'find', 'find . -nonsense', 'find . -depth', 'find . -mtime -1',
]

test('what is pushed down prints what it printed', { timeout: 600_000 }, async (context) => {
  const home = await open({ store: directory(context) })
  await corpus(home)
  const calls = []
  const fs = new HomeFs(noting(home, calls))
  const plain = new Bash({ fs, cwd: '/w' })
  const pushed = new Bash({ fs, cwd: '/w', customCommands: searchCommands() })
  const spared = []
  for (const script of SEARCHES) {
    calls.length = 0
    const expected = outcome(await plain.exec(script))
    const before = calls.length
    assert.deepEqual(outcome(await pushed.exec(script)), expected, script)
    spared.push([script, before, calls.length - before])
  }
  const reads = Object.fromEntries(spared.map(([script, before, after]) => [script, { before, after }]))
  for (const script of ['grep -rn needle /w', 'grep -rE "xneedle?" .', 'rg -n needle .', 'find . -size +1']) {
    assert.ok(reads[script].after < reads[script].before / 2, `${script}: ${JSON.stringify(reads[script])}`)
  }
  await home.close()
})

test('what is pushed down sees what was written before', async (context) => {
  const home = await open({ store: directory(context) })
  const bash = new Bash({ fs: new HomeFs(home), cwd: '/', customCommands: searchCommands() })
  for (let round = 0; round < 5; round++) {
    await home.write(`n/${round}`, `needle ${round}\n`)
    const { stdout } = await bash.exec('grep -rh needle n | wc -l; find n -type f | wc -l; rg -l needle | wc -l')
    assert.deepEqual(stdout.split(/\s+/).filter(Boolean).map(Number), [round + 1, round + 1, round + 1])
  }
  assert.equal((await bash.exec('find n -type f -delete; find n')).stdout, 'n\n')
  await home.close()
})

test('homes among mounts are searched, and searches at once do not mix', async (context) => {
  const home = await open({ store: directory(context) })
  await home.write('notes/a', 'needle\n')
  await home.write('notes/b', 'hay\n')
  const fs = new MountableFs({ base: new InMemoryFs({ '/tmp/c': 'needle\n' }), mounts: [{ mountPoint: '/home', filesystem: new HomeFs(home) }] })
  const bash = () => new Bash({ fs, cwd: '/', customCommands: searchCommands() })
  const searches = ['grep -r needle home tmp', 'grep -r hay home tmp', 'rg -l hay home', 'cat home/notes/*', 'find home tmp -type f']
  const found = await Promise.all(searches.map((script) => bash().exec(script)))
  assert.deepEqual(found.map(({ stdout }) => stdout), [
    'home/notes/a:needle\ntmp/c:needle\n', 'home/notes/b:hay\n', 'home/notes/b\n', 'needle\nhay\n', 'home/notes/a\nhome/notes/b\ntmp/c\n',
  ])
  await home.close()
})

test('what is empty and takes everything is there', async (context) => {
  const home = await open({ store: directory(context) })
  await home.write('a', 'one\n')
  const bash = new Bash({ fs: new HomeFs(home), cwd: '/' })
  for (const [script, expected] of [
    ['cat < /dev/null; echo $?', '0\n'],
    ['cat a > /dev/null; echo $?', '0\n'],
    ['ls missing 2> /dev/null; cat a /dev/null', 'one\n'],
    ['grep one a /dev/null', 'a:one\n'],
    ['[ -e /dev/null ] && [ ! -f /dev/null ] && echo there', 'there\n'],
  ]) {
    assert.equal((await bash.exec(script)).stdout, expected, script)
  }
  assert.deepEqual((await home.ls('/')).map(({ path }) => path), ['/a'])
  await home.close()
})

/** Wraps a home so that the names of its methods are noted as they are called. */
function noting(home, calls) {
  return new Proxy(home, {
    get(target, name) {
      const value = target[name]
      if (typeof value !== 'function') return value
      return (...given) => {
        calls.push(name)
        return value.apply(target, given)
      }
    },
  })
}

/** Writes files of all sorts. */
async function corpus(home) {
  const files = {
    'src/one.txt': 'hay\na needle\nhay\n', 'src/two.txt': 'nothing\nneedles and pins\nxneedl', 'src/.secret': 'needle in a dot\n',
    'docs/read.md': '# Needle\n\nNEEDLE and needle\nthe end', 'docs/plan.md': 'a.b\naxb\n-dash\n', 'docs/deep/er/x.md': 'needle\nhay\n', 'docs/crlf.txt': 'needle\r\nhay\r\n',
    '.hidden/a.txt': 'needle\n', '.gitignore': 'ignored/\n*.log\n', 'ignored/a.txt': 'needle\n', 'trace.log': 'needle\n', '.rgignore': 'docs/deep\n', 'docs/.gitignore': 'secret.md\n', 'docs/secret.md': 'needle\n',
    'bytes.bin': Buffer.from('\0\x01needle\nhay\n\xff', 'latin1'), 'late.bin': Buffer.from(`needle\n${'x'.repeat(9000)}\0needle\n`), 'latin.txt': Buffer.from('caf\xe9 needle\n', 'latin1'),
    'odd.txt': '\u212aelvin \u017fnowflake kelvin needle\n', 'umlaut.txt': 'grüße\nGRÜSSE\n', empty: '', patterns: 'needle\nhay\n', 'sp ace/a b.md': 'needle here\n',
    'linked/x': 'needle\n', '-odd': 'needle\n',
  }
  for (const [path, content] of Object.entries(files)) await home.write(`/w/${path}`, content)
  for (let n = 0; n < 20; n++) await home.write(`/w/many/${n % 2}/${n}.txt`, `line ${n}\nneedl${n % 10 ? '' : 'e'}\n`)
  await home.symlink('../src/one.txt', '/w/links-one')
  await home.mkdir('/w/links')
  await home.symlink('../src', '/w/links/src')
  await home.symlink('../src/one.txt', '/w/links/one')
  await home.symlink('nowhere', '/w/links/broken')
  await home.symlink('src', '/w/link-to-src')
  await home.setAttrs('/w/docs/plan.md', { mode: 0o600 })
}

function outcome({ stdout, stderr, exitCode }) {
  return { stdout, stderr, exitCode }
}
