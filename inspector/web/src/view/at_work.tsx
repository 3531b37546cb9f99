import { type RefObject, useEffect, useState } from 'react'
import type { Item } from '../state/tree.ts'

/** The subagents that run, by the keys of their cards; those within one that runs count as it. */
function running(items: readonly Item[]): { key: string; name: string }[] {
  return items.flatMap((item) => {
    if (item.kind === 'row') return []
    const { card } = item
    if (card.__typename === 'SubagentRow' && card.nodeStatus === 'RUNNING') return [{ key: card.key, name: card.nodeName ?? card.nodeId ?? '' }]
    return item.tracks.flatMap((track) => running(track.items))
  })
}

/** A subagent's card stands once, where it began (docs/feed.md): while it works out of sight above, this leads there. */
export function AtWork({ items, box }: { items: readonly Item[]; box: RefObject<HTMLDivElement | null> }) {
  const [above, setAbove] = useState<ReadonlySet<string>>(new Set())
  const cards = running(items)
  const keys = JSON.stringify(cards.map((c) => c.key))
  const find = (key: string) => box.current?.querySelector<HTMLElement>(`.card[data-key="${CSS.escape(key)}"]`)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (changes) =>
        setAbove((had) => {
          const now = new Set(had)
          for (const { target, isIntersecting, boundingClientRect, rootBounds } of changes) {
            const key = (target as HTMLElement).dataset['key'] ?? ''
            if (!isIntersecting && rootBounds !== null && boundingClientRect.bottom <= rootBounds.top + 1) now.add(key)
            else now.delete(key)
          }
          return now
        }),
      { root: box.current },
    )
    for (const key of JSON.parse(keys) as string[]) {
      const card = find(key)
      if (card) observer.observe(card)
    }
    return () => observer.disconnect()
  }, [keys])
  const [first, ...more] = cards.filter((c) => above.has(c.key))
  if (first === undefined) return null
  return (
    <button
      type="button"
      className="at-work"
      onClick={() => {
        const card = find(first.key)
        card?.scrollIntoView({ block: 'end' })
        card?.querySelector('button')?.focus({ preventScroll: true })
      }}
    >
      {first.name}
      {more.length > 0 ? ` and ${more.length} more are` : ' is'} at work <span aria-hidden="true">↑</span>
    </button>
  )
}
