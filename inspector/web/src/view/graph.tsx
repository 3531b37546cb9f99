import { Background, BackgroundVariant, BaseEdge, BezierEdge, Controls, type Edge, type EdgeProps, Handle, MarkerType, type Node, type NodeHandle, type NodeProps, Position, ReactFlow, type ReactFlowInstance } from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { createContext, memo, useContext, useEffect, useMemo, useRef, useState } from 'react'
import type { Branch, NodeStatus, Path, Plan, PlanEdge, Run } from '../api/types.ts'
import { samePath } from '../state/follow.ts'
import { word } from '../state/words.ts'
import { bestPicture, edgeId, edgeKey, idOf, type Point } from './layout.ts'
import { tone } from './ui.tsx'

interface NodeData extends Record<string, unknown> {
  path: Path
  name: string
  kind: string
  status: NodeStatus
  visits: number
  group: boolean
  counts: string
  share: string
  selected: boolean
  down: boolean
}
type Shown = Node<NodeData>

const FIT = { padding: 0.08, maxZoom: 1.1, minZoom: 0.15 }

const LookContext = createContext<(path: Path) => void>(() => {})

/** The run as a picture: the plan's nodes with where they stand, and the edges that fired. */
export function Graph({ plan, run, flags, node, setNode }: { plan: Plan | null; run: Run; flags: ReadonlyMap<string, Branch['flag']>; node: Path | null; setNode: (path: Path) => void }) {
  const box = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState<{ width: number; height: number } | null>(null)
  const flow = useRef<ReactFlowInstance<Shown, Edge> | null>(null)
  useEffect(() => {
    if (box.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect
      if (width > 0 && height > 0) setRoom((had) => (had && Math.abs(had.width - width) < 24 && Math.abs(had.height - height) < 24 ? had : { width, height }))
    })
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])

  // Without a plan the picture is of what ran.
  const shape = JSON.stringify(plan === null ? [run.nodes.map((n) => n.path), run.edges.map((e) => [e.subgraphPath, e.from, e.fromPort, e.to])] : [plan.agentId, plan.agentVersion])
  const nodes = useMemo(() => plan?.nodes ?? run.nodes.map((n) => ({ path: n.path, kind: n.kind, name: null, blackBox: false, samples: null, exitPorts: [] })), [shape]) // eslint-disable-line
  const edges = useMemo<readonly PlanEdge[]>(() => plan?.edges ?? run.edges, [shape]) // eslint-disable-line
  const drawn = useMemo(() => (room === null ? null : bestPicture(nodes, edges, room)), [nodes, edges, room])

  useEffect(() => {
    if (drawn !== null) requestAnimationFrame(() => void flow.current?.fitView(FIT))
  }, [drawn])

  const runs = new Map(run.nodes.map((n) => [idOf(n.path), n]))
  const subagents = new Map(run.subagents.map((s) => [idOf(s.path), s]))
  const names = new Map(nodes.map((n) => [idOf(n.path), n]))
  const down = drawn?.direction === 'TB'
  const shown: Shown[] = (drawn?.boxes ?? []).map((b) => {
    const ran = runs.get(b.id)
    const told = names.get(b.id)
    const sub = subagents.get(b.id)
    return {
      id: b.id,
      type: 'run',
      position: { x: b.x, y: b.y },
      ...(b.parent === null ? {} : { parentId: b.parent }),
      width: b.width,
      height: b.height,
      // Told rather than measured, so that lines stand from the first picture and through every change.
      measured: { width: b.width, height: b.height },
      handles: handles(b.width, b.height, down),
      style: { pointerEvents: 'all' }, // it is no more selectable than draggable, but it is a button
      data: {
        path: b.path,
        name: told?.name ?? b.path[b.path.length - 1] ?? '',
        kind: told?.blackBox ? 'black box' : (told?.kind ?? ran?.kind ?? ''),
        status: ran?.status ?? 'IDLE',
        visits: ran?.visitCount ?? 0,
        group: b.group,
        counts: sub === undefined ? '' : [sub.runningCount ? `${sub.runningCount} running` : '', `${sub.doneCount} done`, sub.failedCount ? `${sub.failedCount} failed` : ''].filter(Boolean).join(', '),
        share: sub === undefined ? '' : `${sub.doneCount}/${sub.doneCount + sub.runningCount + sub.failedCount}`,
        selected: node !== null && samePath(node, b.path),
        down,
      },
    }
  })

  const fired = new Map(run.edges.map((e) => [edgeId(e), e.count]))
  const known = new Set((drawn?.boxes ?? []).map((b) => b.id))
  const ports = new Map<string, Set<string>>()
  for (const e of edges) {
    const from = idOf([...e.subgraphPath, e.from])
    ports.set(from, (ports.get(from) ?? new Set()).add(e.fromPort ?? ''))
  }
  const lines: Edge[] = edges.flatMap((e) => {
    const id = edgeId(e)
    const [source, target] = [idOf([...e.subgraphPath, e.from]), idOf([...e.subgraphPath, e.to])]
    if (!known.has(source) || !known.has(target)) return []
    const count = fired.get(id) ?? 0
    const flag = flags.get(id) ?? (count > 0 ? 'TAKEN' : 'PENDING')
    const port = e.fromPort !== null && (ports.get(source)?.size ?? 0) > 1 ? e.fromPort : ''
    const live = count > 0 && runs.get(target)?.status === 'RUNNING'
    return [
      {
        id,
        type: 'run',
        data: { points: drawn?.lines.get(edgeKey(source, target)) },
        source,
        target,
        className: `edge ${flag.toLowerCase()}${live ? ' live' : ''}`,
        label: port,
        markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: flag === 'TAKEN' ? 'var(--edge-taken)' : 'var(--edge)' },
        focusable: false,
        ariaLabel: `from ${e.from} to ${e.to}, ${flag.toLowerCase()}${count > 1 ? `, ${count} times` : ''}`,
        zIndex: 1,
      },
    ]
  })
  return (
    <div className="graph" ref={box} aria-label="The run as a graph" role="group">
      {drawn && (
        <LookContext value={setNode}>
          <ReactFlow<Shown, Edge>
            nodes={shown}
            edges={lines}
            nodeTypes={TYPES}
            edgeTypes={EDGE_TYPES}
            onInit={(instance) => {
              flow.current = instance
              void instance.fitView(FIT)
            }}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            zoomOnDoubleClick={false}
            minZoom={0.15}
            maxZoom={2}
            disableKeyboardA11y
          >
            <Background variant={BackgroundVariant.Dots} gap={18} size={1} />
            <Controls showInteractive={false} />
          </ReactFlow>
        </LookContext>
      )}
    </div>
  )
}

