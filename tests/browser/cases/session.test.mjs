// A server that asks for tokens: the page asks its reader, and goes on where it was.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { eventually, link, open, picture, serve } from '../lib.mjs'

const SECRET = 'a secret of thirty-two bytes or more'

function token(seconds) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'ann', tenant: 'acme', exp: Math.floor(Date.now() / 1000) + seconds })}`
  return `${body}.${createHmac('sha256', SECRET).update(body).digest('base64url')}`
}

async function give(page, text) {
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await dialog.getByRole('textbox', { name: 'Token' }).fill(text)
  await dialog.getByRole('button', { name: 'Use it' }).click()
}

test('a token is asked for, kept in the tab alone, and asked for again when it is over', async () => {
  const origin = await serve('--jwt-secret', SECRET)
  const page = await open(`${origin}/#/c/demo-chat`)
  await page.getByRole('dialog').waitFor()
  await eventually(async () => (await link(page)) === 'locked', 'the pill says so')
  await picture(page, 'token')

  await give(page, 'nonsense')
  await page.getByText('The token is no longer good.').waitFor()
  const short = token(20)
  await give(page, `Bearer ${short}`)
  await page.locator('.feed article').first().waitFor()
  await eventually(async () => (await link(page)) === 'live', 'live')
  assert.deepEqual(await page.evaluate(() => [Object.values(sessionStorage), Object.values(localStorage), document.cookie]), [[short], [], ''])
  assert.ok(page.asked.every((address) => !address.includes(short)), 'no address holds it')

  await eventually(async () => (await page.getByRole('dialog').count()) === 1, 'it is over')
  await give(page, token(600))
  await eventually(async () => (await link(page)) === 'live', 'live again')
  await eventually(async () => (await page.locator('.trouble').count()) === 0, 'nothing is wrong')
  assert.ok((await page.locator('.feed article').count()) > 0)

  await page.reload()
  await page.locator('.feed article').first().waitFor()
  await page.getByRole('button', { name: 'Change token' }).click()
  await page.getByRole('button', { name: 'Forget mine' }).click()
  await eventually(async () => (await link(page)) === 'locked', 'without one there is nothing')
  assert.deepEqual(await page.evaluate(() => Object.values(sessionStorage)), [])
  assert.deepEqual(page.problems, [])
})
