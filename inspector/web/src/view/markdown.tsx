import { memo, type ReactNode } from 'react'
import { type Block, blocks, type Span, spans } from './markdown_parse.ts'

/** Text of a run as Markdown. Blocks that did not change are not rendered again: a token renders the last one. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="md">
      {blocks(text).map((block, i) => (
        <BlockView key={i} source={JSON.stringify(block)} block={block} depth={0} />
      ))}
    </div>
  )
})

const BlockView = memo(
  function BlockView({ block, depth }: { source: string; block: Block; depth: number }) {
    switch (block.kind) {
      case 'paragraph':
        return <p>{inline(block.text)}</p>
      case 'heading': {
        const Tag = `h${Math.min(6, block.level + 2)}` as 'h3' // the page has the first two
        return <Tag className={`md-h${block.level}`}>{inline(block.text)}</Tag>
      }
      case 'code':
        return (
          <pre tabIndex={0} aria-label={block.language === '' ? 'code' : `${block.language} code`}>
            <code>{block.text}</code>
          </pre>
        )
      case 'quote':
        return <blockquote>{nested(block.text, depth)}</blockquote>
      case 'list': {
        const items = block.items.map((item, i) => <li key={i}>{item.includes('\n') ? nested(item, depth) : inline(item)}</li>)
        return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>
      }
      case 'table':
        return (
          <div className="md-table" tabIndex={0} role="group" aria-label="table">
            <table>
              <thead>
                <tr>{block.head.map((cell, i) => <th key={i}>{inline(cell)}</th>)}</tr>
              </thead>
              <tbody>
                {block.rows.map((row, i) => (
                  <tr key={i}>{row.map((cell, j) => <td key={j}>{inline(cell)}</td>)}</tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      case 'rule':
        return <hr />
    }
  },
  (before, now) => before.source === now.source,
)

function nested(text: string, depth: number): ReactNode {
  if (depth > 5) return <p>{text}</p>
  return blocks(text).map((block, i) => <BlockView key={i} source={JSON.stringify(block)} block={block} depth={depth + 1} />)
}

const inline = (text: string): ReactNode => spans(text).map(spanView)

function spanView(span: Span, key: number): ReactNode {
  switch (span.kind) {
    case 'text':
      return span.text
    case 'code':
      return <code key={key}>{span.text}</code>
    case 'strong':
      return <strong key={key}>{span.spans.map(spanView)}</strong>
    case 'emphasis':
      return <em key={key}>{span.spans.map(spanView)}</em>
    case 'struck':
      return <s key={key}>{span.spans.map(spanView)}</s>
    case 'link':
      return (
        <a key={key} href={span.href} target="_blank" rel="noopener noreferrer nofollow">
          {span.spans.map(spanView)}
        </a>
      )
    case 'image':
      return (
        <span key={key} className="md-image" title="Images of a run are not loaded">
          🖼 {span.alt || 'image'}
        </span>
      )
    case 'break':
      return <br key={key} />
  }
}
