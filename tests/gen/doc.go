// Package gen makes conversations for property tests, with pgregory.net/rapid.
//
// It promises:
//
//  1. NewRun plays a random agent graph on a simulated platform: the frames are well formed by docs/wire.md, their
//     offsets are contiguous from 1, and the log that the platform keeps beside them says the same facts.
//  2. A Run is told in every way of docs/wire.md: Live (all frames), Logged (the head and the whole log), and
//     Reopen (a head, a tail window, the pages before it, and the live frames after the head's last_offset).
//  3. Noise adds lines that must change nothing.
//  4. Chaos keeps only to what a decoder lets through: ids, paths, activations and seqs come from small
//     alphabets, so that whatever can collide or come in the wrong order soon does.
//  5. PlanOf makes a valid plan for a run: most of its nodes, others that it never reaches, and any regions.
//  6. NewAgent designs an agent with its plan, and Agent.Run plays it: fan-outs fire several times, nest, stay silent
//     at the source or the join, hold subagents, repeats and loops, and user rows come in the middle.
//  7. ChaosWithPlan is Chaos, and a valid plan over the ids that Chaos uses.
//  8. The same rapid seed makes the same conversation.
package gen
