import { useEffect, useMemo, useState } from 'react'
import { link, reconnectNow } from '../api/client.ts'
import { hasToken } from '../api/session.ts'
import type { Asked } from '../api/hooks.ts'
import type { Summary } from '../api/types.ts'
import { conversationHref, open, type Route } from '../state/route.ts'
import { useValue } from '../state/value.ts'
import { ago, word } from '../state/words.ts'
import { useSend } from './composer.tsx'
import { Empty, tone, Trouble } from './ui.tsx'

export type Listed = { conversations: { hasMore: boolean; items: Summary[] } }

const STATUSES = ['RUNNING', 'AWAITING_CLIENT_TOOL', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED']

/** The list of conversations, the box for a new one, and where the connection stands. */
export function Sidebar({ route, listed, status, setStatus, more, changeToken }: { route: Route; listed: Asked<Listed>; status: string; setStatus: (status: string) => void; more: () => void; changeToken: () => void }) {
  const [search, setSearch] = useState('')
  const [creating, setCreating] = useState(false)
  const now = useNow()
  const token = useValue(hasToken)
  const all = listed.data?.conversations.items ?? []
  const wanted = search.trim().toLowerCase()
  const items = all.filter((c) => wanted === '' || `${c.title ?? ''} ${c.conversationId} ${c.agentId ?? ''}`.toLowerCase().includes(wanted))
  return (
    <nav className="sidebar" aria-label="Conversations">
      <header className="brand">
        <a href="#/" className="logo" aria-label="Inlay GraphQL, start">
          <img src="./icon.svg" alt="" width="28" height="28" />
          <span>Inlay</span>
        </a>
        <LinkPill />
      </header>
      <button type="button" className="primary new" aria-expanded={creating} onClick={() => setCreating(!creating)}>
        New conversation
      </button>
      {creating && <NewConversation all={all} done={() => setCreating(false)} />}
      <div className="filters">
        <input type="search" placeholder="Search" aria-label="Search conversations" value={search} onChange={(e) => setSearch(e.target.value)} />
        <select aria-label="Status" value={status} onChange={(e) => setStatus(e.target.value)}>
          <option value="">All</option>
          {STATUSES.map((s) => (
            <option key={s} value={s}>
              {word(s)}
            </option>
          ))}
        </select>
      </div>
      <Trouble of="List" failure={listed.failure} again={listed.again} />
      <ul className="conversations">
        {items.map((c) => (
          <li key={c.conversationId}>
            <a href={conversationHref(c.conversationId)} aria-current={route.page === 'conversation' && route.id === c.conversationId ? 'page' : undefined}>
              <i className={`dot ${tone(c.status)}`} aria-hidden="true" />
              <span className="c-title">{c.title ?? c.conversationId}</span>
              <span className="c-note">
                {c.agentId ?? ''} · {word(c.status)}
              </span>
              <time dateTime={c.updatedAt ?? ''}>{ago(c.updatedAt, now)}</time>
            </a>
          </li>
        ))}
        {listed.data && items.length === 0 && <Empty>{all.length === 0 ? 'No conversations.' : 'None of these.'}</Empty>}
        {listed.data?.conversations.hasMore && (
          <li>
            <button type="button" className="quiet" onClick={more}>
              Show more
            </button>
          </li>
        )}
      </ul>
      <footer>
        <a href="#/billing" aria-current={route.page === 'billing' ? 'page' : undefined}>
          Billing
        </a>
        <button type="button" className="quiet" onClick={changeToken}>
          {token ? 'Change token' : 'Give a token'}
        </button>
      </footer>
    </nav>
  )
}

const LINK_WORDS = { connecting: 'connecting', live: 'live', reconnecting: 'reconnecting', offline: 'offline', locked: 'needs a token' }

/** Where the connection stands, in sight all the time. */
export function LinkPill() {
  const state = useValue(link)
  return (
    <span className={`pill ${state}`} role="status" data-link={state}>
      <i aria-hidden="true" />
      {LINK_WORDS[state]}
      {(state === 'reconnecting' || state === 'offline') && (
        <button type="button" onClick={reconnectNow} aria-label="Connect now">
          ↻
        </button>
      )}
    </span>
  )
}

function NewConversation({ all, done }: { all: readonly Summary[]; done: () => void }) {
  const agents = useMemo(() => [...new Set(all.map((c) => c.agentId).filter((a): a is string => a !== null))].sort(), [all])
  const [agent, setAgent] = useState(agents[0] ?? '')
  const [text, setText] = useState('')
  const sending = useSend((id) => {
    done()
    open(id)
  })
  return (
    <form
      className="create"
      aria-label="New conversation"
      onSubmit={(event) => {
        event.preventDefault()
        sending.send(agent.trim(), text)
      }}
    >
      <label>
        Agent
        <input list="agents" required value={agent} onChange={(e) => setAgent(e.target.value)} onFocus={(e) => e.target.select()} />
      </label>
      <datalist id="agents">
        {agents.map((a) => (
          <option key={a} value={a} />
        ))}
      </datalist>
      <label>
        Message
        <textarea rows={3} required value={text} autoFocus onChange={(e) => setText(e.target.value)} />
      </label>
      {agents.length > 1 && (
        <div className="known" role="group" aria-label="Those that are known">
          {agents.map((a) => (
            <button key={a} type="button" aria-pressed={a === agent} onClick={() => setAgent(a)}>
              {a}
            </button>
          ))}
        </div>
      )}
      {all.some((c) => c.conversationId === 'demo-chat') && (
        <p className="card-note">In the demo a word picks the scene: book a concert, trip to Lisbon, ship and fail, vote, recipe, news.</p>
      )}
      <Trouble of="Not begun" failure={sending.failure} />
      <div className="buttons">
        <button type="submit" className="primary" disabled={sending.busy || text.trim() === '' || agent.trim() === ''}>
          {sending.busy ? 'Beginning…' : 'Begin'}
        </button>
        <button type="button" className="quiet" onClick={done}>
          Close
        </button>
      </div>
    </form>
  )
}

function useNow(): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
