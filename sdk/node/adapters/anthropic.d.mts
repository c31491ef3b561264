/**
 * Anthropic's memory tool on a home.
 *
 * @module homefs/anthropic
 */

import type { MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory'
import type { Home } from '../index.mjs'

/**
 * Returns the handlers of Anthropic's memory tool on `/memories` of a home, for
 * `betaMemoryTool(memoryHandlers(home))`.
 *
 * What they say is what the reference implementation says, and is the same in every face of
 * homefs. What they delete goes to the trash, and every version of a memory is kept.
 */
export declare function memoryHandlers(home: Home): MemoryToolHandlers
