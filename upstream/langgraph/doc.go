// Package langgraph has a LangGraph server as upstream (docs/langgraph.md): it turns what such a server says into
// the frames, rows and plans of docs/wire.md, so that everything above works unchanged.
//
// A [Run] translates one run's server-sent events into live frames, a [History] a thread's checkpoints into
// persisted rows, [Plan] an assistant and its drawn graph into a plan. All three are pure: no I/O, no clock, no
// randomness. A value is used by one goroutine at a time.
//
// Promises; tests name them by number.
//
//  1. Equal input gives equal output, byte for byte: a stream that is read again numbers the same frames.
//  2. Whatever the bytes of an event, nothing panics and nothing is half told: an event that is not understood
//     makes no frame and is counted by a reason of a closed set.
//  3. What a run tells is taken by the fold whole: no frame of it is rejected, none is a duplicate, whatever the
//     order in which branches interleave.
//  4. A visit is a task. Its activation is the task's id; after a run that failed or was cancelled it is the task's
//     id and the run's, since a retry repeats task ids. A second start on resume is no second visit; a finished
//     sibling that starts again and does nothing is told of nothing.
//  5. A path is the namespace without task ids and bare numbers. Text, calls and usage belong to the task whose
//     namespace they carry: branches never mix, not even those of one node.
//  6. Row ids hold the thread's id, so they are unique over all threads, and are the same live and from history
//     wherever the server's own ids are.
//  7. A turn ends before what interrupts it. A call is told once its arguments are whole, as the model wrote them.
//  8. Tokens are counted once for each message, for the task that made it.
//  9. No text of an exception leaves here: a failure has a kind and a message of ours. A failure that is repeated
//     around the place where it happened is one failure. An aborted sibling is cancelled, not failed.
//  10. An interrupt that waits is one pending call, however often and wherever it is repeated: a client tool's, when
//     the plan has that tool as one and it is certain which call is meant, else one of its own, of tool "interrupt".
//  11. A call of a private tool has the input "{}", its result is empty.
//  12. An edge has fired only where it is certain which: see edges.go.
//  13. Once its runs have ended, the rows of a longer history begin with those of a shorter one, unless the server
//     itself no longer keeps what it told: of a task's interrupts it keeps the last.
//  14. A plan that is answered is valid. A region is in it only where docs/langgraph.md says that its members are
//     certain.
//
// A [Client] does the I/O around them, and is an upstream in all of its parts. What it promises beyond package upstream:
//
//  15. No caller's token is sent, in any form. A thread that is begun here carries a hash of its owner, tenant and user;
//     whose thread it is is asked anew with every operation on it, and one of another user, or of none, is NotFound.
//  16. A refusal is about us, not about the caller: 401 and 403 are Unavailable. What the server says of a request with a
//     body, or that repeats a configured header, is in no error.
//  17. Offsets count what this process told of a thread, from 1. A run that is told again has the same offsets. Whatever
//     else happened in the thread takes up one, so that whoever follows reads the window again.
//  18. While a run is in flight that can be joined, the rows are those before it and the stream tells all of it: what is
//     told by both is nothing. A run that others began otherwise is never joined, as that would take events from them.
//  19. However often a connection is cut, and wherever, each event is taken once. A stream is over when the server says so
//     of the run: the end of a connection says nothing. It gives up after some tries without any event, and the reader
//     goes on by offset.
//  20. A run is asked for once. Where it is refused in a thread that was made for it, the thread is taken away again.
package langgraph
