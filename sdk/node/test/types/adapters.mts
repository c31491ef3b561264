// A program as users write it; what must not compile is marked.
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory'
import { generateText, type LanguageModel } from 'ai'
import { createBashTool } from 'bash-tool'
import { open } from 'homefs'
import { homeSandbox, homeTools } from 'homefs/ai'
import { memoryHandlers } from 'homefs/anthropic'
import { HomeFs, searchCommands } from 'homefs/just-bash'
import { Bash, MountableFs, type IFileSystem } from 'just-bash'

declare const model: LanguageModel
const home = await open()

const fs: IFileSystem = new HomeFs(home)
const bash = new Bash({ fs, cwd: '/', customCommands: searchCommands() })
const { stdout }: { stdout: string } = await bash.exec('ls')
const mounted = new MountableFs({ mounts: [{ mountPoint: '/home', filesystem: new HomeFs(home) }] })

const tool = betaMemoryTool(memoryHandlers(home), { cache_control: { type: 'ephemeral' } })

const { toolResults } = await generateText({ model, tools: homeTools(home, { session: 'work' }), prompt: stdout })
for (const result of toolResults) {
  if (!result.dynamic && result.toolName === 'shell') console.log(result.output.exitCode, result.input.script)
}
const { read } = homeTools(home, { readOnly: true })
// @ts-expect-error: what changes something is not there.
homeTools(home, { readOnly: true }).write

const { tools } = await createBashTool({ sandbox: homeSandbox(home, { session: 'work' }) })
console.log(mounted, tool, read, tools)
