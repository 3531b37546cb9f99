import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ALLOWED = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'])

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR
IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

/**
 * A Vite plugin that writes a notice: every package of which something is in the bundle, with its licence's text. A
 * package under a licence that is not allowed, or without a licence's text, fails the build.
 */
export function thirdParty(fileName = 'THIRD_PARTY.txt') {
  return {
    name: 'third-party',
    generateBundle(_, bundle) {
      const packages = new Map()
      const ids = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []))
      for (const id of new Set(ids)) {
        const file = id.replace(/^\0/, '').replace(/\?.*$/, '')
        if (!file.includes('/node_modules/')) continue
        const folder = packageOf(file)
        if (folder === undefined) this.error(`no package of ${file.replace(/.*node_modules/, 'node_modules')}`)
        const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
        packages.set(`${name} ${version}`, { folder, license })
      }
      const parts = [...packages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { folder, license }]) => {
        if (!ALLOWED.has(license)) this.error(`${name}: its licence is ${license}`)
        return `${'='.repeat(80)}\n${name} (${license})\n${'='.repeat(80)}\n\n${licenceText(folder, license, name, this)}\n`
      })
      this.emitFile({
        type: 'asset',
        fileName,
        source: `The files beside this one hold code of these packages, each under its own licence.\n\n${parts.join('\n')}`,
      })
    },
  }
}

/** The folder of the package that a file is of: the nearest one above it whose package.json has a name and a version. */
function packageOf(file) {
  for (let at = dirname(file); at.includes('/node_modules/'); at = dirname(at)) {
    const manifest = join(at, 'package.json')
    if (!existsSync(manifest)) continue
    const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'))
    if (name && version) return at
  }
  return undefined
}

function licenceText(folder, license, name, context) {
  const files = readdirSync(folder).filter((f) => /^(licen[cs]e|copying|notice)/i.test(f)).sort()
  const legal = existsSync(join(folder, 'dist')) ? readdirSync(join(folder, 'dist')).filter((f) => /\.esm\.js\.LEGAL\.txt$/.test(f)).map((f) => join('dist', f)) : []
  if (files.length > 0) return [...files, ...legal].map((f) => readFileSync(join(folder, f), 'utf8').trim()).filter(Boolean).join('\n\n')
  const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const readme = readdirSync(folder).find((f) => /^readme/i.test(f))
  const section = readme && /#+\s*licen[cs]e[\s\S]*$/i.exec(readFileSync(join(folder, readme), 'utf8'))?.[0].slice(0, 2000)
  const by = typeof author === 'string' ? author : (author?.name ?? '')
  if (license !== 'MIT') context.error(`${name} ships no text of its licence`)
  return `The package says ${license} and ships no text of it, which is this.${by === '' ? '' : ` Its author: ${by}.`}${section ? `\n\n${section.trim()}` : ''}\n\n${MIT}`
}
