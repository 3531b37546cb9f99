// By keyboard alone, with names for those who don't see, on a phone, and in the dark.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { eventually, open, picture, serve } from '../lib.mjs'

let origin
before(async () => {
  origin = await serve('--demo-speed', '2')
})

/** What the focus is on, as a screen reader would say it. */
async function focused(page) {
  return page.evaluate(() => {
    const el = document.activeElement
    const labels = [...(el?.labels ?? [])].map((l) => l.textContent).join(' ')
    const style = el ? getComputedStyle(el) : null
    return {
      tag: el?.tagName,
      type: el?.getAttribute('type'),
      name: (el?.getAttribute('aria-label') ?? (labels || el?.textContent) ?? '').trim(),
      seen: style !== null && (style.outlineStyle !== 'none' || style.boxShadow !== 'none'),
      inAnswer: el?.closest('.answer')?.dataset.tool ?? null,
    }
  })
}

async function tabTo(page, wanted, limit = 200) {
  for (let i = 0; i < limit; i++) {
    await page.keyboard.press('Tab')
    const at = await focused(page)
    if (at.tag !== 'BODY') {
      assert.notEqual(at.name, '', `a ${at.tag} without a name takes the focus`)
      assert.ok(at.seen, `the focus on ${at.tag} ${at.name} can be seen`)
    }
    if (wanted(at)) return at
  }
  assert.fail(`${wanted} was not reached`)
}

test('a conversation is begun, read and answered by keyboard alone', async () => {
  const page = await open(`${origin}/#/c/demo-chat`)
  await page.locator('.feed article').first().waitFor()
  await tabTo(page, (at) => at.name.startsWith('Skip to the conversation'))
  await page.keyboard.press('Enter')
  await eventually(async () => (await focused(page)).name === 'Feed', 'the skip link leads to the feed')
  await page.evaluate(() => document.activeElement.blur())
  await page.locator('body').press('Home')
  await tabTo(page, (at) => at.name === 'New conversation')
  await page.keyboard.press('Enter')
  await eventually(async () => /Message/.test((await focused(page)).name), 'the message has the focus')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.type('concierge')
  await page.keyboard.press('Tab')
  await page.keyboard.type('approve the booking')
  await tabTo(page, (at) => at.name === 'Begin')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/c\/chat-/)
  for (const tool of ['approve_booking', 'choose_seats']) {
    const form = page.locator(`.answer[data-tool="${tool}"]`)
    await form.waitFor()
    await tabTo(page, (at) => at.inAnswer === tool && /^(Approve|Answer)$/.test(at.name))
    await page.keyboard.press('Enter')
    await form.waitFor({ state: 'detached' })
  }
  await tabTo(page, (at) => at.name.startsWith('Concierge, llm'))
  await page.keyboard.press('Enter')
  await page.locator('[data-node-panel="concierge"]').waitFor()
  await eventually(async () => (await page.locator('.bar .status').getAttribute('data-status')) === 'PAUSED', 'the run went on')
  assert.deepEqual(page.problems, [])
})

test('every control has a name and every frame a title', async () => {
  const page = await open(`${origin}/#/c/demo-artifacts`)
  const cdp = await page.context().newCDPSession(page)
  for (const hash of ['#/c/demo-fanout', '#/c/demo-artifacts', '#/c/demo-approval', '#/c/demo-repeats', '#/billing']) {
    await page.evaluate((h) => (location.hash = h), hash)
    await page.locator('main h1').waitFor()
    await page.waitForTimeout(2500)
    const { nodes } = await cdp.send('Accessibility.getFullAXTree')
    const controls = nodes.filter((n) => !n.ignored && ['button', 'link', 'textbox', 'searchbox', 'combobox', 'radio', 'tab', 'checkbox', 'spinbutton', 'Iframe', 'group', 'region'].includes(n.role?.value))
    assert.ok(controls.length > 10, hash)
    const nameless = controls.filter((n) => (n.name?.value ?? '').trim() === '' && !(n.role.value === 'group' && n.properties?.every((p) => p.name !== 'focusable')))
    assert.deepEqual(nameless.map((n) => n.role.value), [], hash)
  }
})

test('a phone of 360 px scrolls in one direction', async () => {
  const page = await open(`${origin}/#/c/demo-fanout`, { width: 360, height: 760 })
  const fits = async (what) => assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, what)
  await page.locator('.card.fanout').first().waitFor()
  await fits('the feed')
  await picture(page, 'phone-feed')
  for (const view of ['Run', 'Outputs', 'Chats']) {
    await page.getByRole('button', { name: view, exact: true }).click()
    if (view === 'Run') {
      await page.locator('[data-node="food"]').waitFor()
      await page.waitForTimeout(500)
    }
    await fits(view)
    await picture(page, `phone-${view.toLowerCase()}`)
  }
  await page.getByRole('link', { name: 'Billing' }).click()
  await page.locator('.plan').first().waitFor()
  await fits('billing')
  await page.evaluate(() => (location.hash = '#/c/demo-approval'))
  await page.locator('.feed article').first().waitFor()
  await fits('answers')
})

