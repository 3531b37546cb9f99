import { useEffect, useRef, useState } from 'react'
import { reauthenticate } from '../api/client.ts'
import { giveToken, hasToken } from '../api/session.ts'
import { useValue } from '../state/value.ts'

/** Takes a token. It stays in this tab, and goes to this server alone. */
export function TokenDialog({ reason, close }: { reason: string | null; close: () => void }) {
  const [text, setText] = useState('')
  const has = useValue(hasToken)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const el = dialog.current
    el?.showModal()
    return () => el?.close()
  }, [])
  const give = (token: string) => {
    giveToken(token)
    reauthenticate()
    close()
  }
  return (
    <dialog
      ref={dialog}
      aria-labelledby="token-title"
      onCancel={(event) => {
        event.preventDefault()
        if (reason === null) close() // what asked for it is still waiting
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          give(text)
        }}
      >
        <h2 id="token-title">Your token</h2>
        {reason !== null && <p>{reason}</p>}
        <p>Give {reason === null ? '' : 'a fresh one: '}a JSON Web Token of whoever you are on this server. What you give is kept in this tab, and forgotten with it.</p>
        <textarea rows={5} value={text} spellCheck={false} autoComplete="off" autoFocus aria-label="Token" placeholder="eyJ…" onChange={(e) => setText(e.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            if (text.trim() !== '') give(text)
          }}
        />
        <div className="buttons">
          <button type="submit" className="primary" disabled={text.trim() === ''}>
            Use it
          </button>
          {has && (
            <button type="button" onClick={() => give('')}>
              Forget mine
            </button>
          )}
          {reason === null && (
            <button type="button" className="quiet" onClick={close}>
              Close
            </button>
          )}
        </div>
      </form>
    </dialog>
  )
}
