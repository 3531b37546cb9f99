import { Graph, layout as dagre } from '@dagrejs/dagre'
import type { Path, PlanEdge, PlanNode } from '../api/types.ts'

// The picture of a plan: each subgraph is laid out apart, from the innermost out, and then counts as one node of the level
// around it.

export interface Box {
  id: string
  parent: string | null
  path: Path
  x: number
  y: number
  width: number
  height: number
  group: boolean
}
export interface Point {
  x: number
  y: number
}
export interface Picture {
  boxes: Box[]
  /** Where the lines run between two boxes, by edgeKey, so that they pass beside the boxes that are not theirs. */
  lines: Map<string, Point[]>
  width: number
  height: number
}
export type Direction = 'LR' | 'TB'

export const HEIGHT = 44
const leafWidth = (name: string): number => Math.min(240, Math.max(100, 54 + 8 * name.length))
const groupWidth = (name: string): number => Math.min(280, Math.max(130, 84 + 8 * name.length))
const HEAD = 34
const PAD = 14

export const idOf = (path: Path): string => JSON.stringify(path)
export const edgeId = (edge: { subgraphPath: Path; from: string; fromPort: string | null; to: string }): string =>
  JSON.stringify([edge.subgraphPath, edge.from, edge.fromPort, edge.to])

export const edgeKey = (from: string, to: string): string => JSON.stringify([from, to])

// Leaves that stand side by side between the same two nodes, put in rows of so many: one box of the layout, whose lines come
// in down the gap before a column and go out down the gap behind it.
const GAP = 30
const ROW = 14
interface Block {
  id: string
  nodes: readonly string[]
  columns: number
  cell: number
  width: number
  height: number
}

function blocks(edges: readonly [string, string][], widths: ReadonlyMap<string, number>, most: number): Block[] {
  const into = new Map<string, Set<string>>()
  const out = new Map<string, Set<string>>()
  for (const [from, to] of edges) {
    into.set(to, (into.get(to) ?? new Set()).add(from))
    out.set(from, (out.get(from) ?? new Set()).add(to))
  }
  const between = new Map<string, string[]>()
  for (const [node, sources] of into) {
    const targets = out.get(node) ?? new Set()
    if (!widths.has(node) || sources.size !== 1 || targets.size > 1 || sources.has(node) || targets.has([...sources][0]!)) continue
    const key = JSON.stringify([[...sources], [...targets]])
    between.set(key, [...(between.get(key) ?? []), node])
  }
  return [...between].flatMap(([id, nodes]) => {
    if (most === 0 || nodes.length <= most) return []
    const rows = Math.ceil(nodes.length / most)
    const columns = Math.ceil(nodes.length / rows)
    const cell = Math.max(...nodes.map((node) => widths.get(node)!))
    return [{ id: `block ${id}`, nodes, columns, cell, width: columns * (cell + GAP) + GAP, height: rows * (HEIGHT + ROW) - ROW }]
  })
}

