/// <reference types="node" />

export * from './native.cjs'

declare module './native.cjs' {
  interface Home {
    /**
     * Tells changes at and below a path as they happen.
     *
     * If this process owns the store, every change made after this call is seen; else those made
     * after the first step, or after the cursor that `since` says. An abort of the signal ends the
     * iteration with its reason.
     */
    watch(path?: string | null, options?: WatchOptions | null): Watch
    /** Closes the home, for `using`. */
    [Symbol.dispose](): void
    /** Closes the home, for `await using`. */
    [Symbol.asyncDispose](): Promise<void>
  }
}

/** How changes are watched. */
export interface WatchOptions {
  /** Starts after this cursor instead of now. */
  since?: string
  /** Ends when no change comes for so many milliseconds. */
  timeout?: number
  /** Ends the watch. */
  signal?: AbortSignal
}

/** Changes as they happen; it goes on until `return()`, an abort, or the end of the home. */
export interface Watch extends AsyncIterableIterator<import("./native.cjs").Event> {
  /**
   * Where a later watch can go on, with `since`; what was made together with the last change may
   * come again. Not known before the first change if another process owns the store.
   */
  readonly cursor: string | undefined
}

/** How a home is mounted. */
export interface MountOptions {
  /** The agent whose home it is. */
  agent?: string
  /** A remote that a new store takes up first, such as `s3://bucket/prefix`. */
  address?: string
  /** The directory of the store. */
  store?: string
  /** Allow no changes through the mount. */
  readOnly?: boolean
}

/** How a mount is taken away. */
export interface UnmountOptions {
  /** The directory of the store. */
  store?: string
  /** Detach it at once; programs that use it go on until they close it. */
  lazy?: boolean
}

/**
 * Mounts a home as a directory, by the command `homefs`, which must be installed.
 *
 * The mount outlives this process. A home of the same store that is open here stays open: its
 * calls then go to the process of the mount.
 */
export declare function mount(dir: string, options?: MountOptions): Promise<void>

/** Takes a mount away, by the command `homefs`. */
export declare function unmount(dir: string, options?: UnmountOptions): Promise<void>

/** What a home throws; arguments of the wrong type are a `TypeError`. */
export declare class HomefsError extends Error {
  /** What a caller should do about it, the same in every face of homefs. */
  readonly kind:
    | 'not-found'
    | 'already-exists'
    | 'not-a-directory'
    | 'is-a-directory'
    | 'not-empty'
    | 'denied'
    | 'invalid'
    | 'conflict'
    | 'limit-exceeded'
    | 'unavailable'
    | 'corrupt'
    | 'unsupported'
    | 'closed'
    | 'internal'
    | 'read-only'
  /** The code as Node.js names it, such as `ENOENT`. */
  readonly code: string
  /** The number of the code, negative as Node.js has it. */
  readonly errno: number
  /** Which refusal of its kind it is, where programs tell several apart. */
  readonly reason:
    | 'name-too-long'
    | 'too-many-links'
    | 'file-too-large'
    | 'wrong-clock'
    | 'beyond-end'
    | 'no-room'
    | 'not-whole'
    | undefined
  /** The path that it is about. */
  readonly path: string | undefined
  /** The message without the code and the path. */
  readonly detail: string
}
