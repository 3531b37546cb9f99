// Everything that arrives within one frame is shown by one render.

const due = new Set<() => void>()
let waiting = false

function flush() {
  waiting = false
  const now = [...due]
  due.clear()
  for (const run of now) run()
}

/** Runs a function once before the next frame, however often it is asked for. A hidden page has no frames, and a timer. */
export function beforeFrame(run: () => void): void {
  due.add(run)
  if (waiting) return
  waiting = true
  if (document.visibilityState === 'hidden') setTimeout(flush, 200)
  else requestAnimationFrame(flush)
}

/** Forgets a function that is waiting. */
export function dropFrame(run: () => void): void {
  due.delete(run)
}

document.addEventListener('visibilitychange', () => {
  if (waiting && document.visibilityState === 'hidden') setTimeout(flush, 0) // the frame that was asked for will not come
})
