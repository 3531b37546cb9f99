import { useCallback, useEffect, useRef, useState } from 'react'
import { beforeFrame, dropFrame } from '../state/frame.ts'
import { ask, client, type Failure, failure, failureOf } from './client.ts'

export interface Live<T> {
  data: T | undefined
  failure: Failure | undefined
  again: () => void
}

/**
 * Follows a subscription; null follows nothing. After an error it keeps what was there, and begins anew when asked to.
 * Messages that come within a frame are one render.
 */
export function useLive<T>(query: string | null, variables: Record<string, unknown>): Live<T> {
  const [state, setState] = useState<{ of: string; data: T | undefined; failure: Failure | undefined }>({ of: '', data: undefined, failure: undefined })
  const [attempt, setAttempt] = useState(0)
  const of = query === null ? '' : JSON.stringify([query, variables])
  useEffect(() => {
    if (query === null) return
    let next: T | undefined
    let failed: Failure | undefined
    const show = () => setState((had) => ({ of, data: next ?? (had.of === of ? had.data : undefined), failure: failed }))
    const stop = client.subscribe<T>(
      { query, variables: JSON.parse(of)[1] as Record<string, unknown> },
      {
        next: ({ data, errors }) => {
          if (errors?.[0]) failed = failureOf(errors[0])
          else if (data != null) [next, failed] = [data, undefined]
          beforeFrame(show)
        },
        error: (thrown) => {
          failed = failure(thrown)
          beforeFrame(show)
        },
        complete: () => {},
      },
    )
    return () => {
      dropFrame(show)
      stop()
    }
  }, [of, query, attempt])
  const again = useCallback(() => setAttempt((n) => n + 1), [])
  const current = state.of === of ? state : undefined
  return { data: current?.data, failure: current?.failure, again }
}

export interface Asked<T> extends Live<T> {
  busy: boolean
}

/** A query, asked once and again every so many milliseconds while the page is looked at; null asks nothing. */
export function useQuery<T>(query: string | null, variables: Record<string, unknown>, everyMs?: number): Asked<T> {
  const of = query === null ? '' : JSON.stringify([query, variables])
  const [state, setState] = useState<{ of: string; data: T | undefined; failure: Failure | undefined; busy: boolean }>({ of: '', data: undefined, failure: undefined, busy: false })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (query === null) return
    let over = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      clearTimeout(timer)
      setState((had) => ({ of, data: had.data, failure: had.of === of ? had.failure : undefined, busy: true }))
      try {
        const data = await ask<T>(query, JSON.parse(of)[1] as Record<string, unknown>)
        if (!over) setState({ of, data, failure: undefined, busy: false })
      } catch (thrown) {
        if (!over) setState((had) => ({ of, data: had.of === of ? had.data : undefined, failure: failure(thrown), busy: false }))
      }
      if (!over && everyMs !== undefined) timer = setTimeout(wake, everyMs)
    }
    const wake = () => {
      if (document.visibilityState === 'visible') void look()
    }
    void look()
    document.addEventListener('visibilitychange', wake)
    return () => {
      over = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', wake)
    }
  }, [of, query, attempt, everyMs])
  const again = useCallback(() => setAttempt((n) => n + 1), [])
  return { data: state.data, failure: state.of === of ? state.failure : undefined, busy: state.busy, again }
}

export interface Doing {
  busy: boolean
  failure: Failure | undefined
  run: (work: () => Promise<void>) => void
  forget: () => void
}

/** Something that a button starts: one at a time, with its error kept beside it. */
export function useDoing(): Doing {
  const [state, setState] = useState<{ busy: boolean; failure: Failure | undefined }>({ busy: false, failure: undefined })
  const busy = useRef(false)
  const here = useRef(true)
  useEffect(() => {
    here.current = true
    return () => void (here.current = false)
  }, [])
  const run = useCallback((work: () => Promise<void>) => {
    if (busy.current) return
    busy.current = true
    setState({ busy: true, failure: undefined })
    work().then(
      () => {
        busy.current = false
        if (here.current) setState({ busy: false, failure: undefined })
      },
      (thrown: unknown) => {
        busy.current = false
        if (here.current) setState({ busy: false, failure: failure(thrown) })
      },
    )
  }, [])
  const forget = useCallback(() => setState((had) => ({ ...had, failure: undefined })), [])
  return { ...state, run, forget }
}
