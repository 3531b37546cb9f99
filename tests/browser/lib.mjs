// What the cases share: a server, a browser, a proxy that can be cut, and waiting.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

/** Long, because the machine may be busy with other things. */
export const patience = 60_000

const program = process.env['INLAYGRAPH']
const pictures = fileURLToPath(new URL('../output/browser/', import.meta.url))

// What is to be undone when the file's tests are over, the newest first. Node's own hooks belong to the test that is running.
const undo = []
after(async () => {
  await browser?.close()
  for (const one of undo.reverse()) await one()
})
export const atEnd = (one) => void undo.push(one)

/** Starts the server and returns its origin; it is stopped when the file's tests are over. */
export async function serve(...args) {
  assert.ok(program, 'INLAYGRAPH names the program; run.sh sets it')
  const child = spawn(program, ['serve', '--listen', '127.0.0.1:0', ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  const ready = new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      said += data
      const found = /serves (http:\/\/[^/]+)\/graphql/.exec(said)
      if (found) resolve(found[1])
    })
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)))
  })
  atEnd(async () => {
    const ended = new Promise((resolve) => (child.exitCode === null ? child.on('exit', resolve) : resolve()))
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
    await ended
    clearTimeout(late)
  })
  return ready
}

let browser

/** Opens an address in a page of its own. `problems` collects what the page threw, `asked` every address that it asked for. */
export async function open(address, { width = 1440, height = 900, scheme = 'light' } = {}) {
  browser ??= await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: 'no-preference' })
  const page = await context.newPage()
  page.setDefaultTimeout(patience)
  page.problems = []
  page.asked = []
  page.sent = []
  page.on('pageerror', (error) => page.problems.push(String(error.stack ?? error)))
  page.on('request', (request) => page.asked.push(request.url()))
  page.on('websocket', (socket) => {
    page.asked.push(socket.url())
    socket.on('framesent', ({ payload }) => page.sent.push(String(payload)))
  })
  await page.goto(address)
  return page
}

/** Keeps a picture of the page as CI output. */
export async function picture(page, name) {
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled' })
}

/** Asks again and again until nothing is thrown and something true is answered. */
export async function eventually(ask, what, ms = patience) {
  const end = Date.now() + ms
  for (;;) {
    let failed
    try {
      const answer = await ask()
      if (answer) return answer
    } catch (error) {
      failed = error
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${ms} ms`, { cause: failed })
    await sleep(100)
  }
}

/** One query, sent by the test itself. */
export async function ask(origin, query, variables = {}) {
  const response = await fetch(`${origin}/graphql`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ query, variables }) })
  const { data, errors } = await response.json()
  assert.equal(errors, undefined)
  return data
}

/** A folder that is gone when the file's tests are over. */
export async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'inlay-browser-'))
  atEnd(() => rm(path, { recursive: true, force: true }))
  return path
}

/** A proxy before the server that can be cut: what is open breaks off, and nothing new is let through until it is mended. */
export async function cuttable(origin) {
  const { hostname, port } = new URL(origin)
  const sockets = new Set()
  let down = false
  const proxy = net.createServer((client) => {
    if (down) return client.destroy()
    const server = net.connect(Number(port), hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => {})
    }
    client.pipe(server)
    server.pipe(client)
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const drop = () => sockets.forEach((socket) => socket.destroy())
  atEnd(() => {
    drop()
    return new Promise((resolve) => proxy.close(resolve))
  })
  return {
    origin: `http://127.0.0.1:${proxy.address().port}`,
    cut: () => {
      down = true
      drop()
    },
    mend: () => void (down = false),
  }
}

/** The text of each branch of the page's last fan-out. */
export const columns = (page) =>
  page.evaluate(() => {
    const card = [...document.querySelectorAll('.card.fanout')].filter((c) => !c.closest('.track')).at(-1)
    return Object.fromEntries([...(card?.querySelectorAll(':scope > .tracks > .track') ?? [])].map((t) => [t.dataset.branch, t.querySelector('.track-rows').textContent]))
  })

/** The browser that a page is in. */
export const browserOf = (page) => page.context().browser()

export const link = (page) => page.locator('.sidebar [data-link]').getAttribute('data-link')
export { sleep }