test('the graph of a fan-out is whole and can be read at first sight', async () => {
  for (const [width, height] of [[1440, 900], [360, 760]]) {
    const page = await open(`${origin}/#/c/demo-fanout`, { width, height })
    await page.locator('.feed article').first().waitFor()
    if (width < 760) await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.locator('[data-node="summary"]').waitFor()
    const scale = await eventually(
      () =>
        page.evaluate(() => {
          const pane = document.querySelector('.graph').getBoundingClientRect()
          const nodes = [...document.querySelectorAll('.graph [data-node]')]
          const whole = nodes.every((node) => {
            const box = node.getBoundingClientRect()
            return box.left >= pane.left && box.right <= pane.right && box.top >= pane.top && box.bottom <= pane.bottom
          })
          return whole && nodes[0].getBoundingClientRect().width / nodes[0].offsetWidth
        }),
      `every node is in the pane at ${width} px`,
    )
    assert.ok(scale >= 0.6, `scale ${scale} at ${width} px`)
    // No line runs through a node that it neither leaves nor enters.
    const crossed = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll('.graph [data-node]')].map((node) => [node.dataset.node, node.getBoundingClientRect()])
      return [...document.querySelectorAll('.graph .react-flow__edge')].flatMap((edge) => {
        const [, from, to] = /^from (.+) to (.+?),/.exec(edge.getAttribute('aria-label'))
        const path = edge.querySelector('.react-flow__edge-path')
        const matrix = path.getScreenCTM()
        const points = Array.from({ length: 101 }, (_, i) => path.getPointAtLength((path.getTotalLength() * i) / 100).matrixTransform(matrix))
        return boxes.filter(([name, b]) => name !== from && name !== to && points.some((p) => p.x > b.left + 1 && p.x < b.right - 1 && p.y > b.top + 1 && p.y < b.bottom - 1)).map(([name]) => `${from} to ${to} through ${name}`)
      })
    })
    assert.deepEqual(crossed, [])
    await page.context().close()
  }
})

test('the bar of a phone is as wide as the screen on every page', async () => {
  const page = await open(`${origin}/#/billing`, { width: 360, height: 760 })
  await page.locator('.plan').first().waitFor()
  const box = await page.locator('.phone-bar').boundingBox()
  assert.deepEqual([box.x, box.width], [0, 360])
})

test('dark and light can be read', async () => {
  for (const scheme of ['light', 'dark']) {
    const page = await open(`${origin}/#/c/demo-subagents`, { width: 1600, height: 1000, scheme })
    await page.locator('.card.subagent .card.subagent .card.subagent').first().waitFor()
    const colours = await page.evaluate(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true })
      const style = getComputedStyle(document.documentElement)
      const names = ['bg', 'surface', 'sunk', 'text', 'muted', 'accent', 'accent-text', 'accent-soft', 'ok', 'ok-soft', 'run', 'run-soft', 'wait', 'wait-soft', 'bad', 'bad-soft', 'off', 'off-soft']
      return Object.fromEntries(
        names.map((name) => {
          canvas.fillStyle = style.getPropertyValue(`--${name}`)
          canvas.fillRect(0, 0, 1, 1)
          return [name, [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)]
        }),
      )
    })
    const luminance = (rgb) => rgb.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)
    const contrast = (a, b) => {
      const [high, low] = [luminance(colours[a]), luminance(colours[b])].sort((x, y) => y - x)
      return (high + 0.05) / (low + 0.05)
    }
    for (const [a, b] of [['text', 'bg'], ['text', 'surface'], ['muted', 'bg'], ['muted', 'surface'], ['muted', 'sunk'], ['accent', 'surface'], ['accent-text', 'accent'], ['accent', 'accent-soft'], ['text', 'accent-soft'], ['text', 'wait-soft'], ...['ok', 'run', 'wait', 'bad', 'off'].flatMap((t) => [[t, `${t}-soft`], [t, 'surface']])]) {
      assert.ok(contrast(a, b) >= 4.5, `${scheme}: ${a} on ${b} is ${contrast(a, b).toFixed(2)}`)
    }
    assert.equal(luminance(colours.bg) < 0.1, scheme === 'dark')
    await picture(page, `subagents-${scheme}`)
    await page.context().close()
  }
})
