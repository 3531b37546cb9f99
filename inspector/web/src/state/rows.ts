import { applyRowChanges, noRows, type RowChanges, type Rows } from 'inlaygraph-rows'
import { useSyncExternalStore } from 'react'
import { client, type Failure, failure, failureOf } from '../api/client.ts'
import { ROW_CHANGES } from '../api/documents.ts'
import type { Path, Row } from '../api/types.ts'
import { beforeFrame, dropFrame } from './frame.ts'
import { namer } from './names.ts'

/**
 * The rows of a conversation, or of one node of it, by rowChanges. Components follow single rows by key, so that a token
 * renders the row that it belongs to and no other.
 */
export class RowsStore {
  private held: Rows<Row> = noRows
  private shown: readonly Row[] = []
  private keys: readonly string[] = []
  private byKey = new Map<string, Row>()
  private calls = new Map<string, Row>()
  private readonly listeners = new Set<() => void>()
  private readonly rowListeners = new Map<string, Set<() => void>>()
  private failed: Failure | undefined
  private begun = false
  private readonly variables: Record<string, unknown>

  constructor(id: string, path: Path | null = null, subtree = false) {
    const store = this
    this.variables = {
      id,
      path,
      subtree,
      get after() {
        return store.held.cursor // read again at each connection: it goes on where it was cut
      },
    }
  }

  /** Follows the rows until the function that it returns is called. */
  readonly follow = (): (() => void) => {
    let stop = () => {}
    let timer: ReturnType<typeof setTimeout> | undefined
    const begin = () => {
      stop = client.subscribe<{ rowChanges: RowChanges<Row> }>(
        { query: ROW_CHANGES, variables: this.variables },
        {
          next: ({ data, errors }) => {
            if (errors?.[0]) return this.fail(failureOf(errors[0]))
            if (data == null) return
            try {
              this.held = applyRowChanges(this.held, data.rowChanges)
            } catch (thrown) {
              // What is here is not what the server takes it for: begin with a reset.
              stop()
              this.held = noRows
              timer = setTimeout(begin, 500)
              return this.fail(failure(thrown))
            }
            this.begun = true
            this.failed = undefined
            beforeFrame(this.show)
          },
          error: (thrown) => this.fail(failure(thrown)),
          complete: () => {},
        },
      )
    }
    begin()
    this.restart = () => {
      clearTimeout(timer)
      stop()
      begin()
    }
    return () => {
      this.restart = () => {}
      clearTimeout(timer)
      dropFrame(this.show)
      stop()
    }
  }

  private restart = () => {}
  /** Asks anew after an error, from where the rows stand. */
  readonly again = (): void => this.restart()

  private fail(reason: Failure) {
    this.failed = reason
    beforeFrame(this.show)
  }

  /** Takes what has arrived to the screen. */
  private readonly show = () => {
    const rows = this.held.rows
    const changed: string[] = []
    if (rows !== this.shown) {
      const name = namer()
      const keys = rows.map((row) => name(row))
      const sameKeys = keys.length === this.keys.length && keys.every((key, i) => key === this.keys[i])
      if (!sameKeys) {
        this.keys = keys
        const gone = new Set(this.byKey.keys())
        for (const key of keys) gone.delete(key)
        for (const key of gone) {
          this.byKey.delete(key)
          changed.push(key)
        }
      }
      keys.forEach((key, i) => {
        const row = rows[i]!
        if (this.byKey.get(key) === row) return
        this.byKey.set(key, row)
        if (row.__typename === 'ToolCallRow') this.calls.set(row.toolCallId, row)
        changed.push(key)
      })
      this.shown = rows
    }
    for (const key of changed) this.rowListeners.get(key)?.forEach((listener) => listener())
    this.status = { keys: this.keys, failure: this.failed, begun: this.begun }
    for (const listener of [...this.listeners]) listener()
  }

  private status: { keys: readonly string[]; failure: Failure | undefined; begun: boolean } = { keys: [], failure: undefined, begun: false }

  readonly getStatus = () => {
    const { keys, failure: failed, begun } = this.status
    if (keys === this.last.keys && failed === this.last.failure && begun === this.last.begun) return this.last
    return (this.last = this.status)
  }
  private last = this.status

  readonly row = (key: string): Row | undefined => this.byKey.get(key)
  /** The call that a result answers, where it is known. */
  readonly call = (toolCallId: string): Row | undefined => this.calls.get(toolCallId)

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
  readonly subscribeRow = (key: string, listener: () => void): (() => void) => {
    const set = this.rowListeners.get(key) ?? new Set()
    this.rowListeners.set(key, set.add(listener))
    return () => {
      set.delete(listener)
      if (set.size === 0) this.rowListeners.delete(key)
    }
  }
}

export const useRow = (store: RowsStore, key: string): Row | undefined =>
  useSyncExternalStore(
    (listener) => store.subscribeRow(key, listener),
    () => store.row(key),
  )

export const useRowsStatus = (store: RowsStore) => useSyncExternalStore(store.subscribe, store.getStatus)
