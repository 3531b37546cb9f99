import { useEffect, useMemo, useState } from 'react'
import { ask } from '../api/client.ts'
import { CHAT, EARLIER, PENDING } from '../api/documents.ts'
import { useDoing, useLive } from '../api/hooks.ts'
import type { Chat, Path, PendingTool } from '../api/types.ts'
import { useFeed, usePin, usePlan, useRows } from '../state/follow.ts'
import { useRowsStatus } from '../state/rows.ts'
import { Answer } from './answer.tsx'
import { AtWork } from './at_work.tsx'
import { Composer } from './composer.tsx'
import { type Shown, ShownContext } from './context.ts'
import { Feed, FlatRows, useStick } from './feed.tsx'
import { OutputsPanel } from './outputs.tsx'
import { RunPanel } from './run.tsx'
import { Empty, Status, Trouble } from './ui.tsx'

export type Pane = 'feed' | 'run' | 'outputs'

const NONE: readonly PendingTool[] = []

/** One conversation: its feed, what waits for a person, the box to send, and beside them the run and its outputs. */
export function ConversationView({ id, pane, setPane, title }: { id: string; pane: Pane; setPane: (pane: Pane) => void; title: string | null }) {
  const store = useRows(id)
  const rows = useRowsStatus(store)
  const chat = useLive<{ chat: Chat }>(CHAT, { id })
  const waiting = useLive<{ pendingTools: PendingTool[] }>(PENDING, { id })
  const pin = usePin(chat.data?.chat)
  const plan = usePlan(pin)
  const feed = useFeed(id, pin)
  const earlier = useDoing()
  const [node, setNode] = useState<Path | null>(null)
  const stick = useStick(id)
  useEffect(() => setNode(null), [id])

  const tools = waiting.data?.pendingTools ?? NONE
  const stopped = chat.data?.chat.status === 'CANCELLED' || chat.data?.chat.status === 'FAILED'
  const shown = useMemo<Shown>(
    () => ({
      id,
      pin,
      store,
      plan: plan.plan,
      stopped,
      pending: new Map(tools.map((tool) => [tool.toolCallId, tool])),
      look: (path) => {
        setNode(path)
        setPane('run')
      },
    }),
    [id, pin, store, plan.plan, tools, setPane, stopped],
  )
  const told = chat.data?.chat
  const nowhere = told === undefined ? [chat.failure, rows.failure, waiting.failure].find((f) => f?.code === 'NOT_FOUND') : undefined
  const everything = () => {
    chat.again()
    store.again()
    waiting.again()
  }
  if (nowhere !== undefined) {
    return (
      <main className="conversation nowhere" aria-label="Conversation">
        <header className="bar">
          <h1 title={id}>{id}</h1>
        </header>
        <div className="feed">
          <Trouble of="Conversation" failure={nowhere} again={everything} />
        </div>
      </main>
    )
  }
  const flat = told !== undefined && pin === null // the platform has not said which agent it is, so that there is no plan to go by
  return (
    <ShownContext value={shown}>
      <main className="conversation" aria-label="Conversation" data-pane={pane}>
        <header className="bar">
          <div>
            <h1 title={id}>{title ?? id}</h1>
            <p>
              {told?.conversation ? `${plan.plan?.name ?? told.conversation.agentId} · version ${told.conversation.agentVersion}` : '\u00a0'}
              {feed.feed?.mode === 'FLAT_GUARDED' && <span className="tag">flat: {feed.feed.reason}</span>}
            </p>
          </div>
          {told && <Status of={told.status} />}
        </header>
        <div className="scroll" ref={stick.box} tabIndex={0} role="region" aria-label="Feed">
          <div className="feed" ref={stick.content}>
            <Trouble of="Conversation" failure={chat.failure} again={chat.again} />
            <Trouble of="Feed" failure={feed.failure} again={feed.again} />
            <Trouble of="Rows" failure={rows.failure} again={store.again} />
            <Trouble of="Plan" failure={plan.failure} again={plan.again} />
            <Trouble of="Not loaded" failure={earlier.failure} />
            {feed.feed !== undefined && (
              <Feed
                items={feed.items}
                hasEarlier={feed.feed.hasEarlier}
                busy={earlier.busy}
                loadEarlier={() => earlier.run(async () => void (await ask(EARLIER, { id })))}
              />
            )}
            {flat && <FlatRows />}
            {told === undefined && chat.failure === undefined && <Empty>One moment…</Empty>}
            {rows.begun && rows.keys.length === 0 && <Empty>Nothing has been said yet.</Empty>}
            {told?.error && (
              <div className="trouble" role="status">
                <span>
                  <strong>The run failed ({told.error.kind.toLowerCase()}):</strong> {told.error.message}
                </span>
              </div>
            )}
          </div>
        </div>
        <div className="floats">
          <AtWork items={feed.items} box={stick.box} />
          {stick.away && (
            <button type="button" className="to-end" onClick={stick.toEnd}>
              ↓ Newest
            </button>
          )}
        </div>
        <footer className="dock">
          <Trouble of="Pending tools" failure={waiting.failure} again={waiting.again} />
          {tools.length > 0 && (
            <div className="answers">
              {tools.map((tool) => (
                <Answer key={tool.toolCallId} id={id} tool={tool} plan={plan.plan} />
              ))}
            </div>
          )}
          <Composer id={id} chat={told} />
        </footer>
        <div className="sr" role="status">
          {tools.length > 0 ? `${tools.length} ${tools.length === 1 ? 'tool waits' : 'tools wait'} for you` : ''}
        </div>
      </main>
      <aside className="side" aria-label="Run and outputs" data-pane={pane}>
        <div className="tabs" role="tablist" aria-label="Beside the feed">
          {(['run', 'outputs'] as const).map((one) => (
            <button key={one} type="button" role="tab" id={`tab-${one}`} aria-controls={`panel-${one}`} aria-selected={(pane === 'outputs') === (one === 'outputs')} onClick={() => setPane(one)}>
              {one === 'run' ? 'Run' : 'Outputs'}
            </button>
          ))}
        </div>
        {pane === 'outputs' ? (
          <div role="tabpanel" id="panel-outputs" aria-labelledby="tab-outputs" className="tabpanel">
            <OutputsPanel id={id} plan={plan.plan} />
          </div>
        ) : (
          <div role="tabpanel" id="panel-run" aria-labelledby="tab-run" className="tabpanel">
            <RunPanel id={id} pin={pin} plan={plan.plan} node={node} setNode={setNode} />
          </div>
        )}
      </aside>
    </ShownContext>
  )
}
