// Every document that the page sends. A field is selected when it is shown, and no sooner: a message that says nothing new
// to a document is not sent.

const ROW = `fragment Row on Row { __typename id type path activation iteration at
  ... on UserRow { content } ... on AssistantRow { content reasoning complete }
  ... on OutputRow { name value status format complete schemaErrors }
  ... on ToolCallRow { toolCallId toolName input requiresClientResponse } ... on ToolResultRow { toolCallId output } }`

/** Texts, as operations: what a token costs is the token. */
export const ROW_CHANGES = `subscription Rows($id: ID!, $path: [ID!], $subtree: Boolean, $after: String) {
  rowChanges(conversationId: $id, path: $path, subtree: $subtree, after: $after, minIntervalMs: 50) { cursor ops { __typename
    ... on RowsReset { rows { ...Row } } ... on RowInserted { index row { ...Row } } ... on RowReplaced { index row { ...Row } }
    ... on RowRemoved { index } ... on RowTextAppended { index field offset text } } } }
${ROW}`

/** The order and nesting of the cards, without a word of text: tokens send nothing here. */
export const FEED = `subscription Feed($id: ID!, $pin: AgentPin) {
  feed(conversationId: $id, pin: $pin, minIntervalMs: 100) { mode reason hasEarlier
    entries { key parent track iteration row { __typename
      ... on Row { id type path activation iteration } ... on ToolCallRow { toolCallId } ... on ToolResultRow { toolCallId }
      ... on CompositeRow { key nodeName nodeId subgraphPath hasEarlier }
      ... on FanOutRow { join branchStatus } ... on SubagentRow { runningCount doneCount failedCount nodeStatus }
      ... on RepeatRow { mode done total } } } } }`

export const CHAT = `subscription Chat($id: ID!) {
  chat(conversationId: $id) { status conversation { conversationId agentId agentVersion } error { kind message }
    hasEarlier canRetry capabilities { canSend canCancel } } }`

export const PENDING = `subscription Pending($id: ID!) {
  pendingTools(conversationId: $id) { toolCallId toolName args argumentsJson path delivery { toolCallId status error } } }`

export const OUTPUTS = `subscription Outputs($id: ID!) { chat(conversationId: $id, minIntervalMs: 200) {
  bindings { ...B } subagentBindings { path bindings { ...B } }
  tables { name rows { rowId key value status links schemaErrors } } } }
fragment B on Binding { name value status format schemaErrors }`

export const RUN = `subscription Run($id: ID!) { run(conversationId: $id) { status hasEarlier
  nodes { path kind status visitCount } edges { subgraphPath from fromPort to count }
  totalUsage { promptTokens completionTokens reasoningTokens } subagents { path runningCount doneCount failedCount } } }`

export const NODE = `subscription Node($id: ID!, $path: [ID!]!, $pin: AgentPin) {
  node(conversationId: $id, path: $path, pin: $pin, minIntervalMs: 100) { path nodeId name kind status exitedVia visitCount hasEarlier
    startedAt finishedAt error { kind message } usage { promptTokens completionTokens reasoningTokens } branches { port to flag } } }`

export const SUBAGENT = `subscription Subagent($id: ID!, $path: [ID!]!, $pin: AgentPin) {
  subagent(conversationId: $id, path: $path, pin: $pin, minIntervalMs: 200) { __typename
    ... on OpenSubagentView { runningCount doneCount failedCount outputs { name value status format schemaErrors } } } }`

export const FLAGS = `query Flags($id: ID!, $pin: AgentPin) {
  conversation(id: $id) { nodes(pin: $pin) { path branches { port to flag } } } }`

export const END = `query End($id: ID!, $path: [ID!]!, $pin: AgentPin) {
  conversation(id: $id) { node(path: $path, pin: $pin) { status error { kind message } } } }`

export const PLAN = `query Plan($agent: ID!, $version: Int!) { agentPlan(agentId: $agent, agentVersion: $version) {
  agentId agentVersion name nodes { path kind name blackBox samples exitPorts } edges { subgraphPath from fromPort to }
  regions { source join branches { entry } } tools { name requiresClientResponse schema } } }`

export const CONVERSATIONS = `query Conversations($limit: Int, $status: ConversationStatus) {
  conversations(limit: $limit, status: $status) { hasMore
    items { conversationId agentId agentVersion title status createdAt updatedAt } } }`

export const SEND = `mutation Send($input: SendInput!) { send(input: $input) { fresh conversation { id } } }`
export const ANSWER = `mutation Answer($input: ToolResultInput!) { submitToolResult(input: $input) { conversation { id } } }`
export const CANCEL = `mutation Cancel($id: ID!) { cancel(conversationId: $id) { conversation { id } } }`
export const RETRY = `mutation Retry($id: ID!) { retry(conversationId: $id) { conversation { id } } }`
export const EARLIER = `mutation Earlier($id: ID!) { loadEarlier(conversationId: $id, limit: 200) { conversation { id } } }`

export const BALANCE = `{ billing { balance { availableMicroUsd pendingMicroUsd expiringMicroUsd nextExpiryAt overage } } }`
export const USAGE = `{ billing { usage { periodStart periodEnd resetsAt usedMicroUsd includedMicroUsd remainingMicroUsd limitMicroUsd
  overageMicroUsd promptTokens completionTokens reasoningTokens runCount lines { key label usedMicroUsd quantity unit } } } }`
export const PLANS = `{ billing { plans { currentPlanId status currentPeriodEnd cancelAtPeriodEnd
  plans { id name description priceMicroUsd interval includedMicroUsd trialDays features } } } }`
export const INVOICES = `query Invoices($limit: Int, $offset: Int) { billing { invoices(limit: $limit, offset: $offset) {
  id number status totalMicroUsd createdAt dueAt paidAt hostedUrl pdfUrl } } }`
export const GRANTS = `{ billing { grants { id name source status amountMicroUsd remainingMicroUsd expiresAt } } }`
export const TOPUP = `mutation Topup($amount: MicroUSD!, $back: String) { topup(amountMicroUsd: $amount, returnUrl: $back) { url } }`
export const SUBSCRIBE = `mutation Subscribe($plan: ID!, $back: String) { subscribeCheckout(planId: $plan, returnUrl: $back) { url } }`

export const SESSION = `{ session { subject tenant expiresAt } }`
