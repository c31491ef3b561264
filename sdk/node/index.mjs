import homefs from './index.cjs'

export const { open, openSync, Home, HomefsError } = homefs
