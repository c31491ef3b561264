// A home as the file system of just-bash, with `grep`, `rg` and `find` pushed down.
//
// The choice a reader may question: the commands that are pushed down are just-bash's own, run on
// answers that were fetched at once. While one runs, a directory is read with all below it in one
// call, and files that another call knows to hold no match are shown as empty. So what they print
// is what they print without, whatever their options mean.
import { AsyncLocalStorage } from 'node:async_hooks'
import { posix } from 'node:path'

/** @import { Home, Stat } from '../index.mjs' */
/** @import { BufferEncoding, Command, FsStat, IFileSystem } from 'just-bash' */
/** @typedef {{ literal?: string, ignoreCase?: boolean }} Sought What every match of a command has. */
/** @typedef {{ stats: Map<string, Stat>, names: Map<string, string[]>, holders?: Set<string> }} Tree */

/** What is empty and takes everything: a home has none, and scripts need it. */
const NULL = '/dev/null'

/** @type {FsStat} */
const NULL_STAT = { isFile: false, isDirectory: false, isSymbolicLink: false, mode: 0o666, size: 0, mtime: new Date(0), identity: NULL }

/** What the command that runs now looks for, and the trees that it has read. */
const running = /** @type {AsyncLocalStorage<{ sought: Sought, trees: Map<HomeFs, Map<string, Promise<Tree | undefined>>> }>} */ (new AsyncLocalStorage())

/** @implements {IFileSystem} */
export class HomeFs {
  #home

  /** @param {Home} home */
  constructor(home) {
    this.#home = home
  }

