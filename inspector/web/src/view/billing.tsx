import { useState } from 'react'
import { ask } from '../api/client.ts'
import { BALANCE, GRANTS, INVOICES, PLANS, SUBSCRIBE, TOPUP, USAGE } from '../api/documents.ts'
import { type Doing, useDoing, useQuery } from '../api/hooks.ts'
import { count, date, money, safeToOpen } from '../state/words.ts'
import { Empty, Out, Panel, Status, Trouble } from './ui.tsx'

interface Balance { availableMicroUsd: number; pendingMicroUsd: number | null; expiringMicroUsd: number | null; nextExpiryAt: string | null; overage: string | null }
interface Usage {
  periodStart: string | null; periodEnd: string | null; resetsAt: string | null; usedMicroUsd: number; includedMicroUsd: number | null; remainingMicroUsd: number | null
  limitMicroUsd: number | null; overageMicroUsd: number | null; promptTokens: number | null; completionTokens: number | null; reasoningTokens: number | null; runCount: number | null
  lines: { key: string; label: string | null; usedMicroUsd: number; quantity: number | null; unit: string | null }[]
}
interface Plans {
  currentPlanId: string | null; status: string | null; currentPeriodEnd: string | null; cancelAtPeriodEnd: boolean | null
  plans: { id: string; name: string; description: string | null; priceMicroUsd: number; interval: string | null; includedMicroUsd: number | null; trialDays: number | null; features: string[] }[]
}
interface Invoice { id: string; number: string | null; status: string; totalMicroUsd: number; createdAt: string | null; dueAt: string | null; paidAt: string | null; hostedUrl: string | null; pdfUrl: string | null }
interface Grant { id: string; name: string | null; source: string; status: string | null; amountMicroUsd: number; remainingMicroUsd: number | null; expiresAt: string | null }

const back = () => {
  const address = location.origin + location.pathname + '#/billing'
  return safeToOpen(address) ? address : null // a page on plain http of another machine is none to be sent back to
}
const REFRESH = 15_000

/** The user's wallet, as the platform tells it. Each part is asked for by itself, and fails by itself. */
export function BillingView() {
  const balance = useQuery<{ billing: { balance: Balance } }>(BALANCE, {}, REFRESH)
  const usage = useQuery<{ billing: { usage: Usage } }>(USAGE, {}, REFRESH)
  const plans = useQuery<{ billing: { plans: Plans } }>(PLANS, {}, REFRESH)
  const grants = useQuery<{ billing: { grants: Grant[] } }>(GRANTS, {}, REFRESH)
  const all = [balance, usage, plans, grants]
  const b = balance.data?.billing.balance
  return (
    <main className="billing" aria-label="Billing">
      <header className="bar">
        <div>
          <h1>Billing</h1>
          <p>As the platform tells it. Asked again every {REFRESH / 1000} seconds.</p>
        </div>
        <button type="button" onClick={() => all.forEach((one) => one.again())}>
          Refresh
        </button>
      </header>
      <div className="billing-grid" tabIndex={0} role="region" aria-label="Figures">
        <Panel title="Balance">
          <Trouble of="Balance" failure={balance.failure} again={balance.again} />
          {b && (
            <>
              <p className={`figure${b.availableMicroUsd < 0 ? ' owed' : ''}`}>{money(b.availableMicroUsd)}</p>
              <p className="card-note">
                {b.pendingMicroUsd ? `${money(b.pendingMicroUsd)} not yet settled. ` : ''}
                {b.expiringMicroUsd ? `${money(b.expiringMicroUsd)} lapses on ${date(b.nextExpiryAt)}. ` : ''}
                {b.overage !== null && `Past zero: ${b.overage}.`}
              </p>
            </>
          )}
          <Topup />
        </Panel>
        <Panel title="Usage">
          <Trouble of="Usage" failure={usage.failure} again={usage.again} />
          {usage.data && <UsageView usage={usage.data.billing.usage} />}
        </Panel>
        <Panel title="Plans">
          <Trouble of="Plans" failure={plans.failure} again={plans.again} />
          {plans.data && <PlansView plans={plans.data.billing.plans} />}
        </Panel>
        <Panel title="Grants">
          <Trouble of="Grants" failure={grants.failure} again={grants.again} />
          {grants.data?.billing.grants.length === 0 && <Empty>No credit was granted.</Empty>}
          <ul className="lines">
            {grants.data?.billing.grants.map((g) => (
              <li key={g.id}>
                <span>
                  {g.name ?? g.source} <small>{[g.status, g.expiresAt && `until ${date(g.expiresAt)}`].filter(Boolean).join(', ')}</small>
                </span>
                <span>
                  {money(g.remainingMicroUsd)} <small>of {money(g.amountMicroUsd)}</small>
                </span>
              </li>
            ))}
          </ul>
        </Panel>
        <Invoices />
      </div>
    </main>
  )
}

