import { Value } from '../state/value.ts'

// The token lives in this tab alone: sessionStorage, and nowhere else.

const STORE = 'inlaygraph.token'

/** Whether somebody has to give a token before anything else goes on; the reason is for people. */
export const locked = new Value<string | null>(null)
export const hasToken = new Value(sessionStorage.getItem(STORE) !== null)

let waiting: (() => void)[] = []

export const token = (): string | null => sessionStorage.getItem(STORE)

/** Asks for a token, and resolves when there is another one. */
export function wantToken(reason: string): Promise<void> {
  locked.set(reason)
  return new Promise((resolve) => waiting.push(resolve))
}

/** Takes a token as it was pasted, with or without "Bearer". An empty one forgets what was there. */
export function giveToken(text: string): void {
  const bare = text.trim().replace(/^bearer\s+/i, '')
  if (bare === '') sessionStorage.removeItem(STORE)
  else sessionStorage.setItem(STORE, bare)
  hasToken.set(bare !== '')
  locked.set(null)
  const resolved = waiting
  waiting = []
  for (const resolve of resolved) resolve()
}
