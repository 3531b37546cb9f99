// A reload and a broken connection lose nothing, and are seen.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { columns, cuttable, eventually, folder, link, open, picture, serve, sleep } from '../lib.mjs'
import { BRANCHES, streams, wordOf } from '../recordings.mjs'

const WORDS = 150
let proxy
before(async () => {
  proxy = await cuttable(await serve(...(await streams(await folder(), { everyMs: 60, words: WORDS }))))
})

/** Every word of every branch once and in order. */
async function whole(page) {
  const got = await columns(page)
  for (const b of BRANCHES) {
    const words = got[b].match(new RegExp(`${b}\\d+`, 'g'))
    assert.deepEqual(words, Array.from({ length: WORDS }, (_, i) => wordOf(b, i)), b)
  }
  return true
}

/** Waits for the middle of a turn. */
const underway = (page) =>
  eventually(async () => {
    const length = (await columns(page))['oak']?.match(/oak\d+/g)?.length ?? 0
    return length > 10 && length < WORDS / 2
  }, 'the middle of a turn')

test('a reload in mid-stream loses nothing', async () => {
  const page = await open(`${proxy.origin}/#/c/grove`)
  await underway(page)
  await page.reload()
  await eventually(() => whole(page), 'every word, once')
  await page.context().close()
})

test('a cut is seen, and made up for from where it was', async () => {
  const page = await open(`${proxy.origin}/#/c/grove`)
  await underway(page)
  await eventually(async () => (await link(page)) === 'live', 'live')
  page.sent.length = 0
  proxy.cut()
  await eventually(async () => (await link(page)) === 'reconnecting', 'the cut is seen')
  await sleep(1500)
  await picture(page, 'reconnecting')
  assert.equal(await link(page), 'reconnecting')
  proxy.mend()
  await eventually(async () => (await link(page)) === 'live', 'live again')
  await eventually(() => whole(page), 'every word, once')
  const after = page.sent.map((frame) => JSON.parse(frame)).filter((m) => m.type === 'subscribe' && /rowChanges/.test(m.payload.query))
  assert.ok(after.length > 0 && typeof after[0].payload.variables.after === 'string', 'the rows went on from a cursor')
  assert.deepEqual(page.problems, [])
})