function UsageView({ usage: u }: { usage: Usage }) {
  const share = u.includedMicroUsd ? Math.min(1, u.usedMicroUsd / u.includedMicroUsd) : null
  return (
    <>
      <p className="figure">
        {money(u.usedMicroUsd)} {u.includedMicroUsd !== null && <small>of {money(u.includedMicroUsd)} included</small>}
      </p>
      {share !== null && <meter aria-label="Used of what is included" min={0} max={1} high={0.9} value={share} />}
      <p className="card-note">
        {date(u.periodStart)} to {date(u.periodEnd)}
        {u.runCount !== null && ` · ${count(u.runCount)} runs`}
        {u.promptTokens !== null && ` · ${count(u.promptTokens)} tokens in`}
        {u.completionTokens !== null && `, ${count(u.completionTokens)} out`}
        {u.overageMicroUsd ? ` · ${money(u.overageMicroUsd)} past it` : ''}
      </p>
      <ul className="lines">
        {u.lines.map((line) => (
          <li key={line.key}>
            <span>
              {line.label ?? line.key} {line.quantity !== null && <small>{`${count(line.quantity)} ${line.unit ?? ''}`}</small>}
            </span>
            <span>{money(line.usedMicroUsd)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function PlansView({ plans }: { plans: Plans }) {
  return (
    <div className="plans">
      {plans.plans.map((plan) => (
        <PlanView key={plan.id} plan={plan} current={plan.id === plans.currentPlanId} status={plans.status} />
      ))}
      {plans.cancelAtPeriodEnd && <p className="card-note">Ends on {date(plans.currentPeriodEnd)}.</p>}
    </div>
  )
}

function PlanView({ plan, current, status }: { plan: Plans['plans'][number]; current: boolean; status: string | null }) {
  const doing = useDoing()
  const [url, setURL] = useState<string | null>(null)
  return (
    <article className={`plan${current ? ' current' : ''}`} aria-label={`Plan ${plan.name}`}>
      <header>
        <strong>{plan.name}</strong>
        <span>
          {money(plan.priceMicroUsd)}
          {plan.interval !== null && <small> / {plan.interval}</small>}
        </span>
      </header>
      {plan.description !== null && <p className="card-note">{plan.description}</p>}
      <ul>
        {plan.features.map((feature, i) => (
          <li key={i}>{feature}</li>
        ))}
      </ul>
      {current ? (
        <Status of={status ?? 'active'} quiet />
      ) : (
        <Checkout
          doing={doing}
          url={url}
          label={plan.trialDays ? `Try ${plan.trialDays} days` : `Take ${plan.name}`}
          begin={() => doing.run(async () => setURL((await ask<{ subscribeCheckout: { url: string } }>(SUBSCRIBE, { plan: plan.id, back: back() })).subscribeCheckout.url))}
        />
      )}
    </article>
  )
}

function Topup() {
  const [dollars, setDollars] = useState('20')
  const [url, setURL] = useState<string | null>(null)
  const doing = useDoing()
  const amount = Math.round(Number(dollars) * 1_000_000)
  const good = Number.isSafeInteger(amount) && amount > 0
  return (
    <div className="topup">
      <label>
        Top up, in US dollars
        <input type="number" inputMode="decimal" min="0.01" step="0.01" value={dollars} onChange={(e) => (setDollars(e.target.value), setURL(null))} />
      </label>
      <Checkout
        doing={doing}
        url={url}
        label={good ? `Top up ${money(amount)}` : 'Top up'}
        disabled={!good}
        begin={() => doing.run(async () => setURL((await ask<{ topup: { url: string } }>(TOPUP, { amount, back: back() })).topup.url))}
      />
    </div>
  )
}

/** Asks for the page to pay on, then leads there. Nothing is charged by asking. */
function Checkout({ doing, url, label, begin, disabled }: { doing: Doing; url: string | null; label: string; begin: () => void; disabled?: boolean }) {
  return (
    <div className="checkout">
      {url === null ? (
        <button type="button" disabled={doing.busy || disabled === true} onClick={begin}>
          {doing.busy ? 'One moment…' : label}
        </button>
      ) : (
        <Leading href={url}>To the payment page</Leading>
      )}
      <Trouble of="No payment page" failure={doing.failure} />
    </div>
  )
}

/** A link that somebody else's server gave: it is opened when it is safe to open, and shown as text when it is not. */
const Leading = ({ href, children }: { href: string; children: string }) =>
  safeToOpen(href) ? (
    <Out href={href}>{children}</Out>
  ) : (
    <span className="fault">
      {children}: not opened, the address is neither https nor on this machine: <code>{href.slice(0, 200)}</code>
    </span>
  )

function Invoices() {
  const [limit, setLimit] = useState(10)
  const { data, failure, again, busy } = useQuery<{ billing: { invoices: Invoice[] } }>(INVOICES, { limit, offset: 0 })
  const invoices = data?.billing.invoices ?? []
  return (
    <Panel title="Invoices">
      <Trouble of="Invoices" failure={failure} again={again} />
      {data && invoices.length === 0 && <Empty>No invoices.</Empty>}
      <ul className="lines">
        {invoices.map((i) => (
          <li key={i.id}>
            <span>
              {i.number ?? i.id} <small>{[i.status, date(i.createdAt)].join(', ')}</small>
            </span>
            <span className="invoice-links">
              {money(i.totalMicroUsd)}
              {i.hostedUrl !== null && <Leading href={i.hostedUrl}>View</Leading>}
              {i.pdfUrl !== null && <Leading href={i.pdfUrl}>PDF</Leading>}
            </span>
          </li>
        ))}
      </ul>
      {invoices.length === limit && limit < 100 && (
        <button type="button" className="quiet" disabled={busy} onClick={() => setLimit(Math.min(100, limit + 20))}>
          Show more
        </button>
      )}
    </Panel>
  )
}
