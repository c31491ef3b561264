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
export interface Watch extends AsyncIterableIterator<import("./native.cjs").Change> {
  /**
   * Where a later watch can go on, with `since`; what was made together with the last change may
   * come again. Not known before the first change if another process owns the store.
   */
  readonly cursor: string | undefined
}

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
  /** The path that it is about. */
  readonly path: string | undefined
  /** The message without the code and the path. */
  readonly detail: string
}
