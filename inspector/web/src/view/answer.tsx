import { useId, useState } from 'react'
import { ask } from '../api/client.ts'
import { ANSWER } from '../api/documents.ts'
import { useDoing } from '../api/hooks.ts'
import type { PendingTool, Plan } from '../api/types.ts'
import { nodeName } from '../state/follow.ts'
import { pretty } from '../state/words.ts'
import { Status, Trouble } from './ui.tsx'

type Way = 'decide' | 'choose' | 'text' | 'json'
const WAYS: Record<Way, string> = { decide: 'Approve or deny', choose: 'Choose', text: 'Text', json: 'JSON' }

/** A call that waits for a person: what the agent asks, and a form for the answer. */
export function Answer({ id, tool, plan }: { id: string; tool: PendingTool; plan: Plan | null }) {
  const offers = offered(tool.args)
  const ways: Way[] = offers ? ['choose', 'decide', 'text', 'json'] : ['decide', 'text', 'json']
  const [way, setWay] = useState<Way>(ways[0]!)
  const [text, setText] = useState('')
  const [json, setJSON] = useState('{\n  \n}')
  const [choice, setChoice] = useState(0)
  const doing = useDoing()
  const form = useId()
  const schema = plan?.tools.find((t) => t.name === tool.toolName)?.schema
  const sent = tool.delivery !== null && tool.delivery.status !== 'FAILED'

  const submit = (output: unknown) =>
    doing.run(async () => {
      await ask(ANSWER, { input: { conversationId: id, toolCallId: tool.toolCallId, output } })
    })
  const value = way === 'json' ? parse(json) : undefined

  return (
    <section className="answer" aria-label={`${tool.toolName} waits for your answer`} data-tool={tool.toolName}>
      <header>
        <span aria-hidden="true">✋</span>
        <strong>{tool.toolName}</strong>
        {tool.path !== null && <span className="card-note">asked by {nodeName(plan, tool.path)}</span>}
        {tool.delivery !== null && <Status of={tool.delivery.status} quiet />}
      </header>
      <Args args={tool.args} text={tool.argumentsJson} schema={schema} />
      <div className="ways" role="radiogroup" aria-label="Kind of answer">
        {ways.map((one) => (
          <label key={one}>
            <input type="radio" name={`${form}way`} checked={way === one} onChange={() => setWay(one)} />
            {WAYS[one]}
          </label>
        ))}
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (way === 'decide') submit({ approved: true, ...(text.trim() === '' ? {} : { note: text.trim() }) })
          else if (way === 'choose') submit(offers?.items[choice])
          else if (way === 'text') submit(text)
          else if (value?.ok) submit(value.value)
        }}
      >
        {way === 'choose' && offers && (
          <div className="offers" role="radiogroup" aria-label={offers.name}>
            {offers.items.map((item, i) => (
              <label key={i}>
                <input type="radio" name={`${form}offer`} checked={choice === i} onChange={() => setChoice(i)} />
                {described(item)}
              </label>
            ))}
          </div>
        )}
        {(way === 'text' || way === 'decide') && (
          <input type="text" value={text} onChange={(e) => setText(e.target.value)} aria-label={way === 'text' ? 'Your answer' : 'A note, if you like'} placeholder={way === 'text' ? 'Your answer' : 'A note, if you like'} />
        )}
        {way === 'json' && (
          <>
            <textarea rows={4} spellCheck={false} value={json} onChange={(e) => setJSON(e.target.value)} aria-label="Your answer as JSON" aria-invalid={!value?.ok} aria-describedby={`${form}fault`} />
            <small id={`${form}fault`} className="fault">
              {value?.ok ? '' : value?.fault}
            </small>
          </>
        )}
        <div className="buttons">
          <button type="submit" className="primary" disabled={doing.busy || sent || (way === 'json' && !value?.ok) || (way === 'text' && text === '')}>
            {doing.busy ? 'Sending…' : way === 'decide' ? 'Approve' : 'Answer'}
          </button>
          {way === 'decide' && (
            <button type="button" className="danger" disabled={doing.busy || sent} onClick={() => submit({ approved: false, ...(text.trim() === '' ? {} : { note: text.trim() }) })}>
              Deny
            </button>
          )}
        </div>
        {tool.delivery?.status === 'FAILED' && <p className="fault">It did not arrive: {tool.delivery.error ?? 'try again'}</p>}
        <Trouble of="Not answered" failure={doing.failure} />
      </form>
    </section>
  )
}

/** The arguments by name, with what the plan's schema says of each. */
function Args({ args, text, schema }: { args: unknown; text: string; schema: unknown }) {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) {
    return (
      <pre className="code" tabIndex={0} aria-label="arguments">
        <code>{pretty(text)}</code>
      </pre>
    )
  }
  const properties = (schema as { properties?: Record<string, { title?: string; description?: string }> } | null | undefined)?.properties ?? {}
  return (
    <dl className="args">
      {Object.entries(args as Record<string, unknown>).map(([name, value]) => (
        <div key={name}>
          <dt title={properties[name]?.description}>{properties[name]?.title ?? name.replaceAll('_', ' ')}</dt>
          <dd>{Array.isArray(value) ? value.map(described).join(' · ') : described(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The first argument that is a list of things to choose from. */
function offered(args: unknown): { name: string; items: unknown[] } | null {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return null
  for (const [name, value] of Object.entries(args)) {
    if (Array.isArray(value) && value.length > 1 && value.length <= 50) return { name, items: value as unknown[] }
  }
  return null
}

function described(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return JSON.stringify(value)
  return Object.entries(value)
    .map(([name, v]) => `${name.replaceAll('_', ' ')} ${typeof v === 'object' ? JSON.stringify(v) : String(v)}`)
    .join(', ')
}

function parse(text: string): { ok: true; value: unknown } | { ok: false; fault: string } {
  try {
    const value: unknown = JSON.parse(text)
    return value === null ? { ok: false, fault: 'Anything but null.' } : { ok: true, value }
  } catch (thrown) {
    return { ok: false, fault: thrown instanceof Error ? thrown.message : 'Not JSON.' }
  }
}