  /** @param {string} path @param {{ encoding?: BufferEncoding | null } | BufferEncoding} [options] */
  async readFile(path, options) {
    const bytes = await this.readFileBuffer(path)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding(options))
  }

  /** @param {string} path @returns {Promise<any>} */
  readFileBytes(path) {
    return this.readFile(path, 'latin1')
  }

  /** @param {string} path @returns {Promise<Uint8Array>} */
  async readFileBuffer(path) {
    if (path === NULL) return new Uint8Array()
    const tree = await this.#known(path)
    const spared = tree?.holders && !tree.holders.has(path) && tree.stats.get(path)?.kind === 'file'
    // What begins with a dot may tell a command how to search.
    if (spared && !posix.basename(path).startsWith('.')) return new Uint8Array()
    return this.#home.readBytes(path)
  }

  /** @param {string} path @param {string | Uint8Array} content @param {{ encoding?: BufferEncoding } | BufferEncoding} [options] */
  async writeFile(path, content, options) {
    if (path === NULL) return
    await this.#home.write(path, bytes(content, options))
  }

  /** @param {string} path @param {string | Uint8Array} content @param {{ encoding?: BufferEncoding } | BufferEncoding} [options] */
  async appendFile(path, content, options) {
    if (path === NULL) return
    await this.#home.append(path, bytes(content, options))
  }

  /** @param {string} path */
  exists(path) {
    return this.stat(path).then(() => true, () => false)
  }

  /** @param {string} path */
  async stat(path) {
    if (path === NULL) return NULL_STAT
    const stat = await this.#stat(path)
    if (stat.kind !== 'link') return statOf(stat)
    return statOf(await this.#home.stat(await this.#home.realpath(path)))
  }

  /** @param {string} path */
  async lstat(path) {
    if (path === NULL) return NULL_STAT
    return statOf(await this.#stat(path))
  }

  /** @param {string} path @param {{ recursive?: boolean }} [options] */
  async mkdir(path, options) {
    await this.#home.mkdir(path, { parents: options?.recursive ?? false })
  }

  /** @param {string} path */
  async readdir(path) {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name)
  }

  /** @param {string} path */
  async readdirWithFileTypes(path) {
    const stats = await this.#list(path)
    return stats.map((stat) => ({ name: posix.basename(stat.path), ...kindOf(stat) }))
  }

  /** @param {string} path @param {{ recursive?: boolean, force?: boolean }} [options] */
  async rm(path, options) {
    try {
      await this.#home.delete(path, { recursive: options?.recursive ?? false })
    } catch (error) {
      if (!options?.force || !isMissing(error)) throw error
    }
  }

  /** @param {string} src @param {string} dest @param {{ recursive?: boolean }} [options] */
  async cp(src, dest, options) {
    // Into a directory that exists it is a merge, where a home would copy to below it.
    if (!(options?.recursive && await this.#isDirectory(src) && await this.#isDirectory(dest))) {
      await this.#home.cp(src, dest, { recursive: options?.recursive ?? false })
      return
    }
    for (const name of await this.readdir(src)) {
      await this.cp(posix.join(src, name), posix.join(dest, name), options)
    }
  }

  /** @param {string} src @param {string} dest */
  async mv(src, dest) {
    // Onto a directory that exists, where a home would move to below it, only another may come.
    if (await this.#isDirectory(dest)) {
      if (!await this.#isDirectory(src)) throw new Error(`EISDIR: illegal operation on a directory, mv '${dest}'`)
      await this.#home.delete(dest)
    }
    await this.#home.mv(src, dest)
  }

  /** @param {string} base @param {string} path */
  resolvePath(base, path) {
    return posix.resolve('/', base, path)
  }

  /** @returns {string[]} */
  getAllPaths() {
    return []
  }

  /** @param {string} path @param {number} mode */
  async chmod(path, mode) {
    await this.#home.setAttrs(await this.realpath(path), { mode })
  }

  /** @param {string} target @param {string} linkPath */
  async symlink(target, linkPath) {
    await this.#home.symlink(target, linkPath)
  }

  /** @param {string} existingPath @param {string} newPath */
  async link(existingPath, newPath) {
    await this.#home.link(existingPath, newPath)
  }

  /** @param {string} path */
  readlink(path) {
    return this.#home.readlink(path)
  }

  /** @param {string} path */
  async realpath(path) {
    if (path === NULL) return path
    const real = await this.#home.realpath(path)
    await this.#home.stat(real)
    return real
  }

  /** @param {string} path @param {Date} atime @param {Date} mtime */
  async utimes(path, atime, mtime) {
    await this.#home.setAttrs(await this.realpath(path), { accessed: atime.getTime(), modified: mtime.getTime() })
  }

  /** @param {string} path */
  async #isDirectory(path) {
    return this.lstat(path).then((stat) => stat.isDirectory, () => false)
  }

  /** @param {string} path */
  async #stat(path) {
    return (await this.#known(path))?.stats.get(path) ?? await this.#home.stat(path)
  }

  /** Lists a directory. @param {string} path @returns {Promise<Stat[]>} */
  async #list(path) {
    const tree = await this.#known(path) ?? await this.#fetch(path)
    const names = tree?.names.get(path)
    if (tree && names) return names.map((name) => /** @type {Stat} */ (tree.stats.get(posix.join(path, name))))
    const real = await this.#home.realpath(path)
    const { kind } = await this.#home.stat(real)
    if (kind !== 'directory') throw new Error(`ENOTDIR: not a directory, scandir '${path}'`)
    return this.#home.ls(real)
  }

  /** Returns the tree that holds a path, if the command that runs has read one. @param {string} path */
  async #known(path) {
    const trees = running.getStore()?.trees.get(this)
    if (!trees) return undefined
    for (let above = path; ; above = posix.dirname(above)) {
      // A turn of the event loop for each directory above would take longer than the answer.
      const tree = trees.has(above) ? await trees.get(above) : undefined
      if (tree || above === '/') return tree
    }
  }

  /**
   * Reads a directory with all below it, for a command that is pushed down.
   * @param {string} path @returns {Promise<Tree | undefined> | undefined}
   */
  #fetch(path) {
    const store = running.getStore()
    if (!store) return undefined
    const trees = store.trees.get(this) ?? new Map()
    store.trees.set(this, trees)
    const tree = trees.get(path) ?? this.#tree(path, store.sought)
    trees.set(path, tree)
    return tree
  }

  /** @param {string} path @param {Sought} sought @returns {Promise<Tree | undefined>} */
  async #tree(path, { literal, ignoreCase }) {
    const home = this.#home
    try {
      // The other way round, a file that is written meanwhile would be listed and spared.
      const found = await home.walk(path)
      const holders = literal === undefined ? undefined : await holdersOf(home, literal, ignoreCase, path)
      /** @type {Tree} */
      const tree = { stats: new Map(), names: new Map([[path, []]]), holders }
      for (const stat of found) {
        tree.stats.set(stat.path, stat)
        if (stat.kind === 'directory') tree.names.set(stat.path, [])
        tree.names.get(posix.dirname(stat.path))?.push(posix.basename(stat.path))
      }
      return tree
    } catch {
      // The command finds out for itself what is wrong, and says it in its own words.
      return undefined
    }
  }
}

