// What the documents of documents.ts select, by the schema's own names.

export type Path = readonly string[]

interface RowBase {
  id: string | null
  type: string
  path: Path | null
  activation: string | null
  iteration: number | null
  at: string | null
}
export interface UserRow extends RowBase {
  __typename: 'UserRow'
  content: string
}
export interface AssistantRow extends RowBase {
  __typename: 'AssistantRow'
  content: string
  reasoning: string | null
  complete: boolean
}
export interface OutputRow extends RowBase {
  __typename: 'OutputRow'
  name: string
  value: unknown
  status: BindingStatus
  format: ArtifactFormat | null
  complete: boolean
  schemaErrors: string[] | null
}
export interface ToolCallRow extends RowBase {
  __typename: 'ToolCallRow'
  toolCallId: string
  toolName: string
  input: string
  requiresClientResponse: boolean
}
export interface ToolResultRow extends RowBase {
  __typename: 'ToolResultRow'
  toolCallId: string
  output: string
}
export type Row = UserRow | AssistantRow | OutputRow | ToolCallRow | ToolResultRow

export type BindingStatus = 'BUILDING' | 'FINAL'
export type ArtifactFormat = 'TEXT' | 'MARKDOWN' | 'CODE' | 'HTML' | 'LIST'
export type NodeStatus = 'IDLE' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED'
export type BranchStatus = 'RUNNING' | 'DONE' | 'FAILED' | 'UNKNOWN'
export type ChatStatus = 'IDLE' | 'STREAMING' | 'AWAITING_CLIENT_TOOL' | 'PAUSED' | 'COMPLETED' | 'FAILED' | 'CANCELLED'

/** A row of the feed without its text, which comes by rowChanges. */
export interface FeedRef {
  __typename: Row['__typename']
  id: string | null
  type: string
  path: Path | null
  activation: string | null
  iteration: number | null
  toolCallId?: string
}
interface CardBase {
  key: string
  nodeName: string | null
  nodeId: string | null
  subgraphPath: Path | null
  hasEarlier: boolean
}
export interface FanOut extends CardBase {
  __typename: 'FanOutRow'
  join: Path
  branchStatus: BranchStatus[] | null
}
export interface Subagent extends CardBase {
  __typename: 'SubagentRow'
  runningCount: number | null
  doneCount: number | null
  failedCount: number | null
  nodeStatus: NodeStatus | null
}
export interface Repeat extends CardBase {
  __typename: 'RepeatRow'
  mode: 'PARALLEL' | 'SEQUENTIAL'
  done: number
  total: number | null
}
export type Card = FanOut | Subagent | Repeat
export interface FeedEntry {
  key: string
  parent: string | null
  track: number | null
  iteration: number | null
  row: FeedRef | Card
}
export interface Feed {
  mode: 'COMPOSED' | 'FLAT_GUARDED' | 'FLAT_UNPINNED'
  reason: string | null
  hasEarlier: boolean
  entries: FeedEntry[]
}

export interface PublicError {
  kind: string
  message: string
}
export interface Delivery {
  toolCallId: string
  status: 'PENDING' | 'SUBMITTING' | 'SUBMITTED' | 'FAILED' | 'CANCELLED'
  error: string | null
}
export interface PendingTool {
  toolCallId: string
  toolName: string
  args: unknown
  argumentsJson: string
  path: Path | null
  delivery: Delivery | null
}
export interface Chat {
  status: ChatStatus
  conversation: { conversationId: string; agentId: string; agentVersion: number } | null
  error: PublicError | null
  hasEarlier: boolean
  canRetry: boolean
  capabilities: { canSend: boolean; canCancel: boolean }
}
export interface Binding {
  name: string
  value: unknown
  status: BindingStatus
  format: ArtifactFormat | null
  schemaErrors: string[] | null
}
export interface Table {
  name: string
  rows: { rowId: string; key: string | null; value: unknown; status: BindingStatus; links: unknown; schemaErrors: string[] | null }[]
}
export interface Outputs {
  bindings: Binding[]
  subagentBindings: { path: Path; bindings: Binding[] }[]
  tables: Table[]
}

export interface TokenUsage {
  promptTokens: number
  completionTokens: number
  reasoningTokens: number
}
export interface NodeRun {
  path: Path
  kind: string | null
  status: NodeStatus
  visitCount: number
}
export interface FiredEdge {
  subgraphPath: Path
  from: string
  fromPort: string | null
  to: string
  count: number
}
export interface Run {
  status: string
  nodes: NodeRun[]
  edges: FiredEdge[]
  totalUsage: TokenUsage | null
  subagents: { path: Path; runningCount: number; doneCount: number; failedCount: number }[]
  hasEarlier: boolean
}
export interface Branch {
  port: string | null
  to: string
  flag: 'TAKEN' | 'UNTAKEN' | 'PENDING'
}
export interface NodeView {
  path: Path
  nodeId: string
  name: string | null
  kind: string | null
  status: NodeStatus
  exitedVia: string | null
  visitCount: number
  hasEarlier: boolean
  startedAt: string | null
  finishedAt: string | null
  error: PublicError | null
  usage: TokenUsage | null
  branches: Branch[]
}
export interface SubagentView {
  __typename: 'OpenSubagentView' | 'BlackBoxSubagentView'
  runningCount?: number
  doneCount?: number
  failedCount?: number
  outputs?: Binding[]
}

export interface PlanNode {
  path: Path
  kind: string | null
  name: string | null
  blackBox: boolean
  samples: number | null
  exitPorts: string[]
}
export interface PlanEdge {
  subgraphPath: Path
  from: string
  fromPort: string | null
  to: string
}
export interface PlanTool {
  name: string
  requiresClientResponse: boolean
  schema: unknown
}
export interface Plan {
  agentId: string
  agentVersion: number
  name: string | null
  nodes: PlanNode[]
  edges: PlanEdge[]
  regions: { source: Path; join: Path; branches: { entry: Path }[] }[]
  tools: PlanTool[]
}

export interface Summary {
  conversationId: string
  agentId: string | null
  agentVersion: number | null
  title: string | null
  status: string | null
  createdAt: string | null
  updatedAt: string | null
}
