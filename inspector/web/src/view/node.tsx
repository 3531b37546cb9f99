import { NODE, SUBAGENT } from '../api/documents.ts'
import { useLive } from '../api/hooks.ts'
import type { NodeView, Path, Plan, SubagentView } from '../api/types.ts'
import { type Pin, samePath, useRows } from '../state/follow.ts'
import { type RowsStore, useRow, useRowsStatus } from '../state/rows.ts'
import { clock, count, duration } from '../state/words.ts'
import { Artifact } from './artifact.tsx'
import { Latest } from './feed.tsx'
import { AnyRow } from './rows.tsx'
import { Empty, Status, Trouble } from './ui.tsx'

/** One node of the plan: where it stands, where it went on to, and its rows. */
export function NodePanel({ id, path, pin, plan, close }: { id: string; path: Path; pin: Pin | null; plan: Plan | null; close: () => void }) {
  const live = useLive<{ node: NodeView }>(NODE, { id, path, pin })
  const told = plan?.nodes.find((n) => samePath(n.path, path))
  const group = plan?.nodes.some((n) => n.path.length > path.length && samePath(n.path.slice(0, path.length), path)) === true || told?.kind === 'subgraph'
  const view = live.data?.node
  return (
    <section className="node-panel" aria-label={`Node ${path.join(' / ')}`} data-node-panel={path.join('/')}>
      <header>
        <div>
          <h2>{view?.name ?? told?.name ?? path[path.length - 1]}</h2>
          <p className="path">{path.join(' / ')}</p>
        </div>
        {view && <Status of={view.status} />}
        <button type="button" className="quiet icon" aria-label="Close the node" onClick={close}>
          ✕
        </button>
      </header>
      <Trouble of="Node" failure={live.failure} again={live.again} />
      {view && <Facts view={view} />}
      {group ? <Inside id={id} path={path} pin={pin} /> : <NodeRows id={id} path={path} />}
    </section>
  )
}

function Facts({ view }: { view: NodeView }) {
  const facts: [string, string][] = [
    ['kind', view.kind ?? 'unknown'],
    ['visits', `${view.visitCount}${view.hasEarlier ? ' or more' : ''}`],
  ]
  if (view.startedAt !== null) facts.push(['started', clock(view.startedAt)])
  const took = duration(view.startedAt, view.finishedAt)
  if (took !== '') facts.push(['took', took])
  if (view.exitedVia !== null) facts.push(['left by', view.exitedVia])
  if (view.usage !== null) facts.push(['tokens', `${count(view.usage.promptTokens)} in, ${count(view.usage.completionTokens)} out`])
  return (
    <>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {view.error !== null && (
        <div className="trouble">
          <span>
            <strong>{view.error.kind.toLowerCase()}:</strong> {view.error.message}
          </span>
        </div>
      )}
      {view.branches.length > 0 && (
        <ul className="branches" aria-label="Branches">
          {view.branches.map((b, i) => (
            <li key={i} className={b.flag.toLowerCase()}>
              {b.port !== null && <span className="tag">{b.port}</span>} → {b.to} <small>{b.flag.toLowerCase()}</small>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** A leaf's rows, by the same operations as the feed's. */
function NodeRows({ id, path }: { id: string; path: Path }) {
  const store = useRows(id, path)
  const { keys, failure, begun } = useRowsStatus(store)
  return (
    <div className="node-rows">
      <Trouble of="Rows" failure={failure} again={store.again} />
      <Latest of={keys}>{(shown) => shown.map((key) => <NodeRow key={key} store={store} rowKey={key} />)}</Latest>
      {begun && keys.length === 0 && <Empty>It has said nothing.</Empty>}
    </div>
  )
}

function NodeRow({ store, rowKey }: { store: RowsStore; rowKey: string }) {
  const row = useRow(store, rowKey)
  if (row === undefined) return null
  return <AnyRow row={row} resultKey={null} within="*" />
}

/** What a subgraph lets be seen: how far it is, and what it published. */
function Inside({ id, path, pin }: { id: string; path: Path; pin: Pin | null }) {
  const { data, failure, again } = useLive<{ subagent: SubagentView }>(SUBAGENT, { id, path, pin })
  const view = data?.subagent
  return (
    <div className="node-rows">
      <Trouble of="Subagent" failure={failure} again={again} />
      {view?.__typename === 'BlackBoxSubagentView' && <Empty>A black box: nothing is told of what goes on inside.</Empty>}
      {view?.__typename === 'OpenSubagentView' && (
        <>
          <p className="card-note">
            {view.runningCount} running, {view.doneCount} done, {view.failedCount} failed
          </p>
          {(view.outputs ?? []).map((b) => (
            <div className="artifact" key={b.name}>
              <header>
                <strong>{b.name}</strong>
                <Status of={b.status} quiet />
              </header>
              <div className="artifact-body">
                <Artifact name={b.name} value={b.value} format={b.format} complete={b.status === 'FINAL'} />
              </div>
            </div>
          ))}
        </>
      )}
    </div>
  )
}
