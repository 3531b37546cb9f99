import { memo, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { END } from '../api/documents.ts'
import { useQuery } from '../api/hooks.ts'
import type { FanOut, NodeView, Path, Repeat, Subagent } from '../api/types.ts'
import { nodeName } from '../state/follow.ts'
import { useRowsStatus } from '../state/rows.ts'
import type { CardItem, Item, Track } from '../state/tree.ts'
import { useShown } from './context.ts'
import { RowView } from './rows.tsx'
import { Status } from './ui.tsx'

/** A list of the feed: rows and cards. */
export const Items = memo(function Items({ items, within }: { items: readonly Item[]; within: string }) {
  return items.map((item, i) => <ItemView key={item.key} item={item} within={within} follows={follows(items[i - 1], item)} />)
})

/** Whether a row is the same speaker's as the one before it, which is named already. */
const follows = (before: Item | undefined, item: Item): boolean =>
  before?.kind === 'row' && item.kind === 'row' && item.by !== '' && before.by === item.by

const ItemView = memo(function ItemView({ item, within, follows }: { item: Item; within: string; follows: boolean }) {
  if (item.kind === 'row') return <RowView rowKey={item.rowKey} resultKey={item.resultKey} within={follows ? '*' : within} />
  switch (item.card.__typename) {
    case 'FanOutRow':
      return <FanOutCard item={item} card={item.card} />
    case 'SubagentRow':
      return <SubagentCard item={item} card={item.card} />
    case 'RepeatRow':
      return <RepeatCard item={item} card={item.card} />
  }
})

const MOST = 100

/** The end of a list that may be long, and all of it when asked. */
export function Latest<T>({ of, children }: { of: readonly T[]; children: (shown: readonly T[]) => ReactNode }) {
  const [most, setMost] = useState(MOST)
  const left = of.length - most
  return (
    <>
      {left > 0 && (
        <button type="button" className="earlier" onClick={() => setMost(most * 4)}>
          Show more of {left} earlier
        </button>
      )}
      {children(left > 0 ? of.slice(left) : of)}
    </>
  )
}

/** The flat list, where there is no feed to go by. */
export function FlatRows() {
  const { store } = useShown()
  const { keys } = useRowsStatus(store)
  return <Latest of={keys}>{(shown) => shown.map((key) => <RowView key={key} rowKey={key} resultKey={null} within="" />)}</Latest>
}

/** A list that keeps its end in sight while it grows, unless its reader went up. */
function TrackBody({ track, within, label, over }: { track: Track; within: string; label: string; over: boolean }) {
  return (
    <div className="track-body" tabIndex={0} role="group" aria-label={label}>
      <div className="track-rows">{track.items.length === 0 ? <p className="empty">{over ? 'nothing here' : 'nothing yet'}</p> : <Latest of={track.items}>{(shown) => <Items items={shown} within={within} />}</Latest>}</div>
    </div>
  )
}

const NOTHING: readonly Item[] = []

function FanOutCard({ item, card }: { item: CardItem; card: FanOut }) {
  const { plan, look } = useShown()
  const source = [...(card.subgraphPath ?? []), card.nodeId ?? '']
  const region = plan?.regions.find((r) => JSON.stringify(r.source) === JSON.stringify(source) && JSON.stringify(r.join) === JSON.stringify(card.join))
  // The plan knows how many branches there are; an earlier card's own list ends with the last that spoke.
  const tracks = region?.branches.map((_, i): Track => item.tracks.find((t) => t.track === i) ?? { track: i, iteration: null, items: NOTHING }) ?? item.tracks
  const done = card.branchStatus?.filter((s) => s === 'DONE').length
  return (
    <section className="card fanout" aria-label={`Fan-out of ${card.nodeName ?? card.nodeId}`} data-key={card.key}>
      <header>
        <span className="card-kind">Fan-out</span>
        <button type="button" className="card-name" onClick={() => look(source)}>
          {card.nodeName ?? card.nodeId}
        </button>
        <span className="card-note">
          {done === undefined ? `${tracks.length} branches` : `${done} of ${tracks.length} done`}
          {card.hasEarlier ? ' · began earlier' : ''}
        </span>
      </header>
      <div className="tracks">
        {tracks.map((track) => {
          const entry = region?.branches[track.track]?.entry
          const name = entry ? nodeName(plan, entry) : `Branch ${track.track + 1}`
          const status = card.branchStatus?.[track.track]
          return (
            <div className="track" key={track.track} data-branch={entry?.join('/') ?? track.track}>
              <header>
                {entry ? (
                  <button type="button" onClick={() => look(entry)}>
                    {name}
                  </button>
                ) : (
                  <span>{name}</span>
                )}
                {status && status !== 'FAILED' && <Status of={status} quiet />}
                {status === 'FAILED' && (entry ? <Ended path={entry} /> : <Status of={status} quiet />)}
              </header>
              <TrackBody track={track} within={name} label={`branch ${name}`} over={status !== 'RUNNING' && status !== 'UNKNOWN'} />
            </div>
          )
        })}
      </div>
    </section>
  )
}

/** How a node that did not succeed ended: a branch counts as failed when it was cancelled too, and the node itself knows more. */
function Ended({ path }: { path: Path }) {
  const { id, pin } = useShown()
  const { data } = useQuery<{ conversation: { node: Pick<NodeView, 'status' | 'error'> | null } | null }>(END, { id, path, pin })
  const node = data?.conversation?.node
  const status = node?.status === 'CANCELLED' ? 'CANCELLED' : 'FAILED'
  return (
    <>
      <Status of={status} quiet />
      {status === 'FAILED' && node?.error && <p className="fault ended">{node.error.message}</p>}
    </>
  )
}

function SubagentCard({ item, card }: { item: CardItem; card: Subagent }) {
  const { look } = useShown()
  const [open, setOpen] = useState(true)
  const name = card.nodeName ?? card.nodeId ?? ''
  const items = item.tracks[0]?.items ?? []
  const blackBox = card.runningCount === null
  return (
    <section className="card subagent" aria-label={`Subagent ${name}`} data-key={card.key}>
      <header>
        <button type="button" className="fold" aria-expanded={open} aria-label={`${open ? 'Fold' : 'Unfold'} ${name}`} onClick={() => setOpen(!open)}>
          {open ? '▾' : '▸'}
        </button>
        <span className="card-kind">{blackBox ? 'Black box' : 'Subagent'}</span>
        <button type="button" className="card-name" onClick={() => look([...(card.subgraphPath ?? []), card.nodeId ?? ''])}>
          {name}
        </button>
        {card.nodeStatus === 'FAILED' ? <Ended path={[...(card.subgraphPath ?? []), card.nodeId ?? '']} /> : card.nodeStatus && <Status of={card.nodeStatus} quiet />}
        <span className="card-note">
          {card.runningCount ? `${card.runningCount} running · ` : ''}
          {card.doneCount !== null ? `${card.doneCount} done` : ''}
          {card.failedCount ? ` · ${card.failedCount} failed` : ''}
          {card.hasEarlier ? ' · began earlier' : ''}
        </span>
      </header>
      {open && items.length > 0 && (
        <div className="inside">
          <Latest of={items}>{(shown) => <Items items={shown} within="" />}</Latest>
        </div>
      )}
    </section>
  )
}

function RepeatCard({ item, card }: { item: CardItem; card: Repeat }) {
  const { look } = useShown()
  const parallel = card.mode === 'PARALLEL'
  const name = card.nodeName ?? card.nodeId ?? ''
  return (
    <section className="card repeat" aria-label={`${parallel ? 'Ensemble' : 'For each'} ${name}`} data-key={card.key}>
      <header>
        <span className="card-kind">{parallel ? 'Ensemble' : 'For each'}</span>
        <button type="button" className="card-name" onClick={() => look([...(card.subgraphPath ?? []), card.nodeId ?? ''])}>
          {name}
        </button>
        <span className="card-note">
          {card.total === null ? `${card.done} ${card.done === 1 ? 'item' : 'items'}` : `${card.done} of ${card.total} samples`}
          {card.hasEarlier ? ' · began earlier' : ''}
        </span>
      </header>
      <div className={parallel ? 'tracks' : 'tracks in-turn'}>
        {item.tracks.map((track) => {
          const label = `${parallel ? 'Sample' : 'Item'} ${track.iteration ?? track.track + 1}`
          return (
            <div className="track" key={track.iteration ?? `t${track.track}`} data-iteration={track.iteration ?? ''}>
              <header>
                <span>{label}</span>
              </header>
              <TrackBody track={track} within={name} label={label} over />
            </div>
          )
        })}
      </div>
    </section>
  )
}

const PAGE = 40

/** The feed from its end: a long one shows what is new, and more of it when asked. */
export function Feed({ items, hasEarlier, loadEarlier, busy }: { items: readonly Item[]; hasEarlier: boolean; loadEarlier: () => void; busy: boolean }) {
  const [shown, setShown] = useState(PAGE)
  const from = Math.max(0, items.length - shown)
  const visible = from === 0 ? items : items.slice(from)
  return (
    <>
      {from > 0 ? (
        <button type="button" className="earlier" onClick={() => setShown(shown + PAGE)}>
          Show {Math.min(PAGE, from)} earlier of {from}
        </button>
      ) : (
        hasEarlier && (
          <button type="button" className="earlier" disabled={busy} onClick={() => (setShown(shown + 200), loadEarlier())}>
            {busy ? 'Loading…' : 'Load earlier'}
          </button>
        )
      )}
      <Items items={visible} within="" />
    </>
  )
}

/** A scrolling box that stays at its end while what is in it grows, and stays where it is once its reader went up. */
export function useStick(of: string) {
  const box = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const stuck = useRef(true)
  const [away, setAway] = useState(false)
  useLayoutEffect(() => {
    const el = box.current
    const inner = content.current
    if (el === null || inner === null) return
    stuck.current = true
    setAway(false)
    let height = 0
    const end = () => {
      if (inner.offsetHeight === height) return
      height = inner.offsetHeight
      if (stuck.current) el.scrollTop = el.scrollHeight
    }
    const scrolled = () => {
      const distance = el.scrollHeight - el.scrollTop - el.clientHeight
      stuck.current = distance < 60
      setAway(distance > 400)
    }
    const observer = new ResizeObserver(end)
    observer.observe(inner)
    observer.observe(el)
    el.addEventListener('scroll', scrolled, { passive: true })
    el.scrollTop = el.scrollHeight
    return () => {
      observer.disconnect()
      el.removeEventListener('scroll', scrolled)
    }
  }, [of])
  const toEnd = () => {
    stuck.current = true
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }
  return { box, content, away, toEnd }
}
