/** @module homefs */

export * from './index.cjs'
