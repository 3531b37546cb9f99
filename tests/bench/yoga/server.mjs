// graphql-yoga with graphql-ws, as the documentation of both puts them together, over the part of the schema that is
// measured. It is told what there is to send by lines over a TCP connection:
//
//   node server.mjs HOST:PORT SCHEMA.graphqls
//
// BENCH_PROBE names a Unix socket on which it answers what it used.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { createPubSub, createSchema, createYoga } from 'graphql-yoga'
import { useServer } from 'graphql-ws/use/ws'
import { WebSocketServer } from 'ws'

const [teller, schemaFile] = process.argv.slice(2)
const bus = createPubSub()
let rows = []
let tick = 0

const change = (op) => ({ cursor: String(tick), ops: [op] })

function tell(line) {
  const message = JSON.parse(line)
  if (message.rows) {
    rows = message.rows
    return
  }
  const last = rows.length - 1
  const old = rows[last]
  rows = [...rows.slice(0, last), { ...old, content: old.content + message.append }]
  tick++
  bus.publish('rows', rows)
  bus.publish('changes', change({
    __typename: 'RowTextAppended', index: last, field: 'CONTENT', offset: old.content.length, text: message.append,
  }))
}

async function* follow(topic, first) {
  const rest = bus.subscribe(topic) // before the first value is out, so that none is missed
  yield first
  yield* rest
}

const yoga = createYoga({
  logging: false,
  schema: createSchema({
    typeDefs: readFileSync(schemaFile, 'utf8'),
    resolvers: {
      Query: { rows: () => rows },
      Subscription: {
        timeline: { subscribe: () => follow('rows', rows), resolve: (list) => list },
        rowChanges: {
          subscribe: () => follow('changes', change({ __typename: 'RowsReset', rows })),
          resolve: (message) => message,
        },
      },
    },
  }),
})

const server = createServer(yoga)
const sockets = new WebSocketServer({ server, path: yoga.graphqlEndpoint })
useServer({
  execute: (args) => args.rootValue.execute(args),
  subscribe: (args) => args.rootValue.subscribe(args),
  onSubscribe: async (context, _id, params) => {
    const { schema, execute, subscribe, contextFactory, parse, validate } = yoga.getEnveloped({
      ...context, req: context.extra.request, socket: context.extra.socket, params,
    })
    const args = {
      schema, operationName: params.operationName, document: parse(params.query), variableValues: params.variables,
      contextValue: await contextFactory(), rootValue: { execute, subscribe },
    }
    const errors = validate(args.schema, args.document)
    return errors.length ? errors : args
  },
}, sockets)

const probe = process.env.BENCH_PROBE
if (probe) {
  createServer((request, response) => {
    const { user, system } = process.cpuUsage() // microseconds
    const { heapUsed, rss } = process.memoryUsage()
    response.end(JSON.stringify(request.url === '/usage' ? { cpu: (user + system) * 1000 } : { heap: heapUsed, rss }))
  }).listen(probe)
}

const [host, port] = teller.split(':')
createInterface({ input: connect(Number(port), host) }).on('close', () => process.exit(0)).on('line', (line) => {
  tell(line)
  if (!server.listening) { // now there is something to serve
    server.listen(0, '127.0.0.1', () => console.error(`graphql-yoga serves http://127.0.0.1:${server.address().port}/graphql`))
  }
})
