// A run is driven from the page: begun, answered, cancelled, retried.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { ask, eventually, open, picture, serve } from '../lib.mjs'

let origin
before(async () => {
  origin = await serve('--demo-speed', '2')
})

const status = (page) => page.locator('.bar .status').getAttribute('data-status')

async function begin(page, agent, text) {
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByLabel('Agent').fill(agent)
  await page.getByLabel('Message', { exact: true }).first().fill(text)
  await page.getByRole('button', { name: 'Begin' }).click()
  await page.waitForURL(/#\/c\/chat-/)
  return decodeURIComponent(new URL(page.url()).hash.slice(4))
}

test('tools wait for answers, and with them the run goes on', async () => {
  const page = await open(`${origin}/#/c/demo-chat`, { width: 1600, height: 1000 })
  const id = await begin(page, 'concierge', 'approve, please')
  const approve = page.locator('.answer[data-tool="approve_booking"]')
  const choose = page.locator('.answer[data-tool="choose_seats"]')
  await approve.waitFor()
  await choose.waitFor()
  await eventually(async () => (await status(page)) === 'AWAITING_CLIENT_TOOL', 'the conversation waits')
  assert.ok(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled())
  await page.getByRole('heading', { name: 'approve, please' }).waitFor() // the list has it, with its title
  await picture(page, 'approval')
  await choose.getByText('row M').last().click()
  await choose.getByRole('button', { name: 'Answer' }).click()
  await approve.getByRole('button', { name: 'Approve' }).click()
  await eventually(async () => (await page.locator('.answer').count()) === 0, 'nothing waits any more')
  await eventually(async () => (await status(page)) === 'PAUSED', 'the run went on to its end')
  const { conversation } = await ask(origin, 'query ($id: ID!) { conversation(id: $id) { timeline { __typename ... on ToolResultRow { output } } chat { toolStates { status } } } }', { id })
  const results = conversation.timeline.filter((r) => r.__typename === 'ToolResultRow').map((r) => r.output)
  const output = (wanted) => results.some((r) => isDeepStrictEqual(JSON.parse(r), wanted))
  assert.ok(output({ approved: true }), JSON.stringify(results))
  assert.ok(output({ row: 'M', eur: 58 }), JSON.stringify(results))
  assert.deepEqual(page.problems, [])
})

test('a message goes on in a conversation, and a run is cancelled', async () => {
  const page = await open(`${origin}/#/c/demo-chat`)
  await begin(page, 'travel-desk', 'a trip')
  await page.getByRole('button', { name: 'Cancel run' }).click()
  await eventually(async () => (await status(page)) === 'CANCELLED', 'it is cancelled')
  // Over is over: the next message begins another conversation, and the page goes there.
  const before = page.url()
  await page.getByRole('textbox', { name: 'Message' }).fill('Why is the sky blue? <b>&amp;</b>')
  await eventually(() => page.getByRole('button', { name: 'Send', exact: true }).isEnabled(), 'it can be sent')
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  await eventually(() => page.url() !== before, 'the page goes to the new conversation')
  await page.locator('.row.user').getByText('Why is the sky blue? <b>&amp;</b>').waitFor()
  assert.deepEqual(page.problems, [])
})

test('a run that failed is retried', async () => {
  const page = await open(`${origin}/#/c/demo-chat`)
  await begin(page, 'release-bot', 'ship it')
  await page.getByRole('button', { name: 'Retry' }).click()
  await eventually(async () => ['PAUSED', 'COMPLETED'].includes(await status(page)), 'the retry succeeds')
  assert.deepEqual(page.problems, [])
})

test('what rests is ended for good when it is said twice', async () => {
  const page = await open(`${origin}/#/c/demo-chat`)
  await begin(page, 'companion', 'Why is the sky blue?')
  const end = page.getByRole('button', { name: 'End conversation' })
  await end.click()
  await page.getByRole('button', { name: 'Keep it' }).click()
  assert.equal(await status(page), 'PAUSED')
  await end.click()
  await page.getByRole('button', { name: 'End it for good' }).click()
  await eventually(async () => (await status(page)) === 'CANCELLED', 'it is over')
  await page.getByText('a new conversation begins').waitFor()
  assert.deepEqual(page.problems, [])
})

test('a subagent that works out of sight is told at the end of the feed', async () => {
  const page = await open(`${origin}/#/c/demo-subagents`, { width: 360, height: 600 })
  const pill = page.locator('.at-work')
  await pill.waitFor()
  await pill.press('Enter')
  assert.ok(await page.evaluate(() => document.activeElement?.closest('.card.subagent') !== null), 'the focus is in its card')
  assert.deepEqual(page.problems, [])
})

test('what is not there is told once', async () => {
  const page = await open(`${origin}/#/c/no-such-conversation`)
  await page.locator('.feed .trouble').first().waitFor()
  assert.match(await page.locator('.feed').textContent(), /NOT_FOUND/)
  assert.equal(await page.locator('.trouble').count(), 1)
  assert.equal(await page.getByText('One moment').count(), 0)
  assert.deepEqual(page.problems, [])
})
