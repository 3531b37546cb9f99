// Markdown of models, parsed into blocks and spans. It knows no HTML: a tag is text. Every loop moves on, and nothing looks
// back over more than its own block, so that hostile text costs what plain text does.

export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'quote'; text: string }
  | { kind: 'list'; ordered: boolean; start: number; items: string[] }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'rule' }

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]{0,30})/
const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const ITEM = /^( {0,8})([-*+]|\d{1,9}[.)])\s+(.*)$/
const TABLE_RULE = /^\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*){0,40}\|?\s*$/

const cells = (line: string) =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map((cell) => cell.trim())

export function blocks(source: string): Block[] {
  const lines = source.replaceAll('\r\n', '\n').split('\n')
  const out: Block[] = []
  let i = 0
  while (i < lines.length) {
    const line = lines[i]!
    if (line.trim() === '') {
      i++
      continue
    }
    const fence = FENCE.exec(line)
    if (fence) {
      const close = fence[1]!
      const body: string[] = []
      for (i++; i < lines.length && !lines[i]!.trimStart().startsWith(close); i++) body.push(lines[i]!)
      i++ // the closing fence, which a text that still streams has not yet
      out.push({ kind: 'code', language: fence[2] ?? '', text: body.join('\n') })
      continue
    }
    const heading = HEADING.exec(line)
    if (heading) {
      out.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]!.replace(/\s+#+\s*$/, '') })
      i++
      continue
    }
    if (RULE.test(line)) {
      out.push({ kind: 'rule' })
      i++
      continue
    }
    if (/^ {0,3}>/.test(line)) {
      const body: string[] = []
      for (; i < lines.length && /^ {0,3}>/.test(lines[i]!); i++) body.push(lines[i]!.replace(/^ {0,3}> ?/, ''))
      out.push({ kind: 'quote', text: body.join('\n') })
      continue
    }
    if (line.includes('|') && i + 1 < lines.length && lines[i + 1]!.includes('-') && lines[i + 1]!.length < 400 && TABLE_RULE.test(lines[i + 1]!)) {
      const head = cells(line)
      const rows: string[][] = []
      for (i += 2; i < lines.length && lines[i]!.includes('|'); i++) rows.push(cells(lines[i]!))
      out.push({ kind: 'table', head, rows })
      continue
    }
    const item = ITEM.exec(line)
    if (item) {
      const ordered = /\d/.test(item[2]!)
      const indent = item[1]!.length
      const items: string[] = []
      for (; i < lines.length; i++) {
        const next = lines[i]!
        const at = ITEM.exec(next)
        if (at && at[1]!.length <= indent && !RULE.test(next)) {
          if (/\d/.test(at[2]!) !== ordered) break
          items.push(at[3]!)
        } else if (next.trim() !== '' && /^\s{2,}/.test(next)) {
          items[items.length - 1] += '\n' + next.slice(Math.min(next.length - next.trimStart().length, indent + 2))
        } else if (next.trim() === '' && i + 1 < lines.length && (ITEM.test(lines[i + 1]!) || /^\s{2,}\S/.test(lines[i + 1]!))) {
          items[items.length - 1] += '\n'
        } else break
      }
      out.push({ kind: 'list', ordered, start: ordered ? parseInt(item[2]!, 10) : 1, items: items.map((text) => text.trimEnd()) })
      continue
    }
    const body: string[] = []
    for (; i < lines.length; i++) {
      const next = lines[i]!
      if (next.trim() === '' || FENCE.test(next) || HEADING.test(next) || (body.length > 0 && (ITEM.test(next) || /^ {0,3}>/.test(next) || RULE.test(next)))) break
      body.push(next)
    }
    out.push({ kind: 'paragraph', text: body.join('\n') })
  }
  return out
}

export type Span =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis' | 'struck'; spans: Span[] }
  | { kind: 'link'; href: string; spans: Span[] }
  | { kind: 'image'; alt: string }
  | { kind: 'break' }

/** An address that a link may lead to: http and https, and nothing that runs or hides. */
export function linkTarget(address: string): string | null {
  try {
    const url = new URL(address)
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null
  } catch {
    return null
  }
}

