// As program.mts, of the other kind of modules.
import homefs = require('homefs')

const home: homefs.Home = homefs.openSync({ agent: 'akashi' })
const lines: homefs.Match[] = home.grepSync('todo', '/notes', { ignoreCase: true, before: 1 })
console.log(lines.map(({ path, line }) => `${path}:${line}`))
home.closeSync()
