// Tools of the AI SDK on a home, and a sandbox for bash-tool.
//
// The choice a reader may question: schemas are written as the specification of Standard Schema
// has them, so that neither the AI SDK nor a library of schemas is loaded from here.

/** @import { Home, Hit, Stat } from '../index.mjs' */

/** @type {typeof import('./ai.d.mts').homeTools} */
export const homeTools = (home, { readOnly = false, session } = {}) => {
  const tools = { ...reading(home), ...(readOnly ? {} : writing(home, session)) }
  return /** @type {any} */ (tools)
}

/** @type {typeof import('./ai.d.mts').homeSandbox} */
export const homeSandbox = (home, { session, signal } = {}) => ({
  async executeCommand(command) {
    const { stdout, stderr, status } = await home.sh(command, { session, signal })
    return { stdout, stderr, exitCode: status }
  },
  readFile: (path) => home.read(path, { signal }),
  async writeFiles(files) {
    for (const { path, content } of files) await home.write(path, content)
  },
})

/** Tools that change nothing. @param {Home} home */
function reading(home) {
  return {
    read: tool(
      'Read a text file of your home directory, or some of its lines.',
      { path: PATH, 'offset?': number('The first line to read, counted from 1.'), 'limit?': number('Most lines to read.') },
      async ({ path, offset = 1, limit }, options) => {
        const text = await home.read(path, options)
        if (offset <= 1 && limit === undefined) return text
        const lines = text.split(/(?<=\n)/)
        const start = Math.max(offset, 1) - 1
        return lines.slice(start, limit === undefined ? undefined : start + limit).join('')
      },
    ),
    ls: tool(
      'List a directory of your home: the kind, size in bytes and path of each entry.',
      { 'path?': string('The directory; your whole home if not given.') },
      async ({ path }) => listed((await home.ls(path)).map(entry)),
    ),
    find: tool(
      'Find paths by a pattern. Without a slash it matches names at any depth, such as *.md; with one it matches whole paths, where ** stands for any number of directories.',
      { pattern: string('The pattern.'), 'path?': string('Only below this directory.') },
      async ({ pattern, path }) => listed(await home.find(pattern, path)),
    ),
    grep: tool(
      'Find lines of text files that match a regular expression, as path:line:text.',
      {
        pattern: string('A regular expression.'),
        'path?': string('Only at and below this path.'),
        'glob?': string('Only files that match this, such as *.md.'),
        'ignoreCase?': boolean('Whether letters match in either case.'),
        'literal?': boolean('Whether the pattern is the text itself.'),
        'limit?': number('Most lines; 200 if not given.'),
      },
      async ({ pattern, path, limit = LINES, ...rest }, options) => {
        const matches = await home.grep(pattern, path, { ...rest, ...options, limit })
        return listed(matches.map(({ path, line, text }) => `${path}:${line}:${text}`))
      },
    ),
    recall: tool(
      'Recall what you know about a question: the memories and notes that matter most, within a budget of tokens.',
      { question: string('What you want to know.'), 'maxTokens?': number('The budget; 2000 if not given.') },
      async ({ question, maxTokens }, options) => (await home.recall(question, maxTokens, options)).text || NOTHING,
    ),
    search: tool(
      'Search all your files by words and meaning; the best first, as path:line and an excerpt.',
      {
        query: string('What to look for.'),
        'limit?': number('Most files; 10 if not given.'),
        'below?': string('Only below this directory.'),
      },
      async ({ query, ...rest }, options) => listed((await home.search(query, { ...rest, ...options })).map(hit)),
    ),
  }
}

