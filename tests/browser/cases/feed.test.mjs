// The feed fills while the run streams, a fan-out's columns stay apart, and the graph follows.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ask, columns, eventually, open, picture, serve, sleep } from '../lib.mjs'

let origin
before(async () => {
  origin = await serve()
})

test('the feed fills while the run streams, each column with its branch alone, and the graph follows', async () => {
  const page = await open(`${origin}/#/c/demo-fanout`, { width: 1600, height: 1000 })
  const { agentPlan } = await ask(origin, '{ agentPlan(agentId: "travel-desk", agentVersion: 3) { regions { source branches { entry members } } } }')
  const members = new Map(agentPlan.regions[0].branches.map((b) => [b.entry.join('/'), new Set(b.members.map((m) => m.join('/')))]))

  const lengths = new Set()
  const statuses = new Map() // by node, every status that its picture had
  let most = 0
  let pictured = false
  let typed = false
  await eventually(async () => {
    const seen = await page.evaluate(() => {
      const card = [...document.querySelectorAll('.card.fanout')].filter((c) => !c.closest('.track')).at(-1)
      return {
        tracks: [...(card?.querySelectorAll(':scope > .tracks > .track') ?? [])].map((t) => [t.dataset.branch, [...t.querySelectorAll('article[data-path]')].map((a) => a.dataset.path)]),
        length: document.querySelector('.feed')?.textContent.length ?? 0,
        nodes: [...document.querySelectorAll('[data-node]')].map((n) => [n.dataset.node, n.dataset.status]),
        typing: document.querySelectorAll('.typing').length,
      }
    })
    lengths.add(seen.length)
    typed ||= seen.typing > 0
    for (const [branch, paths] of seen.tracks) {
      for (const path of paths) assert.ok(members.get(branch).has(path), `${path} stands in the column of ${branch}`)
    }
    for (const [node, status] of seen.nodes) statuses.set(node, (statuses.get(node) ?? new Set()).add(status))
    const full = seen.tracks.filter(([, paths]) => paths.length > 0).length
    most = Math.max(most, full)
    if (full === 10 && !pictured) {
      await sleep(4_500)
      await picture(page, 'fanout')
      pictured = true
    }
    return typed && most === 10 && lengths.size > 20 && statuses.get('summary')?.has('COMPLETED')
  }, 'somebody types, ten columns fill, a summary follows')

  for (const node of ['kickoff', 'flights', 'hotels', 'merge', 'summary', 'bakeries']) {
    assert.ok(statuses.get(node)?.has('COMPLETED'), `${node} was drawn as completed`)
  }
  assert.ok([...statuses.values()].filter((s) => s.has('RUNNING')).length >= 8, 'branches were drawn as running')
  assert.deepEqual([...statuses.get('small_talk')], ['IDLE'], 'what was not reached')

  // At rest the picture is what a query reads, and so are the columns.
  await eventually(async () => {
    const { conversation } = await ask(origin, `{ conversation(id: "demo-fanout") { run { status nodes { path status } edges { from to } }
      rowsAt(path: ["flights"]) { ... on AssistantRow { content } } } }`)
    const drawn = new Map(await page.evaluate(() => [...document.querySelectorAll('[data-node]')].map((n) => [n.dataset.node, n.dataset.status])))
    for (const { path, status } of conversation.run.nodes) assert.equal(drawn.get(path.join('/')), status, path.join('/'))
    const taken = await page.locator('.react-flow__edge.taken').count()
    assert.equal(taken, conversation.run.edges.length)
    assert.equal((await columns(page)).flights.replace(/\s+/g, ' ').trim(), conversation.rowsAt.at(-1).content.replace(/\s+/g, ' ').trim())
    return true
  }, 'the picture and the query agree')
  assert.deepEqual(page.problems, [])
})

test('a node that is clicked shows where it stands, where it went on to, and its rows', async () => {
  const page = await open(`${origin}/#/c/demo-fanout`)
  await page.locator('[data-node="food"] button').click()
  const panel = page.locator('[data-node-panel="food"]')
  await panel.getByText('bakeries').waitFor()
  await eventually(async () => (await panel.locator('.branches li').count()) === 2, 'two branches')
  await eventually(async () => (await panel.locator('article').count()) > 0, 'its rows')
  await picture(page, 'node')
  await page.getByRole('button', { name: 'Close the node' }).click()
  assert.equal(await panel.count(), 0)
  assert.deepEqual(page.problems, [])
})

for (const [id, what] of [
  ['demo-subagents', async (page) => (await page.locator('.card.subagent .card.subagent .card.subagent').count()) >= 1],
  ['demo-repeats', async (page) => (await page.getByText('Sample 4').count()) >= 1 && (await page.getByText('Item 3').count()) >= 1],
  ['demo-artifacts', async (page) => (await page.locator('.html iframe').count()) >= 1 && (await page.locator('.artifact .list').count()) >= 1 && (await page.locator('.faults').count()) >= 1],
  ['demo-failure', async (page) => (await page.locator('[data-status="FAILED"]').count()) >= 1],
]) {
  test(`${id} is shown`, async () => {
    const page = await open(`${origin}/#/c/${id}`, { width: 1600, height: 1000 })
    await eventually(() => what(page), `${id} in full`)
    await picture(page, id.replace('demo-', ''))
    if (id === 'demo-artifacts') {
      await page.getByRole('tab', { name: 'Outputs' }).click()
      await page.locator('[data-table]').first().waitFor()
      await picture(page, 'outputs')
    }
    assert.deepEqual(page.problems, [])
    await page.context().close()
  })
}

test('the list is searched and filtered, and billing is shown with links that are safe', async () => {
  const page = await open(`${origin}/#/c/demo-chat`)
  await eventually(async () => (await page.locator('.conversations a').count()) === 7, 'seven conversations')
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('lisbon')
  assert.equal(await page.locator('.conversations a').count(), 1)
  await page.getByRole('link', { name: 'Billing' }).click()
  await page.getByRole('button', { name: /^Top up/ }).click()
  const pay = page.getByRole('link', { name: /payment page/ })
  assert.match(await pay.getAttribute('href'), /^http:\/\/127\.0\.0\.1:/)
  assert.match(await pay.getAttribute('rel'), /noopener/)
  await eventually(async () => (await page.locator('.plan').count()) === 3, 'three plans')
  await page.getByText('DEMO-1', { exact: false }).first().waitFor()
  await picture(page, 'billing')
  assert.deepEqual(page.problems, [])
})

test('GraphiQL subscribes', async () => {
  const page = await open(`${origin}/graphiql`)
  const branch = page.getByRole('menuitem', { name: 'Branch' })
  await eventually(async () => { // before the operations are read there is no choice among them
    if (!(await branch.isVisible())) await page.locator('.graphiql-execute-button').click()
    return branch.isVisible()
  }, 'the operations to choose from')
  await branch.click()
  await eventually(async () => /rowsAt/.test(await page.locator('.result-window').textContent()), 'a result')
  await picture(page, 'graphiql')
  assert.deepEqual(page.asked.filter((a) => !a.startsWith(origin) && !a.startsWith(origin.replace('http', 'ws')) && !a.startsWith('data:')), [])
  assert.deepEqual(page.problems, [])
})
