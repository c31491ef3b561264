// An agent that keeps what it learns with Anthropic's memory tool, in two conversations.
//
// The model here is a script, so that the example runs without a key and a network. With a key,
// `new Anthropic()` takes the place of `scriptedClient()` and a model decides for itself.
//
//     npm install homefs @anthropic-ai/sdk
//     node memory-agent.mjs STORE
import Anthropic from '@anthropic-ai/sdk'
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory'
import { open } from 'homefs'
import { memoryHandlers } from 'homefs/anthropic'

/** @import { Home } from 'homefs' */
/** @import { BetaMemoryTool20250818Command } from '@anthropic-ai/sdk/resources/beta' */

/**
 * What the model does in each conversation, one step for each answer it gets.
 * @type {BetaMemoryTool20250818Command[][]}
 */
const CONVERSATIONS = [
  [
    { command: 'view', path: '/memories' },
    { command: 'create', path: '/memories/preferences.md', file_text: '- drinks coffee\n- lives in Oslo\n' },
    { command: 'str_replace', path: '/memories/preferences.md', old_str: 'coffee', new_str: 'tea' },
  ],
  [
    { command: 'view', path: '/memories' },
    { command: 'view', path: '/memories/preferences.md' },
  ],
]

const store = process.argv[2]
for (const script of CONVERSATIONS) {
  // Each conversation has a home of its own on the same store.
  const home = await open({ agent: 'akashi', store })
  console.log(await converse(scriptedClient(script), home, 'What do I drink?'))
  await home.close()
}
const home = await open({ agent: 'akashi', store })
// What the model wrote is a file like any other: it has a history and can be recalled.
console.log('versions:', (await home.log('/memories/preferences.md')).length)
console.log((await home.recall('what does the user drink?', 200)).text)
await home.close()

/**
 * Lets the model use its memory until it answers, and returns what it says.
 * @param {Anthropic} client
 * @param {Home} home
 * @param {string} question
 */
async function converse(client, home, question) {
  const final = await client.beta.messages.toolRunner({
    model: 'claude-sonnet-5-5',
    max_tokens: 1024,
    tools: [betaMemoryTool(memoryHandlers(home))],
    messages: [{ role: 'user', content: question }],
  })
  return final.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/**
 * Returns a client whose model calls the memory tool by a script, then says what it saw.
 * @param {BetaMemoryTool20250818Command[]} script
 */
function scriptedClient(script) {
  const steps = [...script]
  return new Anthropic({
    apiKey: 'none',
    async fetch(_url, options) {
      const { messages } = JSON.parse(String(options?.body))
      const command = steps.shift()
      const content = command
        ? { type: 'tool_use', id: 'use', name: 'memory', input: command }
        : { type: 'text', text: `I remember: ${messages.at(-1).content[0].content}` }
      return Response.json({
        id: 'message',
        type: 'message',
        role: 'assistant',
        model: 'scripted',
        content: [content],
        stop_reason: command ? 'tool_use' : 'end_turn',
        usage: { input_tokens: 0, output_tokens: 0 },
      })
    },
  })
}