/** Tools that change something. @param {Home} home @param {string} [session] */
function writing(home, session) {
  return {
    write: tool(
      'Write a whole file, and make the directories on its way. Old versions are kept.',
      {
        path: PATH,
        content: string('What is to be in it.'),
        'expectedVersion?': number('Only if this is its version; 0 if it must not exist.'),
      },
      async ({ path, content, ...rest }, options) =>
        `Wrote ${path}, version ${await home.write(path, content, { ...rest, ...options })}.`,
    ),
    edit: tool(
      'Replace a text in a file, which must occur exactly once unless all are to be replaced.',
      {
        path: PATH,
        oldText: string('What is there now, to the letter.'),
        newText: string('What takes its place.'),
        'all?': boolean('Whether every occurrence is replaced.'),
      },
      async ({ path, oldText, newText, all }) =>
        `Edited ${path}, version ${await home.edit(path, oldText, newText, { all })}.`,
    ),
    delete: tool(
      'Remove a file or directory to the trash.',
      { path: PATH, 'recursive?': boolean('Whether a directory goes with all that is in it.') },
      async ({ path, recursive }) => {
        await home.delete(path, { recursive })
        return `Removed ${path} to the trash.`
      },
    ),
    remember: tool(
      'Keep something worth knowing later, one fact or lesson at a time.',
      {
        text: string('What to keep.'),
        'title?': string('A short title.'),
        'tags?': { type: 'array', items: { type: 'string' }, description: 'Words to find it by.' },
        'importance?': number('From 0 to 1.'),
      },
      async ({ text, ...rest }) => `Remembered in ${(await home.remember(text, rest)).path}.`,
    ),
    shell: tool(
      'Run a shell script in your home directory, with the usual commands on its files. There is no network, and nothing outside your home.',
      { script: string('The script.'), 'timeout?': number('Most milliseconds.') },
      async ({ script, timeout }, options) => {
        const { stdout, stderr, status, truncated } = await home.sh(script, { session, timeout, ...options })
        return { stdout, stderr, exitCode: status, truncated }
      },
    ),
  }
}

/** What an empty answer says, since models take silence for a failure. */
const NOTHING = '(nothing found)'
/** Lines that a search shows if nobody says how many. */
const LINES = 200
const PATH = string('The path, such as notes/plan.md.')

/** @param {string[]} lines */
const listed = (lines) => lines.join('\n') || NOTHING

/** @param {Stat} stat */
const entry = ({ kind, size, path }) => `${kind}\t${size}\t${path}`

/** @param {Hit} hit */
const hit = ({ path, lines: [line], excerpt }) => `${path}:${line}\n${excerpt}\n`

/** @param {string} description */
function string(description) {
  return { type: 'string', description }
}

/** @param {string} description */
function number(description) {
  return { type: 'number', description }
}

/** @param {string} description */
function boolean(description) {
  return { type: 'boolean', description }
}

/**
 * Makes a tool of properties, those with `?` being optional.
 * @param {string} description
 * @param {Record<string, any>} given
 * @param {(input: any, options: { signal?: AbortSignal }) => Promise<unknown>} execute
 */
function tool(description, given, execute) {
  const properties = Object.fromEntries(Object.entries(given).map(([name, schema]) => [name.replace('?', ''), schema]))
  const required = Object.keys(given).filter((name) => !name.endsWith('?'))
  const schema = { type: 'object', properties, required, additionalProperties: false }
  return {
    description,
    inputSchema: {
      '~standard': {
        version: 1,
        vendor: 'homefs',
        validate: (/** @type {unknown} */ value) => validated(schema, value),
        jsonSchema: { input: () => schema, output: () => schema },
      },
    },
    execute: (/** @type {any} */ input, /** @type {{ abortSignal?: AbortSignal } | undefined} */ options) =>
      execute(input, { signal: options?.abortSignal }),
  }
}

/** @param {{ properties: Record<string, any>, required: string[] }} schema @param {any} value */
function validated({ properties, required }, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { issues: [{ message: 'is not an object' }] }
  const issues = required.filter((name) => value[name] === undefined).map((name) => ({ message: 'is missing', path: [name] }))
  for (const [name, given] of Object.entries(value)) {
    const type = Object.hasOwn(properties, name) ? properties[name].type : undefined
    if (!type) issues.push({ message: 'is not known', path: [name] })
    else if (given !== undefined && !isOf(type, given)) issues.push({ message: `is not of the type ${type}`, path: [name] })
  }
  return issues.length > 0 ? { issues } : { value }
}

/** @param {string} type @param {unknown} value */
function isOf(type, value) {
  if (type === 'array') return Array.isArray(value) && value.every((item) => typeof item === 'string')
  return typeof value === type
}