const RunNode = memo(function RunNode({ data }: NodeProps<Shown>) {
  const look = useContext(LookContext)
  const label = `${data.name}, ${data.kind === '' ? 'node' : data.kind}, ${word(data.status)}${data.visits > 1 ? `, ${data.visits} visits` : ''}${data.counts === '' ? '' : `, ${data.counts}`}`
  return (
    <div className={`node ${tone(data.status)}${data.group ? ' group' : ''}${data.selected ? ' chosen' : ''}`} data-node={data.path.join('/')} data-status={data.status}>
      <Handle type="target" position={data.down ? Position.Top : Position.Left} isConnectable={false} />
      <button type="button" className="nodrag" aria-label={label} aria-pressed={data.selected} onClick={() => look(data.path)}>
        <i className="dot" aria-hidden="true" />
        <span className="node-name">{data.name}</span>
        <span className="node-kind">{data.group ? data.share : data.kind}</span>
        {data.visits > 1 && <span className="visits">×{data.visits}</span>}
      </button>
      <Handle type="source" position={data.down ? Position.Bottom : Position.Right} isConnectable={false} />
    </div>
  )
})

const handles = (width: number, height: number, down: boolean): NodeHandle[] => [
  { type: 'target', position: down ? Position.Top : Position.Left, x: down ? width / 2 : 0, y: down ? 0 : height / 2, width: 1, height: 1 },
  { type: 'source', position: down ? Position.Bottom : Position.Right, x: down ? width / 2 : width, y: down ? height : height / 2, width: 1, height: 1 },
]

/** A line by the points that the layout found for it; a line to its own node has none. */
function RunEdge(props: EdgeProps) {
  const points = (props.data?.['points'] ?? []) as readonly Point[]
  const [first, last] = [points[0], points[points.length - 1]]
  if (!first || !last) return <BezierEdge {...props} />
  let path = `M${first.x},${first.y}`
  for (let i = 1; i < points.length - 1; i++) {
    const at = points[i]!
    const [before, after] = [points[i - 1]!, points[i + 1]!].map((p) => {
      const length = Math.hypot(p.x - at.x, p.y - at.y) || 1
      const part = Math.min(22, length / 2) / length // a corner is as round as its sides let it be
      return { x: at.x + (p.x - at.x) * part, y: at.y + (p.y - at.y) * part }
    }) as [Point, Point]
    path += `L${before.x},${before.y}Q${at.x},${at.y} ${after.x},${after.y}`
  }
  path += `L${last.x},${last.y}`
  const middle = points[Math.min(1, points.length - 1)]!
  const { label, markerEnd } = props
  return <BaseEdge path={path} labelX={middle.x} labelY={middle.y} {...(label === undefined ? {} : { label })} {...(markerEnd === undefined ? {} : { markerEnd })} />
}

const EDGE_TYPES = { run: RunEdge }
const TYPES = { run: RunNode }
