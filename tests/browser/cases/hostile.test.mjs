// Nothing that a run says is run.
import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import { atEnd, eventually, folder, open, picture, serve, sleep } from '../lib.mjs'
import { hostile, hostileHTML } from '../recordings.mjs'

test('a hostile run runs no script, loads nothing and leads nowhere', async () => {
  const hits = []
  const beacon = http.createServer((request, response) => {
    hits.push(request.url)
    if (request.url === '/control') response.writeHead(200, { 'Content-Type': 'text/html' }).end(hostileHTML(address).replaceAll(';alert(1)', ''))
    else response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end()
  })
  await new Promise((resolve) => beacon.listen(0, '127.0.0.1', resolve))
  atEnd(() => new Promise((resolve) => beacon.close(resolve)))
  const address = `http://127.0.0.1:${beacon.address().port}`

  // What is tried does run where nothing is in its way.
  const control = await open('about:blank')
  await control.goto(`${address}/control`, { waitUntil: 'commit' })
  await eventually(() => ['/ran', '/image.png'].every((path) => hits.includes(path)), 'the beacon hears what is not held back')
  await control.context().close()
  await sleep(500)
  hits.length = 0

  const origin = await serve(...(await hostile(await folder(), address)))
  const page = await open(`${origin}/#/c/mallory`)
  const dialogs = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    dialog.dismiss().catch(() => {}) // the page may be gone with it
  })
  await eventually(async () => (await page.locator('.html iframe').count()) >= 1, 'the artifact is shown')
  await page.locator('details').evaluateAll((all) => all.forEach((d) => (d.open = true)))
  await page.locator('[data-node="evil"] button').click()
  await page.locator('[data-node-panel="evil"] article').first().waitFor()
  await sleep(1000)
  await picture(page, 'hostile')
  await page.getByRole('tab', { name: 'Outputs' }).click()
  await page.locator('[data-binding="as_html"] iframe').waitFor()
  await page.locator('[data-table="loot"]').waitFor()

  const looked = await page.evaluate(() => {
    const all = [...document.querySelectorAll('.conversation *, .side *, .sidebar *')]
    return {
      pwned: window.pwned ?? null,
      handlers: all.filter((el) => el.getAttributeNames().some((name) => name.startsWith('on'))).length,
      scripts: all.filter((el) => ['SCRIPT', 'OBJECT', 'EMBED', 'BASE', 'META', 'LINK', 'FORM'].includes(el.tagName) && !el.matches('form.composer, form.create, .answer form')).map((el) => el.tagName),
      images: all.filter((el) => el.tagName === 'IMG').map((el) => el.getAttribute('src')),
      links: [...document.querySelectorAll('.conversation a, .side a:not(.react-flow__attribution a)')].map((a) => [a.protocol, a.rel, a.target]),
      frames: [...document.querySelectorAll('iframe')].map((f) => [f.getAttribute('sandbox'), f.getAttribute('src'), f.srcdoc.includes('<script>fetch(')]),
    }
  })
  assert.equal(looked.pwned, null)
  assert.equal(looked.handlers, 0)
  assert.deepEqual(looked.scripts, [])
  assert.deepEqual(looked.images, ['./icon.svg'])
  assert.ok(looked.links.length > 0, 'the harmless links are links')
  for (const [protocol, rel, target] of looked.links) {
    assert.match(protocol, /^https?:$/)
    assert.deepEqual([rel, target], ['noopener noreferrer nofollow', '_blank'])
  }
  assert.ok(looked.frames.length > 1, 'in the feed and among the outputs')
  for (const frame of looked.frames) assert.deepEqual(frame, ['', null, true])

  // Somebody clicks about in the frame.
  for (const [x, y] of [[20, 20], [60, 40], [40, 80], [80, 120], [30, 150]]) {
    await page.locator('[data-binding="as_html"] iframe').click({ position: { x, y }, force: true })
  }
  await sleep(1500)
  assert.equal(await page.evaluate(() => window.pwned ?? null), null)
  assert.equal(new URL(page.url()).origin, origin)
  assert.deepEqual(dialogs, [])
  assert.deepEqual(hits, [], 'the beacon stayed quiet')
  assert.deepEqual(page.problems, [])
})
