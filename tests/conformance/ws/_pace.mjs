import { createClient } from 'graphql-ws'; import WebSocket from 'ws'; import { readFileSync } from 'node:fs';
const [url, ...files] = process.argv.slice(2);
const client = createClient({ url: url.replace('http','ws'), webSocketImpl: WebSocket });
await Promise.all(files.map(async (file) => {
  const fr = readFileSync(file,'utf8').trim().split('\n').map(JSON.parse).filter(f=>f.offset);
  const conv = fr.find(f=>f.type==='run.start').conversation_id;
  const it = client.iterate({ query: `subscription { timeline(conversationId: "${conv}") { id type at ... on AssistantRow { content complete } ... on ToolCallRow { toolName } } }` });
  const arr = []; const t0 = Date.now(); const wait = (p)=>Promise.race([p,new Promise(r=>setTimeout(()=>r(null),12000))]);
  for (;;) { const r = await wait(it.next()); if (!r) break; if (r.value.errors) { console.log(conv, r.value.errors); break; } arr.push([Date.now()-t0, r.value.data.timeline]); if (Date.now()-t0 > 45000) break; }
  const span = Date.parse(fr.at(-1).at)-Date.parse(fr[0].at);
  console.log(conv, 'frames', fr.length, 'recorded span', span, 'ms; messages', arr.length, 'first', arr[0]?.[0], 'gaps(ms) max', Math.max(...arr.slice(1).map((a,i)=>a[0]-arr[i][0])), 'rows at end', arr.at(-1)[1].length, 'times', arr.filter((_,i)=>i%Math.ceil(arr.length/12)===0).map(a=>a[0]).join(','));
}));
await client.dispose();
