// Figures and times as people read them.

export function ago(at: string | null, now: number): string {
  if (at === null) return ''
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000))
  if (seconds < 5) return 'now'
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })
}

export const clock = (at: string | null): string => (at === null ? '–' : new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' }))
export const date = (at: string | null): string => (at === null ? '–' : new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' }))

export function duration(from: string | null, to: string | null): string {
  if (from === null || to === null) return ''
  const ms = Date.parse(to) - Date.parse(from)
  if (ms < 1000) return `${Math.max(0, ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

export const count = (n: number): string => (n < 10_000 ? n.toLocaleString('en') : n < 1_000_000 ? `${(n / 1000).toFixed(1)}k` : `${(n / 1_000_000).toFixed(1)}M`)

/** Micro-USD as dollars: the cent, and finer only where there is something finer. */
export function money(micro: number | null): string {
  if (micro === null) return '–'
  const finer = micro % 10_000 !== 0 && Math.abs(micro) < 1_000_000
  return (micro < 0 ? '−' : '') + '$' + (Math.abs(micro) / 1_000_000).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: finer ? 6 : 2 })
}

/** An enum's value as a word: AWAITING_CLIENT_TOOL is "waits for you". */
export function word(value: string | null): string {
  if (value === null) return 'unknown'
  const known: Record<string, string> = {
    AWAITING_CLIENT_TOOL: 'waits for you', STREAMING: 'streaming', PAUSED: 'paused', IDLE: 'idle',
    UNKNOWN: 'not begun', FAN_OUT: 'fan-out',
  }
  return known[value] ?? value.toLowerCase().replaceAll('_', ' ')
}

/** A JSON text laid out, its numbers spelt as they came; the text as it is when it is not JSON. */
export function pretty(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  let depth = 0
  const line = () => '\n' + '  '.repeat(depth)
  return text.replace(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g, (token) => {
    if (token[0] === '"') return token
    if (/^\s/.test(token)) return ''
    if (token === '{' || token === '[') {
      depth++
      return token + line()
    }
    if (token === '}' || token === ']') {
      depth--
      return line() + token
    }
    if (token === ',') return token + line()
    return token === ':' ? ': ' : token.replace(/\s/g, '')
  })
}

/**
 * Whether a link may be opened: https, or http on loopback, without anything that makes one address look like another
 * (docs/billing.md, "Checkouts").
 */
export function safeToOpen(address: string | null): boolean {
  if (address === null || !/^[\x21-\x7e]{1,8192}$/.test(address) || /["'<>\\`]/.test(address)) return false
  let url: URL
  try {
    url = new URL(address)
  } catch {
    return false
  }
  if (url.username !== '' || url.password !== '') return false
  const loopback = url.hostname === 'localhost' || url.hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback)
}
