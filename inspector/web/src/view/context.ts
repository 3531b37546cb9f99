import { createContext, useContext } from 'react'
import type { PendingTool, Plan } from '../api/types.ts'
import type { Pin } from '../state/follow.ts'
import type { RowsStore } from '../state/rows.ts'

/** What every card of one conversation needs, and what seldom changes. */
export interface Shown {
  id: string
  pin: Pin | null
  store: RowsStore
  plan: Plan | null
  /** The run was cancelled or failed: what was in the making stays as it is. */
  stopped: boolean
  pending: ReadonlyMap<string, PendingTool>
  /** Opens a node beside the feed. */
  look: (path: readonly string[]) => void
}

export const ShownContext = createContext<Shown | null>(null)

export function useShown(): Shown {
  const shown = useContext(ShownContext)
  if (shown === null) throw new Error('rendered outside a conversation')
  return shown
}
