import { memo, type ReactNode } from 'react'
import type { AssistantRow, OutputRow, Path, Row, ToolCallRow, ToolResultRow } from '../api/types.ts'
import { nodeName } from '../state/follow.ts'
import { useRow } from '../state/rows.ts'
import { pretty } from '../state/words.ts'
import { Artifact } from './artifact.tsx'
import { useShown } from './context.ts'
import { Markdown } from './markdown.tsx'
import { Status } from './ui.tsx'

/** One row, with the result of its call where it has one. `within` is the label that stands over it already, "*" when its own does. */
export const RowView = memo(function RowView({ rowKey, resultKey, within }: { rowKey: string; resultKey: string | null; within: string }) {
  const { store } = useShown()
  const row = useRow(store, rowKey)
  if (row === undefined) return null // the feed knows it before its text is here
  return <AnyRow row={row} resultKey={resultKey} within={within} />
})

export function AnyRow({ row, resultKey, within }: { row: Row; resultKey: string | null; within: string }) {
  switch (row.__typename) {
    case 'UserRow':
      return (
        <article className="row user" aria-label="You">
          <div className="bubble text">{row.content}</div>
        </article>
      )
    case 'AssistantRow':
      return <Assistant row={row} within={within} />
    case 'OutputRow':
      return <Output row={row} within={within} />
    case 'ToolCallRow':
      return <Call row={row} resultKey={resultKey} within={within} />
    case 'ToolResultRow':
      return <LoneResult row={row} within={within} />
  }
}

/** Whose row it is; opens the node. */
function By({ path, within, iteration }: { path: Path | null; within: string; iteration?: number | null }) {
  const { plan, look } = useShown()
  if (path === null) return null
  const name = nodeName(plan, path)
  if (within === '*' || name === within) return null
  return (
    <button type="button" className="by" onClick={() => look(path)} title={`Look at ${path.join(' / ')}`}>
      {name}
      {iteration != null && within === '' ? ` · ${iteration}` : ''}
    </button>
  )
}

function Shell({ row, within, kind, children }: { row: Row; within: string; kind: string; children: ReactNode }) {
  const { plan } = useShown()
  const name = row.path === null ? 'Agent' : nodeName(plan, row.path)
  return (
    <article className={`row ${kind}${within === '*' ? ' follows' : ''}`} aria-label={`${name}, ${kind}`} data-path={row.path?.join('/') ?? ''} data-row={row.id ?? ''}>
      <By path={row.path} within={within} iteration={row.iteration} />
      {children}
    </article>
  )
}

function Assistant({ row, within }: { row: AssistantRow; within: string }) {
  const { stopped } = useShown()
  const waiting = !row.complete && row.content === '' && !stopped
  return (
    <Shell row={row} within={within} kind="assistant">
      {row.reasoning !== null && row.reasoning !== '' && (
        <details className="thinking">
          <summary>{waiting ? 'Thinking…' : 'Thought'}</summary>
          <p className="text">{row.reasoning}</p>
        </details>
      )}
      {waiting ? (
        <span className="typing" role="img" aria-label="is typing">
          <i />
          <i />
          <i />
        </span>
      ) : (
        <div className={row.complete || stopped ? 'said' : 'said saying'}>
          <Markdown text={row.content} />
        </div>
      )}
    </Shell>
  )
}

function Output({ row, within }: { row: OutputRow; within: string }) {
  const { stopped } = useShown()
  return (
    <Shell row={row} within={within} kind="output">
      <div className="artifact">
        <header>
          <strong title={row.name}>{row.name}</strong>
          {row.format !== null && <span className="tag">{row.format.toLowerCase()}</span>}
          <Status of={stopped && row.status === 'BUILDING' ? 'STOPPED' : row.status} quiet />
        </header>
        <div className="artifact-body">
          <Artifact name={row.name} value={row.value} format={row.format} complete={row.complete} />
        </div>
        <Faults of={row.schemaErrors} />
      </div>
    </Shell>
  )
}

/** Where a value is not what its schema asks. */
export function Faults({ of }: { of: readonly string[] | null }) {
  if (of === null || of.length === 0) return null
  return (
    <ul className="faults" aria-label="Not what its schema asks">
      {of.map((fault, i) => (
        <li key={i}>{fault}</li>
      ))}
    </ul>
  )
}

function Call({ row, resultKey, within }: { row: ToolCallRow; resultKey: string | null; within: string }) {
  const { store, pending, stopped } = useShown()
  const result = useRow(store, resultKey ?? '')
  const waits = pending.has(row.toolCallId)
  const answered = result?.__typename === 'ToolResultRow'
  return (
    <Shell row={row} within={within} kind="call">
      <details className={`tool${waits ? ' waits' : ''}`}>
        <summary>
          <span className="tool-icon" aria-hidden="true">
            {waits ? '✋' : '⚙'}
          </span>
          <strong>{row.toolName}</strong>
          <span className="tool-args">{short(row.input)}</span>
          <Status of={waits ? 'AWAITING_CLIENT_TOOL' : answered ? 'DONE' : stopped ? 'STOPPED' : 'RUNNING'} quiet />
        </summary>
        <h4>Arguments</h4>
        <pre className="code" tabIndex={0} aria-label={`arguments of ${row.toolName}`}>
          <code>{pretty(row.input)}</code>
        </pre>
        {answered && (
          <>
            <h4>Result</h4>
            <Said output={(result as ToolResultRow).output} name={row.toolName} />
          </>
        )}
      </details>
    </Shell>
  )
}

function LoneResult({ row, within }: { row: ToolResultRow; within: string }) {
  const { store } = useShown()
  const call = store.call(row.toolCallId)
  const name = call?.__typename === 'ToolCallRow' ? call.toolName : 'a tool'
  return (
    <Shell row={row} within={within} kind="result">
      <details className="tool">
        <summary>
          <span className="tool-icon" aria-hidden="true">
            ↳
          </span>
          <strong>Result of {name}</strong>
          <span className="tool-args">{short(row.output)}</span>
        </summary>
        <Said output={row.output} name={name} />
      </details>
    </Shell>
  )
}

const Said = ({ output, name }: { output: string; name: string }) => (
  <pre className="code" tabIndex={0} aria-label={`result of ${name}`}>
    <code>{output === '' ? '(not told)' : pretty(output)}</code>
  </pre>
)

const short = (text: string) => (text === '{}' ? '' : text.slice(0, 160))
