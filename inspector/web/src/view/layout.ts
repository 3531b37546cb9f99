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
export interface Picture {
  boxes: Box[]
  width: number
  height: number
}
export type Direction = 'LR' | 'TB'

export const HEIGHT = 44
const leafWidth = (name: string): number => Math.min(180, Math.max(88, 54 + 8 * name.length))
const MIN_GROUP = 130
const HEAD = 34
const PAD = 14

export const idOf = (path: Path): string => JSON.stringify(path)
export const edgeId = (edge: { subgraphPath: Path; from: string; fromPort: string | null; to: string }): string =>
  JSON.stringify([edge.subgraphPath, edge.from, edge.fromPort, edge.to])

export function picture(nodes: readonly Pick<PlanNode, 'path' | 'name'>[], edges: readonly PlanEdge[], direction: Direction): Picture {
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
    graph.setGraph({ rankdir: direction, nodesep: 12, ranksep: direction === 'LR' ? 36 : 40, marginx: 0, marginy: 0 })
    graph.setDefaultEdgeLabel(() => ({}))
    const inner = new Map<string, Picture>()
    const paths = levels.get(idOf(at)) ?? []
    for (const path of paths) {
      const id = idOf(path)
      if (levels.has(id)) {
        const inside = level(path)
        inner.set(id, inside)
        graph.setNode(id, { width: Math.max(MIN_GROUP, inside.width + 2 * PAD), height: inside.height + HEAD + PAD })
      } else graph.setNode(id, { width: leafWidth(names.get(id) ?? path[path.length - 1] ?? ''), height: HEIGHT })
    }
    for (const edge of edgesOf.get(idOf(at)) ?? []) {
      const [from, to] = [idOf([...at, edge.from]), idOf([...at, edge.to])]
      if (from !== to && graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to)
    }
    dagre(graph)
    const boxes: Box[] = []
    let [width, height] = [0, 0]
    for (const path of paths) {
      const id = idOf(path)
      const at2 = graph.node(id) as { x: number; y: number; width: number; height: number }
      const box: Box = {
        id, path, parent: at.length === 0 ? null : idOf(at), group: inner.has(id),
        x: at2.x - at2.width / 2, y: at2.y - at2.height / 2, width: at2.width, height: at2.height,
      }
      if (at.length > 0) {
        box.x += PAD
        box.y += HEAD
      }
      width = Math.max(width, at2.x + at2.width / 2)
      height = Math.max(height, at2.y + at2.height / 2)
      boxes.push(box, ...(inner.get(id)?.boxes ?? []))
    }
    return { boxes, width, height }
  }
  return level([])
}

/** The direction in which the picture is larger in a box of that size. */
export function bestPicture(nodes: readonly Pick<PlanNode, 'path' | 'name'>[], edges: readonly PlanEdge[], room: { width: number; height: number }): Picture & { direction: Direction } {
  const scale = (p: Picture) => Math.min(room.width / Math.max(1, p.width), room.height / Math.max(1, p.height), 1.2)
  const [across, down] = [picture(nodes, edges, 'LR'), picture(nodes, edges, 'TB')]
  return scale(down) > scale(across) ? { ...down, direction: 'TB' } : { ...across, direction: 'LR' }
}
