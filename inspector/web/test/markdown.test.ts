import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocks, linkTarget, type Span, spans } from '../src/view/markdown_parse.ts'

const flat = (list: readonly Span[]): string =>
  list.map((s) => ('spans' in s ? `<${s.kind}${s.kind === 'link' ? ` ${s.href}` : ''}>${flat(s.spans)}</>` : s.kind === 'break' ? '<br>' : s.kind === 'image' ? `<image ${s.alt}>` : s.kind === 'code' ? `<code>${s.text}</>` : s.text)).join('')

test('blocks', () => {
  const source = '# Title\n\nText of\ntwo lines\n\n- one\n- two\n  more\n\n3. three\n4. four\n\n> said\n> so\n\n```js\nlet a = "<b>"\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n---\n'
  assert.deepEqual(
    blocks(source).map((b) => b.kind),
    ['heading', 'paragraph', 'list', 'list', 'quote', 'code', 'table', 'rule'],
  )
  const [, , list, ordered, , code, table] = blocks(source)
  assert.deepEqual(list, { kind: 'list', ordered: false, start: 1, items: ['one', 'two\nmore'] })
  assert.deepEqual(ordered, { kind: 'list', ordered: true, start: 3, items: ['three', 'four'] })
  assert.deepEqual(code, { kind: 'code', language: 'js', text: 'let a = "<b>"' })
  assert.deepEqual(table, { kind: 'table', head: ['a', 'b'], rows: [['1', '2']] })
})

test('a code block that still streams is a code block', () => {
  assert.deepEqual(blocks('```py\nprint(1)'), [{ kind: 'code', language: 'py', text: 'print(1)' }])
})

test('spans', () => {
  const cases: [string, string][] = [
    ['a **b** _c_ ~~d~~ `e`', 'a <strong>b</> <emphasis>c</> <struck>d</> <code>e</>'],
    ['**a *b* c**', '<strong>a <emphasis>b</> c</>'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['**not closed', '**not closed'],
    ['\\*plain\\*', '*plain*'],
    ['[a](https://example.com/x) b', '<link https://example.com/x>a</> b'],
    ['see https://example.com/a.', 'see <link https://example.com/a>https://example.com/a</>.'],
    ['two  \nlines', 'two<br>lines'],
    ['<b onclick="x()">hi</b>', '<b onclick="x()">hi</b>'],
  ]
  for (const [source, want] of cases) assert.equal(flat(spans(source)), want, source)
})

test('nothing that runs becomes a link, and no image is loaded', () => {
  for (const address of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', 'blob:https://a/b', 'file:///etc/passwd', '//host/x', 'x', '\u0001javascript:x']) {
    assert.equal(linkTarget(address), null, address)
    assert.ok(!flat(spans(`[click](${address})`)).includes('<link'), address)
  }
  assert.equal(flat(spans('![alt](https://example.com/pixel.png)')), '<image alt>')
})

test('hostile text ends, too', { timeout: 30_000 }, () => {
  const n = 19_000
  const all = ['*', '_', '`', '[', '![', '[a](', '**a ', '`a``', '> ', '- ', '\\', '|', '~~', 'http://', '<a '].map((unit) => unit.repeat(n / unit.length))
  all.push('#'.repeat(n), '\n'.repeat(n), '- a\n'.repeat(n / 4), '|-'.repeat(n / 2), 'a|b\n' + '|-'.repeat(190) + '\n' + 'a|b\n'.repeat(n / 4))
  for (const text of all) for (const b of blocks(text)) if ('text' in b) spans(b.text)
})
