import { Value } from './value.ts'

export type Route = { page: 'home' } | { page: 'conversation'; id: string } | { page: 'billing' }

function read(): Route {
  const [, page, id] = /^#\/(c|billing)(?:\/(.+))?$/.exec(location.hash) ?? []
  if (page === 'billing') return { page: 'billing' }
  try {
    if (page === 'c' && id) return { page: 'conversation', id: decodeURIComponent(id) }
  } catch {
    // not an address of ours
  }
  return { page: 'home' }
}

export const route = new Value<Route>(read())
addEventListener('hashchange', () => route.set(read()))

export const conversationHref = (id: string): string => `#/c/${encodeURIComponent(id)}`
export const open = (id: string): void => {
  location.hash = conversationHref(id)
}
