import { OUTPUTS } from '../api/documents.ts'
import { useLive } from '../api/hooks.ts'
import type { Binding, Outputs, Plan, Table } from '../api/types.ts'
import { nodeName } from '../state/follow.ts'
import { Artifact } from './artifact.tsx'
import { Faults } from './rows.tsx'
import { Empty, Status, Trouble } from './ui.tsx'

/** What the run has published: outputs by name, those of subagents, and live tables. */
export function OutputsPanel({ id, plan }: { id: string; plan: Plan | null }) {
  const { data, failure, again } = useLive<{ chat: Outputs }>(OUTPUTS, { id })
  const chat = data?.chat
  const nothing = chat && chat.bindings.length === 0 && chat.subagentBindings.length === 0 && chat.tables.length === 0
  return (
    <>
      <Trouble of="Outputs" failure={failure} again={again} />
      {nothing && <Empty>Nothing has been published yet.</Empty>}
      {chat?.bindings.map((b) => <BindingView key={b.name} binding={b} />)}
      {chat?.subagentBindings.map((s) => (
        <section key={JSON.stringify(s.path)} aria-label={`Outputs of ${s.path.join(' / ')}`}>
          <h3 className="group-name">
            {nodeName(plan, s.path)} <small>{s.path.join(' / ')}</small>
          </h3>
          {s.bindings.map((b) => (
            <BindingView key={b.name} binding={b} />
          ))}
        </section>
      ))}
      {chat?.tables.map((table) => <TableView key={table.name} table={table} />)}
    </>
  )
}

const BindingView = ({ binding: b }: { binding: Binding }) => (
  <div className="artifact" data-binding={b.name}>
    <header>
      <strong>{b.name}</strong>
      {b.format !== null && <span className="tag">{b.format.toLowerCase()}</span>}
      <Status of={b.status} quiet />
    </header>
    <div className="artifact-body">
      <Artifact name={b.name} value={b.value} format={b.format} complete={b.status === 'FINAL'} />
    </div>
    <Faults of={b.schemaErrors} />
  </div>
)

function TableView({ table }: { table: Table }) {
  const columns = new Set<string>()
  for (const { value } of table.rows) if (isObject(value)) for (const name of Object.keys(value)) columns.add(name)
  const names = [...columns].slice(0, 20)
  return (
    <section aria-label={`Table ${table.name}`} data-table={table.name}>
      <h3 className="group-name">
        {table.name} <small>{table.rows.length} rows</small>
      </h3>
      <div className="md-table" tabIndex={0} role="group" aria-label={`rows of ${table.name}`}>
        <table>
          <thead>
            <tr>
              <th>row</th>
              {names.map((name) => (
                <th key={name}>{name.replaceAll('_', ' ')}</th>
              ))}
              <th>links</th>
              <th>status</th>
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row) => (
              <tr key={row.rowId}>
                <th scope="row">{row.key ?? row.rowId}</th>
                {names.map((name) => (
                  <td key={name}>{isObject(row.value) ? plain(row.value[name]) : ''}</td>
                ))}
                <td>{Array.isArray(row.links) ? row.links.map((l) => (isObject(l) ? `${plain(l['rel'])} ${plain(l['to'])}` : plain(l))).join(', ') : plain(row.links)}</td>
                <td>
                  <Status of={row.status} quiet />
                  <Faults of={row.schemaErrors} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object' && !Array.isArray(value)
const plain = (value: unknown): string => (value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value))
