import { createClient } from 'graphql-ws'
import { Value } from '../state/value.ts'
import { locked, token, wantToken } from './session.ts'

/** An error as the page shows it: the server's code where it gave one. */
export class Failure extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.name = 'Failure'
    this.code = code
  }
}

interface GraphQLErrorLike {
  message: string
  extensions?: { code?: unknown }
}

export const failureOf = (error: GraphQLErrorLike): Failure =>
  new Failure(error.message, typeof error.extensions?.code === 'string' ? error.extensions.code : 'INTERNAL')

/** Whatever was thrown, as a Failure: graphql-ws throws errors, lists of errors and close events. */
export function failure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  if (Array.isArray(thrown) && thrown.length > 0) return failureOf(thrown[0] as GraphQLErrorLike)
  if (thrown !== null && typeof thrown === 'object' && 'code' in thrown && 'reason' in thrown) {
    return new Failure(`${String(thrown.reason) || 'the connection was closed'} (${String(thrown.code)})`, 'CLOSED')
  }
  return new Failure(thrown instanceof Error ? thrown.message : String(thrown), 'CLIENT')
}

export type Link = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'locked'

/** Where the one WebSocket stands. */
export const link = new Value<Link>('connecting')

const endpoint = new URL('graphql', location.href.replace(/#.*$/, ''))
const socketURL = new URL(endpoint)
socketURL.protocol = endpoint.protocol === 'https:' ? 'wss:' : 'ws:'

let refused = false // the last connection was closed for want of a good token
let hurry: (() => void) | null = null

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      hurry = null
      resolve()
    }
    const timer = setTimeout(done, ms)
    hurry = done
  })

/** Ends the pause before the next attempt to connect. */
export const reconnectNow = (): void => hurry?.()

let silence: ReturnType<typeof setTimeout> | undefined

export const client = createClient({
  url: socketURL.href,
  lazy: false,
  retryAttempts: Infinity,
  shouldRetry: () => true,
  connectionParams: (): Record<string, unknown> => {
    const t = token()
    return t === null ? {} : { token: t }
  },
  retryWait: async (attempts) => {
    if (refused) {
      await wantToken(token() === null ? 'This server asks for a token.' : 'The token is no longer good.')
      refused = false
      return
    }
    await pause(Math.min(500 * 2 ** Math.min(attempts, 5), 10_000) * (0.75 + Math.random() / 2))
  },
  keepAlive: 12_000,
  onNonLazyError: () => link.set('offline'), // a fault that no retry mends; every panel says so too
  on: {
    connected: () => link.set('live'),
    closed: (event) => {
      clearTimeout(silence)
      const code = (event as { code?: number } | undefined)?.code
      refused = code === 4403
      link.set(refused ? 'locked' : navigator.onLine ? 'reconnecting' : 'offline')
    },
    ping: (received) => {
      if (received) return
      silence = setTimeout(() => client.terminate(), 6_000) // a half-open connection says nothing: end it
    },
    pong: (received) => {
      if (received) clearTimeout(silence)
    },
  },
})

addEventListener('online', () => {
  if (link.get() === 'offline') link.set('reconnecting')
  reconnectNow()
})
addEventListener('offline', () => {
  if (link.get() === 'reconnecting') link.set('offline')
})

/** A token was given: connect with it. */
export function reauthenticate(): void {
  if (link.get() === 'live') client.terminate()
}

/** One query or mutation, by POST. Asks for a token when the server does, and goes on with it. */
export async function ask<T>(query: string, variables: Record<string, unknown> = {}): Promise<T> {
  for (;;) {
    if (locked.get() !== null) await wantToken(locked.get() ?? '')
    const t = token()
    let response: Response
    try {
      response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...(t === null ? {} : { Authorization: `Bearer ${t}` }) },
        body: JSON.stringify({ query, variables }),
      })
    } catch {
      throw new Failure('The server cannot be reached.', 'OFFLINE')
    }
    if (response.status === 401) {
      await wantToken(t === null ? 'This server asks for a token.' : 'The token is no longer good.')
      continue
    }
    let body: { data?: T | null; errors?: GraphQLErrorLike[] }
    try {
      body = (await response.json()) as typeof body
    } catch {
      throw new Failure(`The server answered ${response.status} without JSON.`, 'CLIENT')
    }
    if (body.errors?.[0]) throw failureOf(body.errors[0])
    if (body.data == null) throw new Failure(`The server answered ${response.status} without data.`, 'CLIENT')
    return body.data
  }
}

/** A new id for a request that may be repeated. */
export function requestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16)) // randomUUID is there in secure contexts only
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
}
