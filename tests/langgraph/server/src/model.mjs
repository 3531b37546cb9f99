// A model that says what a script says, word by word, and calls what the script calls. Nothing leaves the machine.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";

const wordsOf = (text) => (text ?? "").match(/\S+\s*/g) ?? [];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Tokens are words here: two for the prompt, one for each word said or thought.
const usageOf = (line) => {
  const reasoning = wordsOf(line.thinks).length;
  const output = wordsOf(line.says).length + reasoning;
  return { input_tokens: 2, output_tokens: output, total_tokens: 2 + output, output_token_details: { reasoning } };
};

export class Speaker extends BaseChatModel {
  // script: a line, or a function from the messages to one. A line is {thinks?, says?, calls?: [{id, name, args}],
  // breaksAfter?: number of words}.
  constructor(script, delay = 5) {
    super({});
    this.script = script;
    this.delay = delay;
  }

  _llmType() {
    return "speaker";
  }

  line(messages) {
    return typeof this.script === "function" ? this.script(messages) : this.script;
  }

  async _generate(messages) {
    const line = this.line(messages);
    const message = new AIMessage({
      content: line.says ?? "",
      tool_calls: (line.calls ?? []).map((call) => ({ ...call, type: "tool_call" })),
      usage_metadata: usageOf(line),
    });
    return { generations: [{ text: line.says ?? "", message }] };
  }

  async *_streamResponseChunks(messages, _options, run) {
    const line = this.line(messages);
    const tell = async (fields, text = "") => {
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text, ...fields }) });
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
      return chunk;
    };
    for (const word of wordsOf(line.thinks)) {
      await pause(this.delay);
      yield await tell({ additional_kwargs: { reasoning_content: word } });
    }
    let said = 0;
    for (const word of wordsOf(line.says)) {
      await pause(this.delay);
      if (said++ === line.breaksAfter) throw new Error("the secret address of the provider does not answer");
      yield await tell({}, word);
    }
    for (const [index, call] of (line.calls ?? []).entries()) {
      const args = JSON.stringify(call.args);
      const middle = Math.ceil(args.length / 2);
      yield await tell({ tool_call_chunks: [{ index, id: call.id, name: call.name, args: args.slice(0, middle), type: "tool_call_chunk" }] });
      yield await tell({ tool_call_chunks: [{ index, args: args.slice(middle), type: "tool_call_chunk" }] });
    }
    yield await tell({ usage_metadata: usageOf(line) });
  }
}