/**
 * Returns the files below a directory that hold a text, also those that are no text themselves;
 * `undefined` if that is not known of all.
 * @param {Home} home @param {string} literal @param {boolean | undefined} ignoreCase @param {string} path
 */
async function holdersOf(home, literal, ignoreCase, path) {
  const script = `grep -rlaF${ignoreCase ? 'i' : ''} --null -e "$1" -- "$2"`
  const { stdout, status, truncated } = await home.sh(script, { args: [literal, path], outputMax: OUTPUT_MAX })
  if (status > 1 || truncated) return undefined
  return new Set(stdout.split('\0'))
}

/** Most bytes of the paths of files that hold a text. */
const OUTPUT_MAX = 16 << 20

/** @returns {Command[]} */
export function searchCommands() {
  return [
    pushed('grep', (args) => soughtBy(args, GREP)),
    pushed('egrep', (args) => soughtBy(args, GREP)),
    pushed('fgrep', (args) => soughtBy(['-F', ...args], GREP)),
    pushed('rg', (args) => soughtBy(args, RG)),
    pushed('find', (args) => (args.some((arg) => FIT_FOR_FIND.test(arg)) && !args.some((arg) => UNFIT_FOR_FIND.test(arg)) ? {} : undefined)),
  ]
}

/** What asks each file for more than its name and kind: only then a whole tree is read sooner than its directories. */
const FIT_FOR_FIND = /^-(size|empty|perm|newer.*|[acm](min|time)|printf|ls|user|group|uid|gid|links|inum|samefile|executable|readable|writable)$/

/** What changes files, runs commands, or ends before it has seen the whole tree. */
const UNFIT_FOR_FIND = /^-(maxdepth|delete|exec|execdir|ok|okdir|fprint.*|fls|quit)$/

/**
 * Makes a command that is pushed down if its arguments allow.
 * @param {string} name @param {(args: string[]) => Sought | undefined} read @returns {Command}
 */
function pushed(name, read) {
  return {
    name,
    async execute(args, { origCommand }) {
      if (!origCommand) throw new Error(`just-bash has no ${name} of its own`)
      const sought = read(args)
      if (!sought) return origCommand(args)
      return running.run({ sought, trees: new Map() }, () => origCommand(args))
    },
  }
}

/**
 * Options with which a file without a match is as good as an empty one; all others are not pushed
 * down. `ignoreCase` also has those that may.
 * @typedef {{ flags: RegExp, values: RegExp, long: RegExp, ignoreCase: RegExp, fixed: RegExp, needs?: RegExp }} Options
 */
