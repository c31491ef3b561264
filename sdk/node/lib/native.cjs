// Loads the native part that was built for this platform.
'use strict'

/** Names the platform as the build does. */
function platform() {
  const { platform, arch } = process
  if (platform !== 'linux') return `${platform}-${arch}`
  const { header } = /** @type {any} */ (process.report.getReport())
  return `linux-${arch}-${header.glibcVersionRuntime ? 'gnu' : 'musl'}`
}

const name = `homefs.${platform()}.node`
try {
  module.exports = /** @type {any} */ (require(`../${name}`))
} catch (cause) {
  throw new Error(`homefs is not built for this platform: ${name} cannot be loaded`, { cause })
}