const LONGEST = 20_000 // beyond it a paragraph is text

/** Parses what stands in a line. Marks that are not closed are text. */
export function spans(source: string, depth = 0): Span[] {
  if (depth > 6 || source.length > LONGEST) return [{ kind: 'text', text: source }]
  const out: Span[] = []
  let text = ''
  const flush = () => {
    if (text !== '') out.push({ kind: 'text', text })
    text = ''
  }
  const dead = new Set<string>() // marks that are known not to close any more
  let i = 0
  while (i < source.length) {
    const c = source[i]!
    if (c === '\\' && i + 1 < source.length && /[!-/:-@[-`{-~]/.test(source[i + 1]!)) {
      text += source[i + 1]
      i += 2
      continue
    }
    if (c === '\n') {
      const hard = text.endsWith('  ')
      text = text.trimEnd()
      if (hard) {
        flush()
        out.push({ kind: 'break' })
      } else text += ' '
      i++
      continue
    }
    if (c === '`') {
      const ticks = /^`+/.exec(source.slice(i, i + 20))![0]
      const end = dead.has(ticks) ? -1 : source.indexOf(ticks, i + ticks.length)
      if (end > 0) {
        flush()
        out.push({ kind: 'code', text: source.slice(i + ticks.length, end).replace(/^ (.*) $/, '$1') })
        i = end + ticks.length
      } else {
        dead.add(ticks)
        text += ticks
        i += ticks.length
      }
      continue
    }
    const mark = source.startsWith('**', i) ? '**' : source.startsWith('__', i) ? '__' : source.startsWith('~~', i) ? '~~' : c === '*' || c === '_' ? c : ''
    if (mark !== '') {
      const word = mark[0] === '_' && /[\p{L}\p{N}]/u.test(source[i - 1] ?? ' ') // snake_case is no emphasis
      const opens = !word && i + mark.length < source.length && !/\s/.test(source[i + mark.length]!)
      const end = opens && !dead.has(mark) ? source.indexOf(mark, i + mark.length + 1) : -1
      if (end > 0 && !/\s/.test(source[end - 1]!)) {
        flush()
        const inner = spans(source.slice(i + mark.length, end), depth + 1)
        out.push({ kind: mark === '~~' ? 'struck' : mark.length === 2 ? 'strong' : 'emphasis', spans: inner })
        i = end + mark.length
      } else {
        if (opens && end < 0) dead.add(mark)
        text += mark
        i += mark.length
      }
      continue
    }
    if (c === '[' || (c === '!' && source[i + 1] === '[')) {
      const image = c === '!'
      const open = i + (image ? 2 : 1)
      const link = dead.has('](') ? null : /^([^[\]\n]{0,500})\]\(\s*<?([^\s<>()]{0,2000})>?(?:\s+["'][^"'\n]{0,200}["'])?\s*\)/.exec(source.slice(open, open + 2800))
      if (link) {
        flush()
        const href = linkTarget(link[2]!)
        if (image) out.push({ kind: 'image', alt: link[1]! })
        else if (href !== null) out.push({ kind: 'link', href, spans: spans(link[1]!, depth + 1) })
        else out.push(...spans(link[1]!, depth + 1))
        i = open + link[0].length
      } else {
        if (source.indexOf('](', open) < 0) dead.add('](')
        text += source.slice(i, open)
        i = open
      }
      continue
    }
    if (c === 'h' && /^https?:\/\//.test(source.slice(i, i + 8)) && !/[\w]/.test(source[i - 1] ?? ' ')) {
      const address = /^https?:\/\/[^\s<>"'`*[\]()]{1,2000}/.exec(source.slice(i, i + 2010))?.[0].replace(/[.,;:!?]+$/, '')
      const href = address === undefined ? null : linkTarget(address)
      if (address !== undefined && href !== null) {
        flush()
        out.push({ kind: 'link', href, spans: [{ kind: 'text', text: address }] })
        i += address.length
        continue
      }
    }
    text += c
    i++
  }
  flush()
  return out
}
