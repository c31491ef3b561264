/**
 * A home as the file system of just-bash.
 *
 * @module homefs/just-bash
 */

import type { Command, IFileSystem } from 'just-bash'
import type { Home } from '../index.mjs'

/**
 * A home as a file system for just-bash, for `new Bash({ fs: new HomeFs(home) })` or a mount of
 * `MountableFs`. Paths are those of the home. What is removed goes to its trash.
 */
export declare class HomeFs implements IFileSystem {
  constructor(home: Home)
  readFile: IFileSystem['readFile']
  readFileBytes: NonNullable<IFileSystem['readFileBytes']>
  readFileBuffer: IFileSystem['readFileBuffer']
  writeFile: IFileSystem['writeFile']
  appendFile: IFileSystem['appendFile']
  exists: IFileSystem['exists']
  stat: IFileSystem['stat']
  lstat: IFileSystem['lstat']
  mkdir: IFileSystem['mkdir']
  readdir: IFileSystem['readdir']
  readdirWithFileTypes: NonNullable<IFileSystem['readdirWithFileTypes']>
  rm: IFileSystem['rm']
  cp: IFileSystem['cp']
  mv: IFileSystem['mv']
  resolvePath: IFileSystem['resolvePath']
  /** Returns none: patterns are expanded by reading directories. */
  getAllPaths: IFileSystem['getAllPaths']
  chmod: IFileSystem['chmod']
  symlink: IFileSystem['symlink']
  link: IFileSystem['link']
  readlink: IFileSystem['readlink']
  realpath: IFileSystem['realpath']
  utimes: IFileSystem['utimes']
}

/**
 * Returns `grep`, `egrep`, `fgrep`, `rg` and `find` for `customCommands`, which print what
 * just-bash's own print, and let the homes among the mounted file systems search for them.
 */
export declare function searchCommands(): Command[]
