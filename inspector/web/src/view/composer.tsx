import { useRef, useState } from 'react'
import { ask, requestId } from '../api/client.ts'
import { CANCEL, RETRY, SEND } from '../api/documents.ts'
import { useDoing } from '../api/hooks.ts'
import type { Chat } from '../api/types.ts'
import { open } from '../state/route.ts'
import { Trouble } from './ui.tsx'

/** Sends a message; the same request id goes with it until it is through, so that trying again sends it once. */
export function useSend(after: (id: string, fresh: boolean) => void) {
  const doing = useDoing()
  const request = useRef<{ of: string; id: string } | null>(null)
  const send = (agentId: string, content: string, conversationId?: string) =>
    doing.run(async () => {
      const of = JSON.stringify([agentId, content, conversationId])
      if (request.current?.of !== of) request.current = { of, id: requestId() }
      const input = { agentId, content, clientRequestId: request.current.id, ...(conversationId === undefined ? {} : { conversationId }) }
      const data = await ask<{ send: { fresh: boolean; conversation: { id: string } } }>(SEND, { input })
      request.current = null
      after(data.send.conversation.id, data.send.fresh)
    })
  return { ...doing, send }
}

const REST: Record<string, string> = { STREAMING: 'A run is in progress…', AWAITING_CLIENT_TOOL: 'A tool waits for your answer', '': 'One moment…' }

/** The box at the end of a conversation: send, cancel, retry, each when the server says that it can be. */
export function Composer({ id, chat }: { id: string; chat: Chat | undefined }) {
  const [text, setText] = useState('')
  const sending = useSend((to) => {
    setText('')
    if (to !== id) open(to) // the one that was here is over, and another took its place
  })
  const doing = useDoing()
  const agent = chat?.conversation?.agentId
  const canSend = chat?.capabilities.canSend === true && agent !== undefined
  const ended = chat?.status === 'CANCELLED' || chat?.status === 'COMPLETED' || chat?.status === 'FAILED'
  const submit = () => {
    if (canSend && text.trim() !== '') sending.send(agent, text, id)
  }
  return (
    <form
      className="composer"
      aria-label="Send a message"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Trouble of="Not sent" failure={sending.failure} />
      <Trouble of="Not done" failure={doing.failure} />
      {ended && canSend && <p className="card-note">This conversation is over: with your message a new conversation begins.</p>}
      <div className="composer-line">
        <textarea
          rows={1}
          value={text}
          aria-label="Message"
          placeholder={canSend ? `Message ${agent}` : (REST[chat?.status ?? ''] ?? 'Nothing can be sent now')}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault()
              submit()
            }
          }}
        />
        {chat?.canRetry && (
          <button type="button" disabled={doing.busy} onClick={() => doing.run(async () => void (await ask(RETRY, { id })))}>
            Retry
          </button>
        )}
        {chat?.capabilities.canCancel && <Cancel key={chat.status} paused={chat.status === 'PAUSED'} busy={doing.busy} cancel={() => doing.run(async () => void (await ask(CANCEL, { id })))} />}
        <button type="submit" className="primary" disabled={!canSend || sending.busy || text.trim() === ''}>
          {sending.busy ? 'Sending…' : 'Send'}
        </button>
      </div>
    </form>
  )
}

/** Cancels a run at once; of a conversation that rests it asks first, since nothing brings it back. */
function Cancel({ paused, busy, cancel }: { paused: boolean; busy: boolean; cancel: () => void }) {
  const [sure, setSure] = useState(false)
  if (paused && sure) {
    return (
      <>
        <button type="button" className="danger" disabled={busy} autoFocus onClick={cancel}>
          End it for good
        </button>
        <button type="button" onClick={() => setSure(false)}>
          Keep it
        </button>
      </>
    )
  }
  return (
    <button type="button" className="danger" disabled={busy} onClick={paused ? () => setSure(true) : cancel}>
      {paused ? 'End conversation' : 'Cancel run'}
    </button>
  )
}
