import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeedEntry, FeedRef } from '../src/api/types.ts'
import { namer } from '../src/state/names.ts'
import { type CardItem, tree } from '../src/state/tree.ts'
import { money, pretty, safeToOpen } from '../src/state/words.ts'
import { picture } from '../src/view/layout.ts'

const row = (key: string, more: Partial<FeedRef> = {}, entry: Partial<FeedEntry> = {}): FeedEntry => ({
  key, parent: null, track: null, iteration: null, ...entry,
  row: { __typename: 'AssistantRow', id: key, type: 'assistant', path: ['a'], activation: null, iteration: null, ...more },
})
const fan = (key: string, statuses: string[]): FeedEntry => ({
  key, parent: null, track: null, iteration: null,
  row: { __typename: 'FanOutRow', key, nodeName: 'K', nodeId: 'k', subgraphPath: null, hasEarlier: false, join: ['m'], branchStatus: statuses as never },
})

test('entries become a tree, with empty branches', () => {
  const items = tree([row('1'), fan('f', ['RUNNING', 'UNKNOWN', 'DONE']), row('2', {}, { parent: 'f', track: 0 }), row('3', {}, { parent: 'f', track: 2 })], [])
  assert.equal(items.length, 2)
  const card = items[1] as CardItem
  assert.deepEqual(card.tracks.map((t) => t.items.map((i) => i.key)), [['2'], [], ['3']])
})

test('what did not change is the same object', () => {
  const entries = () => [row('1'), fan('f', ['RUNNING', 'RUNNING']), row('2', {}, { parent: 'f', track: 0 }), row('3', {}, { parent: 'f', track: 1 })]
  const before = tree(entries(), [])
  assert.equal(tree(entries(), before), before)
  const grown = tree([...entries(), row('4', {}, { parent: 'f', track: 1 })], before)
  assert.equal(grown[0], before[0])
  const [card, had] = [grown[1] as CardItem, before[1] as CardItem]
  assert.notEqual(card, had)
  assert.equal(card.tracks[0], had.tracks[0])
  assert.equal(card.tracks[1]!.items[0], had.tracks[1]!.items[0])
  assert.equal(card.tracks[1]!.items.length, 2)
})

test('a result goes to its call in the same list, and stands alone elsewhere', () => {
  const call = row('c', { __typename: 'ToolCallRow', type: 'tool-call', toolCallId: 't' })
  const result = row('r', { __typename: 'ToolResultRow', type: 'tool-result', toolCallId: 't' })
  const items = tree([call, result], [])
  assert.deepEqual(items.map((i) => [i.key, i.kind === 'row' && i.resultKey]), [['c', 'r']])
  assert.deepEqual(tree([result], []).map((i) => i.key), ['r'])
  const apart = tree([call], [])
  assert.notEqual(tree([call, result], apart)[0], apart[0])
})

test('rows without an id are named alike by the feed and by the rows', () => {
  const ref = (type: string, activation: string): FeedRef => ({ __typename: 'AssistantRow', id: null, type, path: ['a'], activation, iteration: null })
  const [feed, rows] = [namer(), namer()]
  const one = [ref('assistant', 'v1'), ref('assistant', 'v1'), ref('assistant', 'v2')]
  assert.deepEqual(one.map(feed), one.map(rows))
  assert.equal(new Set(one.map(namer())).size, 2 + 1)
})

test('links that may be opened', () => {
  for (const good of ['https://pay.example.com/x?y=1#z', 'http://127.0.0.1:8080/x', 'http://localhost/', 'http://[::1]:1/']) assert.ok(safeToOpen(good), good)
  for (const bad of ['http://pay.example.com/', 'javascript:alert(1)', 'data:text/html,x', 'https://bank@elsewhere.example/', 'https://a/\\b', 'https://a/"', 'https://ä.example/', 'https://a/ b', 'http://127.0.0.1.example.com/', 'http://localhost.example.com/', '', null])
    assert.ok(!safeToOpen(bad), String(bad))
})

test('figures', () => {
  assert.equal(money(1_000_000), '$1.00')
  assert.equal(money(-250_000), '−$0.25')
  assert.equal(money(1_234), '$0.001234')
  assert.equal(money(null), '–')
})

test('JSON is laid out with its numbers as they were spelt', () => {
  assert.equal(pretty('{"a":12345678901234567890,"b":[1.10,"x:{,}"],"c":{},"d":[]}'), '{\n  "a": 12345678901234567890,\n  "b": [\n    1.10,\n    "x:{,}"\n  ],\n  "c": {},\n  "d": []\n}')
  assert.equal(pretty('not {json'), 'not {json')
})

test('a subgraph holds its nodes, and no two boxes of a level meet', () => {
  const nodes = [['a'], ['s'], ['s', 'x'], ['s', 'y'], ['s', 't', 'z'], ['b']].map((path) => ({ path, name: null }))
  const edges = [
    { subgraphPath: [], from: 'a', fromPort: null, to: 's' },
    { subgraphPath: [], from: 's', fromPort: null, to: 'b' },
    { subgraphPath: ['s'], from: 'x', fromPort: null, to: 'y' },
    { subgraphPath: [], from: 'a', fromPort: null, to: 'nowhere' },
  ]
  for (const direction of ['LR', 'TB'] as const) {
    const { boxes } = picture(nodes, edges, direction)
    assert.equal(boxes.length, 7) // s/t is known by its node alone
    const byId = new Map(boxes.map((b) => [b.id, b]))
    for (const b of boxes) {
      const parent = b.parent === null ? null : byId.get(b.parent)!
      if (parent) {
        assert.ok(boxes.indexOf(parent) < boxes.indexOf(b), 'a parent stands before what it holds')
        assert.ok(b.x >= 0 && b.y >= 0 && b.x + b.width <= parent.width + 0.5 && b.y + b.height <= parent.height + 0.5, b.id)
      }
      for (const other of boxes) {
        if (other === b || other.parent !== b.parent) continue
        assert.ok(b.x + b.width <= other.x + 0.5 || other.x + other.width <= b.x + 0.5 || b.y + b.height <= other.y + 0.5 || other.y + other.height <= b.y + 0.5, `${b.id} meets ${other.id}`)
      }
    }
  }
})
