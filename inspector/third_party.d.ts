import type { Plugin } from 'vite'

/** Writes a notice, THIRD_PARTY.txt unless it is named, beside what is built. */
export declare function thirdParty(fileName?: string): Plugin
