import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { ask, failure as failureFrom, type Failure } from '../api/client.ts'
import { FLAGS, RUN } from '../api/documents.ts'
import { useLive } from '../api/hooks.ts'
import type { Branch, Path, Plan, Run } from '../api/types.ts'
import type { Pin } from '../state/follow.ts'
import { count } from '../state/words.ts'
import { edgeId } from './layout.ts'
import { NodePanel } from './node.tsx'
import { Empty, Status, Trouble } from './ui.tsx'

const Graph = lazy(() => import('./graph.tsx').then((m) => ({ default: m.Graph })))

/** The run of a conversation: its graph, its tokens, and the node that was chosen. */
export function RunPanel({ id, pin, plan, node, setNode }: { id: string; pin: Pin | null; plan: Plan | null; node: Path | null; setNode: (path: Path | null) => void }) {
  const { data, failure, again } = useLive<{ run: Run }>(RUN, { id })
  const run = data?.run
  const flags = useFlags(id, pin, run)
  const usage = run?.totalUsage
  return (
    <>
      <Trouble of="Run" failure={failure} again={again} />
      <Trouble of="Branches" failure={flags.failure} />
      <div className="run-line">
        {run && <Status of={run.status} />}
        {usage && (
          <dl className="usage" aria-label="Tokens of the run">
            <div>
              <dt>prompt</dt>
              <dd>{count(usage.promptTokens)}</dd>
            </div>
            <div>
              <dt>completion</dt>
              <dd>{count(usage.completionTokens)}</dd>
            </div>
            {usage.reasoningTokens > 0 && (
              <div>
                <dt>reasoning</dt>
                <dd>{count(usage.reasoningTokens)}</dd>
              </div>
            )}
          </dl>
        )}
        {run?.hasEarlier && <span className="tag" title="The run began before the rows that are loaded">partial</span>}
      </div>
      {run && (plan !== null || run.nodes.length > 0) ? (
        <Suspense fallback={<div className="graph" />}>
          <Graph plan={plan} run={run} flags={flags.flags} node={node} setNode={setNode} />
        </Suspense>
      ) : (
        run && <Empty>Nothing has run yet, and no plan is known.</Empty>
      )}
      {node !== null ? <NodePanel key={JSON.stringify(node)} id={id} path={node} pin={pin} plan={plan} close={() => setNode(null)} /> : <Empty>Choose a node to look into it.</Empty>}
    </>
  )
}

/** Which branches were taken and which were passed over, asked again, not more than twice a second, when the run moves. */
function useFlags(id: string, pin: Pin | null, run: Run | undefined) {
  const [state, setState] = useState<{ of: string; flags: ReadonlyMap<string, Branch['flag']>; failure: Failure | undefined }>({ of: id, flags: new Map(), failure: undefined })
  const moved = run === undefined ? '' : JSON.stringify([run.edges.map((e) => [e.from, e.to, e.count]), run.nodes.map((n) => n.status)])
  useEffect(() => {
    if (moved === '' || pin === null) return
    let over = false
    const timer = setTimeout(async () => {
      try {
        const data = await ask<{ conversation: { nodes: { path: Path; branches: Branch[] }[] } }>(FLAGS, { id, pin })
        const flags = new Map<string, Branch['flag']>()
        for (const { path, branches } of data.conversation.nodes) {
          for (const b of branches) flags.set(edgeId({ subgraphPath: path.slice(0, -1), from: path[path.length - 1] ?? '', fromPort: b.port, to: b.to }), b.flag)
        }
        if (!over) setState({ of: id, flags, failure: undefined })
      } catch (thrown) {
        if (!over) setState((had) => ({ ...had, failure: failureFrom(thrown) }))
      }
    }, 500)
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [id, pin, moved])
  return useMemo(() => (state.of === id ? state : { flags: new Map<string, Branch['flag']>(), failure: undefined }), [state, id])
}
