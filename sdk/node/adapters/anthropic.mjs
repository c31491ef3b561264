// The memory tool of Anthropic (`memory_20250818`) on the directory `/memories` of a home.
import { HomefsError } from '../index.mjs'

/** @import { Home } from '../index.mjs' */
/** @import { MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory' */

/** @param {Home} home @returns {MemoryToolHandlers} */
export function memoryHandlers(home) {
  const handle = async (/** @type {any} */ command) => {
    try {
      return await home.memoryCommand(command)
    } catch (error) {
      // The model is told the words of the tool alone, as the reference implementation throws them.
      throw error instanceof HomefsError ? new Error(error.detail, { cause: error }) : error
    }
  }
  return { view: handle, create: handle, str_replace: handle, insert: handle, delete: handle, rename: handle }
}