/** @type {Options} */
const GREP = {
  flags: /^-[EFPiwxclLnhoqrR]+$/,
  values: /^-[ABCm]$/,
  long: /^(-[ABCm]\d+|--(include|exclude|exclude-dir|max-count)=.*|--(extended-regexp|perl-regexp|fixed-strings|ignore-case|word-regexp|line-regexp|count|files-with-matches|files-without-match|line-number|no-filename|only-matching|quiet|silent|recursive))$/s,
  ignoreCase: /^(-[A-Za-z]*i[A-Za-z]*|--ignore-case)$/,
  fixed: /^(-[A-Za-z]*F[A-Za-z]*|--fixed-strings)$/,
  needs: /^(-[A-Za-z]*[rR][A-Za-z]*|--recursive)$/,
}
/** @type {Options} */
const RG = {
  flags: /^-[FiSswxlnNHIoqcau]+$/,
  values: /^-[ABCmgtT]$/,
  long: /^(-[ABCm]\d+|--(glob|iglob|type|type-not|max-count|context|after-context|before-context)=.*|--(fixed-strings|ignore-case|smart-case|case-sensitive|word-regexp|line-regexp|files-with-matches|line-number|no-line-number|with-filename|no-filename|only-matching|quiet|count|text|hidden|no-ignore|heading|no-heading))$/s,
  ignoreCase: /^(-[A-Za-z]*[iS][A-Za-z]*|--(ignore|smart)-case)$/,
  fixed: /^(-[A-Za-z]*F[A-Za-z]*|--fixed-strings)$/,
}

/**
 * Reads the arguments of a search; `undefined` if it is not to be pushed down.
 * @param {string[]} args @param {Options} options @returns {Sought | undefined}
 */
function soughtBy(args, options) {
  /** @type {string[]} */
  const given = []
  /** @type {string[]} */
  const patterns = []
  /** @type {string[]} */
  const operands = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]
    if (arg === '--') {
      operands.push(...args.slice(at + 1))
      break
    }
    if (!arg.startsWith('-') || arg === '-') operands.push(arg)
    else if (arg === '-e') patterns.push(args[++at])
    else if (options.values.test(arg)) at++
    else if (options.flags.test(arg) || options.long.test(arg)) given.push(arg)
    else return undefined
  }
  const pattern = patterns[0] ?? operands[0]
  if (pattern === undefined || patterns.length > 1) return undefined
  const has = (/** @type {RegExp} */ option) => given.some((arg) => option.test(arg))
  if (options.needs && !has(options.needs)) return undefined
  return { literal: literalIn(pattern, has(options.fixed)), ignoreCase: has(options.ignoreCase) }
}

/**
 * Returns a text that is in whatever a pattern matches, the longest that is easily seen.
 * @param {string} pattern @param {boolean} fixed
 */
function literalIn(pattern, fixed) {
  if (fixed) return /^[\x20-\x7e]{2,}$/.test(pattern) ? pattern : undefined
  // What can be left out, or stands for something else, is not looked into.
  if (/[\\|()[\]{}\n]/.test(pattern)) return undefined
  const runs = pattern.match(/[\w ,:;=<>"'#@!%&~/-]{2,}(?![*?+])/g) ?? []
  return runs.sort((a, b) => b.length - a.length)[0]
}

/** @param {Stat} stat @returns {FsStat} */
function statOf(stat) {
  return {
    ...kindOf(stat),
    mode: parseInt(stat.mode, 8),
    size: stat.size,
    mtime: new Date(stat.modified),
    identity: stat.node,
  }
}

/** @param {Stat} stat */
function kindOf({ kind }) {
  return { isFile: kind === 'file', isDirectory: kind === 'directory', isSymbolicLink: kind === 'link' }
}

/** @param {{ encoding?: BufferEncoding | null } | BufferEncoding | undefined} options */
function encoding(options) {
  return (typeof options === 'string' ? options : options?.encoding) ?? 'utf8'
}

/** @param {string | Uint8Array} content @param {{ encoding?: BufferEncoding } | BufferEncoding} [options] */
function bytes(content, options) {
  return typeof content === 'string' ? Buffer.from(content, encoding(options)) : content
}

/** @param {any} error */
function isMissing(error) {
  return error?.code === 'ENOENT'
}
