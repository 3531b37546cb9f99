import { memo, useEffect, useRef, useState } from 'react'
import type { ArtifactFormat } from '../api/types.ts'
import { Markdown } from './markdown.tsx'

/** A value that a run published, shown as its author meant it. */
export const Artifact = memo(function Artifact({ name, value, format, complete }: { name: string; value: unknown; format: ArtifactFormat | null; complete: boolean }) {
  if (value === null || value === undefined) return <p className="empty">{complete ? 'nothing' : '…'}</p>
  if (format === 'HTML' && typeof value === 'string') return <Html name={name} html={value} complete={complete} />
  if (format === 'MARKDOWN' && typeof value === 'string') return <Markdown text={value} />
  if (format === 'LIST') return <List value={value} />
  if (typeof value === 'string' && format !== 'CODE') return <p className="text">{value}</p>
  return (
    <pre className="code" tabIndex={0} aria-label={`${name}, ${format === 'CODE' ? 'code' : 'JSON'}`}>
      <code>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code>
    </pre>
  )
})

function List({ value }: { value: unknown }) {
  const items = Array.isArray(value) ? (value as unknown[]) : typeof value === 'string' ? value.split('\n').filter((line) => line.trim() !== '') : [value]
  return (
    <ul className="list">
      {items.map((item, i) => (
        <li key={i}>{typeof item === 'string' ? item.replace(/^\s*[-*•]\s+/, '') : JSON.stringify(item)}</li>
      ))}
    </ul>
  )
}

// Where the browser enforces Trusted Types, this is the only way into the only sink that the page has.
interface Policy {
  createHTML(text: string): string
}
const policy: Policy | undefined = (
  globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }
).trustedTypes?.createPolicy('artifact', { createHTML: (text) => text })

// Nothing may run, load, submit or lead anywhere. The sandbox alone forbids scripts; this says it again, for loads too.
const FRAME_HEAD =
  `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'">` +
  `<style>html{color-scheme:light}body{margin:0;padding:14px 16px;font:14px/1.55 system-ui,sans-serif;color:#1d1f24;background:#fff}h1{font-size:1.25em}img{max-width:100%}</style>`

/** HTML of a model: shown in a frame that can do nothing, once it is whole; its source until then, and whenever it is asked for. */
function Html({ name, html, complete }: { name: string; html: string; complete: boolean }) {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const frame = useRef<HTMLIFrameElement>(null)
  const shown = chosen ?? complete // while it is written its source is worth more than half a page
  useEffect(() => {
    if (!shown || frame.current === null) return
    const text = FRAME_HEAD + html
    frame.current.srcdoc = policy === undefined ? text : policy.createHTML(text)
  }, [html, shown])
  return (
    <div className="html">
      {shown ? (
        <iframe ref={frame} sandbox="" referrerPolicy="no-referrer" title={`${name}, shown without scripts`} />
      ) : (
        <pre className="code" tabIndex={0} aria-label={`${name}, HTML source`}>
          <code>{html}</code>
        </pre>
      )}
      <button type="button" className="quiet" onClick={() => setChosen(!shown)}>
        {shown ? 'Show its source' : 'Show the page'}
      </button>
    </div>
  )
}