/** `most`: how many leaves of a fan-out stand in a row, from above to below; 0 puts no limit. */
export function picture(nodes: readonly Pick<PlanNode, 'path' | 'name'>[], edges: readonly PlanEdge[], direction: Direction, most = 0): Picture {
  const levels = new Map<string, Path[]>()
  const known = new Set<string>()
  const add = (path: Path) => {
    const id = idOf(path)
    if (path.length === 0 || known.has(id)) return
    known.add(id)
    add(path.slice(0, -1)) // a subgraph that is told by its nodes alone
    const level = idOf(path.slice(0, -1))
    levels.set(level, [...(levels.get(level) ?? []), path])
  }
  const names = new Map(nodes.map((node) => [idOf(node.path), node.name]))
  for (const node of nodes) add(node.path)
  const edgesOf = new Map<string, PlanEdge[]>()
  for (const edge of edges) {
    const level = idOf(edge.subgraphPath)
    edgesOf.set(level, [...(edgesOf.get(level) ?? []), edge])
  }

  const level = (at: Path): Picture => {
    const graph = new Graph({ multigraph: false })
    graph.setGraph({ rankdir: direction, nodesep: 12, edgesep: 8, ranksep: direction === 'LR' ? 36 : 40, marginx: 0, marginy: 0 })
    graph.setDefaultEdgeLabel(() => ({}))
    const inner = new Map<string, Picture>()
    const paths = levels.get(idOf(at)) ?? []
    for (const path of paths) {
      const id = idOf(path)
      if (levels.has(id)) {
        const inside = level(path)
        inner.set(id, inside)
        graph.setNode(id, { width: Math.max(groupWidth(names.get(id) ?? path[path.length - 1] ?? ''), inside.width + 2 * PAD), height: inside.height + HEAD + PAD })
      } else graph.setNode(id, { width: leafWidth(names.get(id) ?? path[path.length - 1] ?? ''), height: HEIGHT })
    }
    const own = (edgesOf.get(idOf(at)) ?? [])
      .map((edge): [string, string] => [idOf([...at, edge.from]), idOf([...at, edge.to])])
      .filter(([from, to]) => from !== to && graph.hasNode(from) && graph.hasNode(to))
    const leaves = new Map(paths.map(idOf).filter((id) => !inner.has(id)).map((id) => [id, (graph.node(id) as { width: number }).width]))
    const packed = new Map<string, { block: Block; i: number }>()
    for (const block of blocks(own, leaves, most)) {
      graph.setNode(block.id, { width: block.width, height: block.height })
      block.nodes.forEach((id, i) => {
        packed.set(id, { block, i })
        graph.removeNode(id)
      })
    }
    const stands = (id: string) => packed.get(id)?.block.id ?? id
    for (const [from, to] of own) graph.setEdge(stands(from), stands(to))
    dagre(graph)
    for (const [id, { block, i }] of packed) {
      const around = graph.node(block.id) as { x: number; y: number }
      graph.setNode(id, {
        width: block.cell, height: HEIGHT,
        x: around.x - block.width / 2 + GAP + (i % block.columns) * (block.cell + GAP) + block.cell / 2,
        y: around.y - block.height / 2 + Math.floor(i / block.columns) * (HEIGHT + ROW) + HEIGHT / 2,
      })
    }
    const boxes: Box[] = []
    const lines = new Map<string, Point[]>()
    for (const [from, to] of own) {
      const points = [...(graph.edge(stands(from), stands(to)) as { points: Point[] }).points]
      for (const [id, end] of [[from, false], [to, true]] as const) {
        const block = packed.get(id)?.block
        if (block === undefined) continue
        const [around, node] = [graph.node(block.id) as Point, graph.node(id) as Point]
        const half = block.cell / 2
        if (end) points.splice(-1, 1, { x: node.x - half - 12, y: around.y - block.height / 2 - 8 }, { x: node.x - half - 12, y: node.y }, { x: node.x - half, y: node.y })
        else points.splice(0, 1, { x: node.x + half, y: node.y }, { x: node.x + half + 10, y: node.y }, { x: node.x + half + 10, y: around.y + block.height / 2 + 8 })
      }
      lines.set(edgeKey(from, to), points)
    }
    let [width, height] = [0, 0]
    for (const path of paths) {
      const id = idOf(path)
      const at2 = graph.node(id) as { x: number; y: number; width: number; height: number }
      const box: Box = {
        id, path, parent: at.length === 0 ? null : idOf(at), group: inner.has(id),
        x: at2.x - at2.width / 2, y: at2.y - at2.height / 2, width: at2.width, height: at2.height,
      }
      const [left, top] = [box.x + PAD, box.y + HEAD]
      for (const [key, points] of inner.get(id)?.lines ?? []) lines.set(key, points.map(({ x, y }) => ({ x: x + left, y: y + top })))
      if (at.length > 0) {
        box.x += PAD
        box.y += HEAD
      }
      width = Math.max(width, at2.x + at2.width / 2)
      height = Math.max(height, at2.y + at2.height / 2)
      boxes.push(box, ...(inner.get(id)?.boxes ?? []))
    }
    return { boxes, lines, width, height }
  }
  return level([])
}

/** The direction, and the rows of a fan-out, in which the picture is larger in a box of that size. */
export function bestPicture(nodes: readonly Pick<PlanNode, 'path' | 'name'>[], edges: readonly PlanEdge[], room: { width: number; height: number }): Picture & { direction: Direction } {
  const scale = (p: Picture) => Math.min(room.width / Math.max(1, p.width), room.height / Math.max(1, p.height), 1.2)
  let best = { ...picture(nodes, edges, 'LR'), direction: 'LR' as Direction }
  for (const most of [0, 5, 4, 3, 2]) {
    const one = { ...picture(nodes, edges, 'TB', most), direction: 'TB' as Direction }
    if (scale(one) > scale(best)) best = one
  }
  return best
}
