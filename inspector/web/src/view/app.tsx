import { useCallback, useEffect, useState } from 'react'
import { CONVERSATIONS } from '../api/documents.ts'
import { useQuery } from '../api/hooks.ts'
import { locked } from '../api/session.ts'
import { open, route as routeValue } from '../state/route.ts'
import { useValue } from '../state/value.ts'
import { BillingView } from './billing.tsx'
import { ConversationView, type Pane } from './conversation.tsx'
import { type Listed, LinkPill, Sidebar } from './sidebar.tsx'
import { TokenDialog } from './token.tsx'

const PAGE = 50

export function App() {
  const route = useValue(routeValue)
  const reason = useValue(locked)
  const [status, setStatus] = useState('')
  const [limit, setLimit] = useState(PAGE)
  const [view, setView] = useState<Pane | 'list'>('list')
  const [asking, setAsking] = useState(false)
  const listed = useQuery<Listed>(CONVERSATIONS, { limit, status: status === '' ? null : status }, 4_000)
  const setPane = useCallback((pane: Pane) => setView(pane), [])

  const id = route.page === 'conversation' ? route.id : null
  useEffect(() => {
    setView(route.page === 'home' ? 'list' : 'feed')
  }, [route])
  // On a wide screen there is room for a conversation from the start: the one that moved last, where it is running.
  const items = listed.data?.conversations.items
  const first = (items?.find((c) => c.status === 'RUNNING') ?? items?.[0])?.conversationId
  useEffect(() => {
    if (route.page === 'home' && first !== undefined && matchMedia('(min-width: 760px)').matches) open(first)
  }, [route.page, first])

  // One that was begun just now is not in the list that was read before.
  const { again } = listed
  const known = items === undefined || id === null || items.some((c) => c.conversationId === id)
  useEffect(() => {
    if (!known) again()
  }, [id, known, again])

  const title = items?.find((c) => c.conversationId === id)?.title ?? null
  useEffect(() => {
    document.title = route.page === 'billing' ? 'Billing · Inlay GraphQL' : id === null ? 'Inlay GraphQL' : `${title ?? id} · Inlay GraphQL`
  }, [route.page, id, title])

  return (
    <div className="app" data-view={view} data-page={route.page}>
      <a className="skip" href={location.hash || '#/'} onClick={(event) => (event.preventDefault(), document.querySelector<HTMLElement>('main [tabindex="0"]')?.focus())}>
        Skip to the conversation
      </a>
      <Sidebar route={route} listed={listed} status={status} setStatus={setStatus} more={() => setLimit(limit + PAGE)} changeToken={() => setAsking(true)} />
      {route.page === 'billing' && <BillingView />}
      {id !== null && <ConversationView key={id} id={id} title={title} pane={view === 'list' ? 'feed' : view} setPane={setPane} />}
      {route.page === 'home' && (
        <main className="home" aria-label="Start">
          <p>Choose a conversation, or begin one.</p>
        </main>
      )}
      <div className="phone-bar" role="toolbar" aria-label="Views">
        <button type="button" aria-pressed={view === 'list'} onClick={() => setView('list')}>
          Chats
        </button>
        {(['feed', 'run', 'outputs'] as const).map((one) => (
          <button key={one} type="button" disabled={id === null && !(route.page === 'billing' && one === 'feed')} aria-pressed={view === one} onClick={() => setView(one)}>
            {one === 'feed' ? (route.page === 'billing' ? 'Billing' : 'Feed') : one === 'run' ? 'Run' : 'Outputs'}
          </button>
        ))}
        <LinkPill />
      </div>
      {(reason !== null || asking) && <TokenDialog reason={reason} close={() => setAsking(false)} />}
    </div>
  )
}
