/**
 * Tools of the AI SDK on a home, and a sandbox for bash-tool.
 *
 * @module homefs/ai
 */

import type { Tool } from 'ai'
import type { Home } from '../index.mjs'

/** What the tools may do. */
export interface HomeToolsOptions {
  /** Only tools that change nothing. */
  readOnly?: boolean
  /** The session of the shell, which keeps its directory and variables from one script to the next. */
  session?: string
}

/** What a script printed, and how it ended. */
export interface ShellResult {
  stdout: string
  stderr: string
  exitCode: number
  /** Whether some of it is left out. */
  truncated: boolean
}

/** Tools that change nothing. */
export type ReadTools = {
  read: Tool<{ path: string; offset?: number; limit?: number }, string>
  ls: Tool<{ path?: string }, string>
  find: Tool<{ pattern: string; path?: string }, string>
  grep: Tool<
    { pattern: string; path?: string; glob?: string; ignoreCase?: boolean; literal?: boolean; limit?: number },
    string
  >
  recall: Tool<{ question: string; maxTokens?: number }, string>
  search: Tool<{ query: string; limit?: number; below?: string }, string>
}

/** Tools that change something. */
export type WriteTools = {
  write: Tool<{ path: string; content: string; expectedVersion?: number }, string>
  edit: Tool<{ path: string; oldText: string; newText: string; all?: boolean }, string>
  delete: Tool<{ path: string; recursive?: boolean }, string>
  remember: Tool<{ text: string; title?: string; tags?: string[]; importance?: number }, string>
  shell: Tool<{ script: string; timeout?: number }, ShellResult>
}

/** Returns tools on a home for `generateText`, `streamText` and agents of the AI SDK. */
export declare function homeTools(home: Home, options: HomeToolsOptions & { readOnly: true }): ReadTools
export declare function homeTools(home: Home, options?: HomeToolsOptions): ReadTools & WriteTools

/** The shape of a sandbox of bash-tool. */
export interface HomeSandbox {
  executeCommand(command: string): Promise<{ stdout: string; stderr: string; exitCode: number }>
  readFile(path: string): Promise<string>
  writeFiles(files: { path: string; content: string | Buffer }[]): Promise<void>
}

/** How scripts of a sandbox run. */
export interface HomeSandboxOptions {
  /** The session of the shell, which keeps its directory and variables from one script to the next. */
  session?: string
  /** Ends the script that runs, and refuses others. */
  signal?: AbortSignal
}

/** Returns a home as a sandbox for `createBashTool` of bash-tool: its scripts run in the home's own shell. */
export declare function homeSandbox(home: Home, options?: HomeSandboxOptions): HomeSandbox
