import type { ReactNode } from 'react'
import type { Failure } from '../api/client.ts'
import { word } from '../state/words.ts'

/** An error where it happened, with what can be done about it. */
export function Trouble({ of, failure, again }: { of: string; failure: Failure | undefined; again?: (() => void) | undefined }) {
  if (failure === undefined) return null
  return (
    <div className="trouble" role="alert">
      <span>
        <strong>{of}:</strong> {failure.message} <code>{failure.code}</code>
      </span>
      {again && (
        <button type="button" className="quiet" onClick={again}>
          Try again
        </button>
      )}
    </div>
  )
}

const TONE: Record<string, string> = {
  RUNNING: 'run', STREAMING: 'run', BUILDING: 'run', SUBMITTING: 'run', COMPLETED: 'ok', DONE: 'ok', FINAL: 'ok', SUBMITTED: 'ok',
  FAILED: 'bad', CANCELLED: 'off', AWAITING_CLIENT_TOOL: 'wait', PENDING: 'wait',
}
export const tone = (status: string | null | undefined): string => TONE[status ?? ''] ?? 'off'

/** A status in words and in colour. */
export function Status({ of, quiet }: { of: string | null; quiet?: boolean }) {
  return (
    <span className={`status ${tone(of)}${quiet ? ' bare' : ''}`} data-status={of ?? ''}>
      <i aria-hidden="true" />
      {word(of)}
    </span>
  )
}

export function Panel({ title, actions, children, label }: { title: string; actions?: ReactNode; children: ReactNode; label?: string }) {
  return (
    <section className="panel" aria-label={label ?? title}>
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}

export const Empty = ({ children }: { children: ReactNode }) => <p className="empty">{children}</p>

/** A link that leaves the page. */
export const Out = ({ href, children }: { href: string; children: ReactNode }) => (
  <a href={href} target="_blank" rel="noopener noreferrer">
    {children} <span aria-hidden="true">↗</span>
    <span className="sr"> (opens another page)</span>
  </a>
)
