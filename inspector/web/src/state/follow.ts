import { useEffect, useMemo, useRef } from 'react'
import { useLive, useQuery } from '../api/hooks.ts'
import { FEED, PLAN } from '../api/documents.ts'
import type { Chat, Feed, Path, Plan } from '../api/types.ts'
import { RowsStore } from './rows.ts'
import { type Item, tree } from './tree.ts'

export type Pin = { agentId: string; agentVersion: number }

/** The store of a conversation's rows, or of one node's, followed for as long as the component stands. */
export function useRows(id: string, path: Path | null = null, subtree = false): RowsStore {
  const at = path === null ? null : JSON.stringify(path)
  const store = useMemo(() => new RowsStore(id, at === null ? null : (JSON.parse(at) as Path), subtree), [id, at, subtree])
  useEffect(() => store.follow(), [store])
  return store
}

/** What to pin the feed to: the agent that the conversation ran. */
export function usePin(chat: Chat | undefined): Pin | null {
  const agent = chat?.conversation?.agentId
  const version = chat?.conversation?.agentVersion
  return useMemo(() => (agent === undefined || version === undefined ? null : { agentId: agent, agentVersion: version }), [agent, version])
}

export interface FeedTree {
  feed: Feed | undefined
  items: readonly Item[]
  failure: ReturnType<typeof useLive>['failure']
  again: () => void
}

/** The feed's cards. Until the platform has said which agent it is there is nothing to pin, and no feed. */
export function useFeed(id: string, pin: Pin | null): FeedTree {
  const { data, failure, again } = useLive<{ feed: Feed }>(pin === null ? null : FEED, { id, pin })
  const before = useRef<{ id: string; items: readonly Item[] }>({ id, items: [] })
  const items = useMemo(() => {
    const had = before.current.id === id ? before.current.items : []
    const now = data === undefined ? had : tree(data.feed.entries, had)
    before.current = { id, items: now }
    return now
  }, [data, id])
  return { feed: data?.feed, items, failure, again }
}

/** The agent's plan, null where the server knows none. */
export function usePlan(pin: Pin | null) {
  const { data, failure, again } = useQuery<{ agentPlan: Plan | null }>(pin === null ? null : PLAN, {
    agent: pin?.agentId,
    version: pin?.agentVersion,
  })
  const plan = data?.agentPlan
  const fits = plan != null && plan.agentId === pin?.agentId && plan.agentVersion === pin.agentVersion
  return { plan: fits ? plan : null, failure, again }
}

/** The plan's name of a node, or the last word of its path. */
export function nodeName(plan: Plan | null, path: Path): string {
  const found = plan?.nodes.find((node) => samePath(node.path, path))
  return found?.name ?? path[path.length - 1] ?? ''
}

export const samePath = (a: Path, b: Path): boolean => a.length === b.length && a.every((segment, i) => segment === b[i])
