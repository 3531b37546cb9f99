import { createGraphiQLFetcher } from '@graphiql/toolkit'
import { GraphiQL } from 'graphiql'
import 'graphiql/style.css'
import { buildSchema } from 'graphql'
import { createRoot } from 'react-dom/client'
import './page.css'

const endpoint = new URL('graphql', location.href.replace(/[?#].*$/, ''))
const socket = new URL(endpoint)
socket.protocol = endpoint.protocol === 'https:' ? 'wss:' : 'ws:'

// What the headers editor holds goes with each request, and into connection_init of a subscription's socket.
const fetcher = createGraphiQLFetcher({ url: endpoint.href, subscriptionUrl: socket.href })

const DEFAULT = `# All fields are in the docs at the left.
# With a token, set the header below:
# {"Authorization": "Bearer …"}

subscription Branch {
  rowsAt(conversationId: "demo-fanout", path: ["flights"]) {
    id
    type
    ... on AssistantRow { content complete }
  }
}

query List {
  conversations(limit: 10) {
    items { conversationId agentId title status }
  }
}
`

/** The schema as the server hands it out, which it does where introspection is off, too. */
async function readSchema() {
  try {
    const response = await fetch(new URL('schema.graphql', endpoint))
    if (response.ok) return buildSchema(await response.text())
  } catch {
    // then GraphiQL asks by introspection, and shows what becomes of that
  }
  return undefined
}

const schema = await readSchema()
createRoot(document.getElementById('root')).render(<GraphiQL fetcher={fetcher} schema={schema} defaultQuery={DEFAULT} defaultEditorToolsVisibility="headers" />)
