import type { FeedRef, Row } from '../api/types.ts'

/**
 * Names rows: by id, and a row without one (an older platform's) by what it is and which of its like it is. The feed and the
 * rows keep the order of one node's rows, so that both come to the same name.
 */
export function namer(): (row: FeedRef | Row) => string {
  const seen = new Map<string, number>()
  return (row) => {
    if (row.id !== null) return row.id
    const like = JSON.stringify([row.type, row.path, row.activation, row.iteration])
    const count = seen.get(like) ?? 0
    seen.set(like, count + 1)
    return `${like}#${count}`
  }
}
