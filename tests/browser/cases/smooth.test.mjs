// Ten branches at 50 tokens a second each, looked at for ten seconds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserOf, columns, eventually, folder, open, picture, serve, sleep } from '../lib.mjs'
import { BRANCHES, streams } from '../recordings.mjs'

const SECONDS = 10

test('the page stays smooth', async (t) => {
  const origin = await serve(...(await streams(await folder(), { everyMs: 20, words: 1100, markup: true })))
  const page = await open(`${origin}/#/c/grove`, { width: 1600, height: 1000 })
  await eventually(async () => ((await columns(page))['oak']?.length ?? 0) > 20, 'the branches stream')
  await page.locator('.graph [data-node="oak"]').waitFor()
  await sleep(1000) // what loads the page is not what streams
  const before = await count(page)
  const browser = browserOf(page)
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] })
  const began = performance.now()
  await sleep(SECONDS * 1000)
  const seconds = (performance.now() - began) / 1000
  const trace = JSON.parse((await browser.stopTracing()).toString())
  const shown = (await count(page)) - before
  await picture(page, 'smooth')

  // A task's own time is what its thread worked; the rest of its length it waited for a processor that others had.
  const tasks = mainThread(trace).map((e) => ({ own: (e.tdur ?? e.dur) / 1000, all: e.dur / 1000 }))
  const own = tasks.filter((task) => task.own > 50)
  const all = tasks.filter((task) => task.all > 50)
  const busy = tasks.reduce((sum, task) => sum + task.own, 0) / 10 / seconds
  const longest = (list, of) => (list.length === 0 ? '' : `, the longest ${Math.max(...list.map(of)).toFixed(0)} ms`)
  t.diagnostic(`${own.length} tasks worked over 50 ms${longest(own, (x) => x.own)}; ${all.length} lasted over 50 ms${longest(all, (x) => x.all)}, waiting for a processor included`)
  t.diagnostic(`${seconds.toFixed(1)} s, ${tasks.length} tasks, ${(shown / seconds).toFixed(0)} words/s shown, the main thread worked ${busy.toFixed(0)} % of the time`)
  assert.ok(tasks.length > 100, 'the trace has the main thread')
  assert.ok(shown / seconds > 250, `${(shown / seconds).toFixed(0)} words a second were shown of 500`)
  assert.deepEqual(own, [], 'no task works for over 50 ms')
  assert.deepEqual(page.problems, [])
})

const count = async (page) => {
  const texts = Object.values(await columns(page))
  assert.equal(texts.length, BRANCHES.length)
  return texts.reduce((sum, text) => sum + text.split(/\s+/).length, 0)
}

/** The tasks of the thread that worked most among the pages' main threads. */
function mainThread({ traceEvents }) {
  const threads = new Map()
  for (const e of traceEvents) if (e.name === 'thread_name' && e.args.name === 'CrRendererMain') threads.set(`${e.pid}/${e.tid}`, [])
  for (const e of traceEvents) if (e.ph === 'X' && e.name === 'RunTask') threads.get(`${e.pid}/${e.tid}`)?.push(e)
  return [...threads.values()].sort((a, b) => b.length - a.length)[0] ?? []
}
