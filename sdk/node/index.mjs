import homefs from './index.cjs'

export const { open, openSync, clone, cloneSync, mount, unmount, Home, HomefsError } = homefs
