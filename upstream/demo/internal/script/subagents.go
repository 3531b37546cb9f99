package script

import "inlaygraph/wire"

// desk is what one of the two regional desks works on.
type desk struct {
	id, query, found, read, claim, verdict, findings, story, headline string
}

// subagents is a newsroom of nested subgraphs: two desks that use the same research subagent, which uses a
// verify subagent in turn, and a black box that only says that it ran.
func subagents() *Script {
	s := Begin("demo-subagents", "newsroom", 2, "Two rivers, one front page")
	run := s.Open(0)
	run.User("Write a short front page about the two river festivals this weekend.")

	editor := run.Node("editor", "llm").Wait(500).Every(80)
	editor.Think("Two festivals, two desks. Let them research on their own, then polish and lay out.")
	editor.Say("North desk takes the lantern night, south desk the boat race. Check every number twice, please.")
	editor.Done(120, 38, 17)
	run.After(editor).Edge("editor", "north", "north").Edge("editor", "south", "south")

	north := runDesk(run, desk{
		id: "north", query: `{"q":"lantern night river festival visitors"}`,
		found: `[{"title":"Lantern night breaks record","url":"https://example.org/lanterns"}]`,
		read: "The organisers count 12,400 lanterns on the water, made in nineteen schools. 🏮 Rain stopped an hour " +
			"before sunset. The old mill opened its gate for the first time since 1974.",
		claim:    "12,400 lanterns: the school lists add up to 12,412. Good enough to say “more than 12,000”.",
		verdict:  "confirmed",
		findings: "More than 12,000 lanterns; nineteen schools; the mill gate open again.",
		story: "More than twelve thousand lanterns drifted down the river on Friday night, each folded by a child. " +
			"When the mill opened its gate, for the first time in half a century, the crowd fell silent. ✨",
		headline: `"Twelve thousand lights on the water"`,
	}, 85)
	south := runDesk(run.Wait(120), desk{
		id: "south", query: `{"q":"boat race south bank result"}`,
		found: `[{"title":"Naïve crew wins by a nose","url":"https://example.org/race"}]`,
		read: "Forty-one boats started, thirty-eight arrived. The winners are a crew of bakers who had trained for " +
			"six weeks. 🚣 Their boat is called Crème Brûlée.",
		claim:    "Forty-one starters: the race sheet has 41 numbers, 3 struck out. Consistent.",
		verdict:  "confirmed",
		findings: "41 started, 38 arrived; winners: the bakers' crew.",
		story: "They had six weeks of training and a boat called Crème Brûlée, and on Saturday the bakers of the south " +
			"bank beat every club on the river, by the length of a baguette. 🥖",
		headline: `"Bakers win by a baguette"`,
	}, 110)

	run.After(north, south).Wait(80)
	polish := run.Node("polish", "subgraph").Wait(2800).Done()
	run.After(polish).Edge("polish", "done", "front_page")
	page := run.Node("front_page", "llm").Wait(500).Every(80)
	page.Say("**Weekend on the river.** Lanterns in the north, bakers in the south, and not a drop of rain. Both " +
		"stories are checked and laid out. 🗞️")
	page.Bank()
	page.Done(890, 36, 0)
	run.After(page).Wait(150).Pause(wire.Paused)
	newsroomPlan(s)
	return s
}

func newsroomPlan(s *Script) {
	p := s.planned("Newsroom")
	p.node("editor", "llm", "Editor", "north", "south")
	for _, desk := range []struct{ id, name string }{{"north", "North desk"}, {"south", "South desk"}} {
		level := p.subgraph(desk.id, desk.name, "done", "error")
		research := level.subgraph("research", "Research", "done")
		research.node("search", "tool", "Search")
		research.node("read", "llm", "Read", "check", "skip")
		verify := research.subgraph("verify", "Verify", "done")
		verify.node("judge", "llm", "Judge")
		level.node("draft", "llm", "Draft")
		research.edge("search", "", "read")
		research.edge("read", "check", "verify")
		level.edge("research", "done", "draft")
		p.edge("editor", desk.id, desk.id)
		p.edge(desk.id, "done", "polish")
		research.output("findings", wire.FormatText, `{"type":"string"}`)
		verify.output("verdict", 0, `{"enum":["confirmed","doubtful","wrong"]}`)
	}
	p.node("polish", "subgraph", "Polish", "done").HideInnerEvents = true
	p.node("front_page", "llm", "Front page")
	p.edge("polish", "done", "front_page")
	p.region("editor", "polish", []string{"north"}, []string{"south"})
	p.output("headline", wire.FormatText, `{"type":"string","maxLength":60}`)
	p.tool("web.search", `{"type":"object","properties":{"q":{"type":"string","minLength":3}},"required":["q"]}`)
	p.tool("memory.note", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`).Private = true
}

// runDesk is one desk: research (shared by both), then a draft.
func runDesk(run *Lane, d desk, every int) *Lane {
	node := run.Node(d.id, "subgraph")
	level := node.Inside().Wait(200)

	research := level.Node("research", "subgraph")
	runResearch(research, d, every)
	level.After(research.Done()).Edge("research", "done", "draft")

	draft := level.Node("draft", "llm").Wait(500).Every(every)
	draft.Say(d.story)
	draft.Artifact("headline", wire.FormatText).Promote(true).Set(wire.JSON(d.headline), wire.Final, true)
	draft.Done(410, 52, 0)

	node.After(draft).Wait(60).Done()
	node.Edge(d.id, "done", "polish")
	return node
}

func runResearch(research *Lane, d desk, every int) {
	level := research.Inside().Wait(150)
	search := level.Node("search", "tool").Wait(200)
	search.Use("web.search", d.query, 1300, d.found)
	search.Use("memory.note", "{}", 250, "") // private: redacted
	search.Done()
	level.After(search).Edge("search", "", "read")

	read := level.Node("read", "llm").Wait(500).Every(every)
	read.Say(d.read)
	read.Artifact("findings", wire.FormatText).Promote(false).Grow(d.findings).
		Set(quoted(d.findings), wire.Final, true)
	read.Done(620, 58, 0)
	level.After(read).Edge("read", "check", "verify")

	verify := level.Node("verify", "subgraph")
	deep := verify.Inside().Wait(150)
	judge := deep.Node("judge", "llm").Wait(400).Every(every)
	judge.Say(d.claim)
	judge.Artifact("verdict", 0).Set(quoted(d.verdict), wire.Final, true)
	judge.Done(240, 27, 0)
	verify.After(judge).Wait(50).Done()
	research.After(verify).Wait(50)
}
