// The graphs of the tests. The tests know every word of them: see ../../graphs_test.go.
import { Annotation, END, MessagesAnnotation, Send, START, StateGraph, interrupt } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { Speaker } from "./model.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const nothing = async () => ({});
const says = (script, delay) => {
  const model = new Speaker(script, delay);
  return async (state) => ({ messages: [await model.invoke(state.messages)] });
};
const resultsIn = (messages) => messages.filter((m) => m.getType() === "tool");

// One node that thinks, answers, and counts its turns.
export const chat = new StateGraph(MessagesAnnotation)
  .addNode("answer", says((messages) => ({
    thinks: "They said something. ",
    says: `This is answer ${messages.filter((m) => m.getType() === "human").length} to: ${messages.at(-1).content}`,
  })))
  .addEdge(START, "answer").addEdge("answer", END).compile();

// Three branches that speak at the same time, each at a pace of its own, and what they come to.
const Notes = Annotation.Root({
  ...MessagesAnnotation.spec,
  notes: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
});
const branch = (name, words, delay) => {
  const model = new Speaker({ says: Array.from({ length: words }, (_, i) => `${name}${i}`).join(" ") }, delay);
  return async () => {
    const said = await model.invoke([new HumanMessage(name)]);
    return { messages: [said], notes: [`${name}: ${said.content.split(" ").length}`] };
  };
};
export const fanout = new StateGraph(Notes)
  .addNode("ask", nothing)
  .addNode("red", branch("red", 40, 7)).addNode("green", branch("green", 30, 11)).addNode("blue", branch("blue", 50, 5))
  .addNode("sum", async (state) => ({ messages: [await new Speaker({ says: state.notes.toSorted().join(", ") }).invoke(state.messages)] }))
  .addEdge(START, "ask")
  .addEdge("ask", "red").addEdge("ask", "green").addEdge("ask", "blue")
  .addEdge(["red", "green", "blue"], "sum").addEdge("sum", END).compile();

// An agent with a tool of the server's, and one that asks a person.
const weather = tool(async ({ city }) => `${city}: rain`, {
  name: "weather", description: "the weather", schema: z.object({ city: z.string() }),
});
const approval = tool(async ({ what }) => `the person said ${JSON.stringify(interrupt({ approve: what }))}`, {
  name: "approval", description: "ask a person", schema: z.object({ what: z.string() }),
});
export const agent = new StateGraph(MessagesAnnotation)
  .addNode("model", says((messages) => {
    switch (resultsIn(messages).length) {
      case 0: return { says: "Let me see. ", calls: [{ id: "w1", name: "weather", args: { city: "Bergen" } }] };
      case 1: return { says: "It rains. ", calls: [{ id: "a1", name: "approval", args: { what: "an umbrella" } }] };
      default: return { says: `Done, ${resultsIn(messages).at(-1).content}` };
    }
  }))
  .addNode("tools", new ToolNode([weather, approval]))
  .addEdge(START, "model")
  .addConditionalEdges("model", (state) => (state.messages.at(-1).tool_calls?.length ? "tools" : END), ["tools", END])
  .addEdge("tools", "model").compile();

// Two questions at the same time, each a branch of its own.
const asks = (what) => async () => ({ messages: [new AIMessage({ id: `said-${what}-${crypto.randomUUID()}`, content: `${what}: ${JSON.stringify(interrupt({ approve: what }))}` })] });
export const approvals = new StateGraph(MessagesAnnotation)
  .addNode("ask", nothing)
  .addNode("cost", asks("cost")).addNode("date", asks("date"))
  .addNode("book", says((messages) => ({ says: `Booked after ${messages.slice(-2).map((m) => m.content).toSorted().join(" and ")}` })))
  .addEdge(START, "ask").addEdge("ask", "cost").addEdge("ask", "date")
  .addEdge(["cost", "date"], "book").addEdge("book", END).compile();

// One graph at two places, with another one inside.
const inner = new StateGraph(MessagesAnnotation)
  .addNode("find", nothing)
  .addNode("write", says({ says: "Found inside." }))
  .addEdge(START, "find").addEdge("find", "write").addEdge("write", END).compile();
const outer = new StateGraph(MessagesAnnotation)
  .addNode("search", inner)
  .addNode("shorten", says({ says: "In short: found." }))
  .addEdge(START, "search").addEdge("search", "shorten").addEdge("shorten", END).compile();
export const nested = new StateGraph(MessagesAnnotation)
  .addNode("begin", nothing)
  .addNode("left", outer).addNode("right", outer)
  .addNode("reply", says({ says: "Both looked." }))
  .addEdge(START, "begin").addEdge("begin", "left").addEdge("begin", "right")
  .addEdge(["left", "right"], "reply").addEdge("reply", END).compile();

// One node for each of four items.
const Items = Annotation.Root({ ...Notes.spec, item: Annotation() });
export const spread = new StateGraph(Items)
  .addNode("list", nothing)
  .addNode("handle", async ({ item }) => {
    const said = await new Speaker({ says: `${item} is handled.` }, 5 + item.length).invoke([new HumanMessage(item)]);
    return { messages: [said], notes: [item] };
  })
  .addNode("collect", async (state) => ({ messages: [await new Speaker({ says: `All ${state.notes.length}.` }).invoke(state.messages)] }))
  .addEdge(START, "list")
  .addConditionalEdges("list", () => ["one", "two", "three", "four"].map((item) => new Send("handle", { item })), ["handle"])
  .addEdge("handle", "collect").addEdge("collect", END).compile();

// A model inside a graph that breaks in mid-sentence, once in a thread, while another branch speaks.
const broken = new Set();
const weak = new StateGraph(MessagesAnnotation)
  .addNode("draft", async (state, config) => {
    const first = !broken.has(config.configurable.thread_id);
    broken.add(config.configurable.thread_id);
    const model = new Speaker({ says: "This breaks in the middle of it.", breaksAfter: first ? 3 : undefined });
    return { messages: [await model.invoke(state.messages)] };
  })
  .addEdge(START, "draft").addEdge("draft", END).compile();
export const breaks = new StateGraph(MessagesAnnotation)
  .addNode("split", nothing)
  .addNode("bad", weak)
  .addNode("good", says({ says: Array.from({ length: 20 }, (_, i) => `good${i}`).join(" ") }, 10))
  .addNode("end", says({ says: "It went well after all." }))
  .addEdge(START, "split").addEdge("split", "bad").addEdge("split", "good")
  .addEdge(["bad", "good"], "end").addEdge("end", END).compile();

// A node that is visited three times.
const Rounds = Annotation.Root({ ...MessagesAnnotation.spec, round: Annotation({ reducer: (_, b) => b, default: () => 0 }) });
export const loop = new StateGraph(Rounds)
  .addNode("draft", async (state) => ({
    round: state.round + 1,
    messages: [await new Speaker({ says: `Draft ${state.round + 1}.` }).invoke(state.messages)],
  }))
  .addNode("review", nothing)
  .addEdge(START, "draft").addEdge("draft", "review")
  .addConditionalEdges("review", (state) => (state.round < 3 ? "again" : "good"), { again: "draft", good: END }).compile();

// A node that speaks for some seconds.
export const slow = new StateGraph(MessagesAnnotation)
  .addNode("wait", async () => { await pause(20); return {}; })
  .addNode("talk", says({ says: Array.from({ length: 120 }, (_, i) => `word${i}`).join(" ") }, 30))
  .addEdge(START, "wait").addEdge("wait", "talk").addEdge("talk", END).compile();
