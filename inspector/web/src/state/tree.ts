import type { Card, FeedEntry, FeedRef } from '../api/types.ts'
import { namer } from './names.ts'

/** A row of the feed: rowKey finds its text. A call carries the key of the result that stands in the same list. */
export interface RowItem {
  kind: 'row'
  key: string
  rowKey: string
  type: FeedRef['__typename']
  resultKey: string | null
  /** Whose row it is, "" for nobody's. */
  by: string
}
export interface CardItem {
  kind: 'card'
  key: string
  card: Card
  tracks: readonly Track[]
}
export type Item = RowItem | CardItem

/** A list in a card. A subagent has one. */
export interface Track {
  track: number
  iteration: number | null
  items: readonly Item[]
}

/**
 * Puts the feed's entries together into a tree. What is as it was in the tree before is the same object, so that components
 * that are given it need no new look.
 */
export function tree(entries: readonly FeedEntry[], before: readonly Item[]): readonly Item[] {
  const name = namer()
  const lists = new Map<string | null, { entry: FeedEntry; rowKey: string }[]>([[null, []]])
  for (const entry of entries) {
    const isCard = 'key' in entry.row
    lists.get(entry.parent)?.push({ entry, rowKey: isCard ? '' : name(entry.row as FeedRef) })
    if (isCard) lists.set(entry.key, [])
  }
  const had = new Map<string, Item>()
  const remember = (items: readonly Item[]) => {
    for (const item of items) {
      had.set(item.key, item)
      if (item.kind === 'card') item.tracks.forEach((t) => remember(t.items))
    }
  }
  remember(before)

  const build = (list: { entry: FeedEntry; rowKey: string }[]): Item[] => {
    const calls = new Map<string, RowItem>()
    const items: Item[] = []
    for (const { entry, rowKey } of list) {
      const { row } = entry
      if ('key' in row) {
        items.push({ kind: 'card', key: entry.key, card: row, tracks: tracksOf(row, lists.get(entry.key) ?? []) })
        continue
      }
      if (row.__typename === 'ToolResultRow' && row.toolCallId !== undefined) {
        const call = calls.get(row.toolCallId)
        if (call && call.resultKey === null) {
          call.resultKey = rowKey
          continue
        }
      }
      const item: RowItem = { kind: 'row', key: entry.key, rowKey, type: row.__typename, resultKey: null, by: row.path?.join('\u0000') ?? '' }
      if (row.__typename === 'ToolCallRow' && row.toolCallId !== undefined) calls.set(row.toolCallId, item)
      items.push(item)
    }
    return items.map((item) => kept(had.get(item.key), item))
  }
  const tracksOf = (card: Card, list: { entry: FeedEntry; rowKey: string }[]): Track[] => {
    const count = card.__typename === 'FanOutRow' ? (card.branchStatus?.length ?? 0) : 0
    const byTrack = new Map<number, { entry: FeedEntry; rowKey: string }[]>()
    for (let i = 0; i < count; i++) byTrack.set(i, [])
    for (const one of list) {
      const at = one.entry.track ?? 0
      const track = byTrack.get(at)
      if (track) track.push(one)
      else byTrack.set(at, [one])
    }
    return [...byTrack]
      .sort(([a], [b]) => a - b)
      .map(([track, ones]) => ({ track, iteration: ones[0]?.entry.iteration ?? null, items: build(ones) }))
  }
  const top = build(lists.get(null) ?? [])
  return sameItems(before, top) ? before : top
}

const sameItems = (a: readonly Item[], b: readonly Item[]) => a.length === b.length && a.every((item, i) => item === b[i])

function kept(before: Item | undefined, now: Item): Item {
  if (before === undefined || before.kind !== now.kind) return now
  if (before.kind === 'row' && now.kind === 'row') {
    return before.rowKey === now.rowKey && before.type === now.type && before.resultKey === now.resultKey && before.by === now.by ? before : now
  }
  if (before.kind === 'card' && now.kind === 'card') {
    const tracks = now.tracks.map((track) => {
      const old = before.tracks.find((t) => (track.iteration !== null ? t.iteration === track.iteration : t.track === track.track))
      return old && old.track === track.track && old.iteration === track.iteration && sameItems(old.items, track.items) ? old : track
    })
    const sameTracks = tracks.length === before.tracks.length && tracks.every((t, i) => t === before.tracks[i])
    if (sameTracks && JSON.stringify(before.card) === JSON.stringify(now.card)) return before
    return { ...now, tracks: sameTracks ? before.tracks : tracks }
  }
  return now
}
