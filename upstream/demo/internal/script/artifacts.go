package script

import (
	"encoding/json"
	"strings"

	"inlaygraph/wire"
)

// artifacts streams an output of every format, refines some, fills tables and takes rows out again.
func artifacts() *Script {
	s := Begin("demo-artifacts", "studio", 5, "Sunday pancakes for six")
	run := s.Open(0)
	run.User("Pancakes for six on Sunday: a recipe, a shopping list, a timer I can run, and a card for the fridge.")

	compose := run.Node("compose", "llm").Wait(500).Every(80)
	compose.Say("Here is the recipe:")
	recipe := "# Sunday pancakes 🥞\n\n*Serves six, takes 40 minutes.*\n\n1. Whisk 6 eggs with 900 ml milk.\n" +
		"2. Sift in 450 g flour and a pinch of salt; let it rest for 20 minutes.\n3. Fry thin, in butter, over a " +
		"medium heat.\n4. Serve with jalapeño jam. Yes, really.\n"
	compose.Wait(200).Artifact("recipe", wire.FormatMarkdown).Grow(recipe).Set(quoted(recipe), wire.Final, true)
	compose.Say("Hope you like it! Next, what you need to buy.")

	list := compose.Artifact("shopping_list", wire.FormatList)
	list.Set(`["eggs"]`, wire.Building, false)
	compose.Wait(500)
	list.Set(`["eggs","milk","flour"]`, wire.Building, false)
	compose.Wait(500)
	list.Set(`["6 eggs","900 ml milk","450 g flour","butter","jalapeño jam"]`, wire.Final, false)
	pantry(compose)
	list.Set(`["6 eggs","900 ml milk","450 g flour","jalapeño jam"]`, wire.Final, true) // there is butter
	compose.Say("And the timer, in Python.")
	code := "import time\n\nfor n in range(1, 13):\n    time.sleep(90)\n    print(f\"flip pancake {n}!\")\n"
	compose.Artifact("timer", wire.FormatCode).Grow(code).Set(quoted(code), wire.Final, true)
	compose.Bank() // nothing was said since
	compose.Done(210, 264, 0)
	run.After(compose).Edge("compose", "next", "lab").Edge("compose", "next", "card")

	lab := run.Node("lab", "subgraph")
	taste := lab.Inside().Wait(150).Node("taste", "llm").Wait(400).Every(105)
	notes := "Nutty butter, a little smoke, then the sweet heat of the jam. A cold glass of milk, or a dry cider."
	taste.Artifact("tasting_notes", wire.FormatText).Promote(false).Grow(notes).Set(quoted(notes), wire.Final, true)
	taste.Artifact("pairing", 0).Promote(true).Set(`{"drink":"dry cider","runner_up":"milk"}`, wire.Final, true)
	taste.Done(180, 47, 0)
	lab.After(taste).Wait(50).Done()

	card := run.Node("card", "llm").Wait(600).Every(70)
	html := "<article>\n  <h1>Pancakes, Sunday 10:00 🥞</h1>\n  <p>Batter rests from 9:15.</p>\n  <p>Jam: top shelf.</p>\n</article>\n"
	card.Artifact("card", wire.FormatHTML).Grow(html) // closed by the node's end: nobody set it
	card.Done(150, 58, 0)

	run.After(lab, card).Wait(80)
	run.Edge("lab", "done", "wrap_up").Edge("card", "done", "wrap_up")
	wrap := run.Node("wrap_up", "llm").Wait(400).Every(80)
	wrap.Say("All set: recipe, list, timer and card. See you on Sunday! 👩‍🍳")
	wrap.Bank()
	// The model spells a number out: this output fails its schema, so that a client can see how that looks.
	wrap.Artifact("headcount", 0).Set(`{"adults":4,"children":"two"}`, wire.Final, true)
	wrap.Done(420, 21, 0)
	run.After(wrap).Wait(150).Pause(wire.Paused)
	studioPlan(s)
	return s
}

func studioPlan(s *Script) {
	p := s.planned("Studio")
	p.node("compose", "llm", "Compose")
	lab := p.subgraph("lab", "Tasting lab", "done")
	lab.node("taste", "llm", "Taste")
	p.node("card", "llm", "Fridge card")
	p.node("wrap_up", "llm", "Wrap-up")
	p.edge("compose", "next", "lab")
	p.edge("compose", "next", "card")
	p.edge("lab", "done", "wrap_up")
	p.edge("card", "done", "wrap_up")
	p.region("compose", "wrap_up", []string{"lab"}, []string{"card"})

	p.output("recipe", wire.FormatMarkdown, `{"type":"string","minLength":1}`)
	p.output("shopping_list", wire.FormatList, `{"type":"array","items":{"type":"string"},"uniqueItems":true}`)
	p.output("timer", wire.FormatCode, `{"type":"string"}`)
	p.output("card", wire.FormatHTML, `{"type":"string","pattern":"^<article>"}`)
	lab.output("tasting_notes", wire.FormatText, `{"type":"string","maxLength":280}`)
	p.output("pairing", 0, `{"type":"object","properties":{"drink":{"type":"string"},"runner_up":{"type":"string"}},`+
		`"required":["drink"],"additionalProperties":false}`)
	p.output("headcount", 0, `{"type":"object","properties":{"adults":{"type":"integer"},"children":{"type":"integer"}},`+
		`"required":["adults","children"]}`)
	p.table("pantry", `{"type":"object","properties":{"item":{"type":"string"},"have":{"type":"number","minimum":0},`+
		`"need":{"type":"number","minimum":0},"unit":{"enum":["g","l"]}},"required":["item"],"additionalProperties":false}`)
	p.table("guests", `{"type":"object","properties":{"adults":{"type":"integer"},"children":{"type":"integer"}}}`)
	p.table("reminders", `{"type":"object","properties":{"at":{"type":"string","pattern":"^[0-2][0-9]:[0-5][0-9]$"},`+
		`"text":{"type":"string"}},"required":["at","text"]}`)
}

// pantry checks what is at home already.
func pantry(n *Lane) {
	n.Row("pantry", "eggs", "eggs", `{"item":"eggs"}`, wire.Building, "")
	n.Row("pantry", "eggs", "eggs", `{"item":"eggs","have":2,"need":6}`, wire.Final, "")
	n.Row("pantry", "milk", "milk", `{"item":"milk","have":0.25,"need":0.9,"unit":"l"}`, wire.Final,
		`[{"rel":"bought_at","to":"shops/corner"}]`)
	n.Row("pantry", "butter", "butter", `{"item":"butter","have":250,"need":80,"unit":"g"}`, wire.Final, "")
	n.Row("pantry", "jam", "jam", `{"item":"jalapeño jam","have":1,"need":1}`, wire.Building, "")
	n.Drop("pantry", "jam") // it is empty
	n.Row("guests", "count", "", `{"adults":4,"children":2}`, wire.Final, "")
	n.Row("reminders", "rest", "rest", `{"at":"09:15","text":"start the batter"}`, wire.Building, "")
	n.Drop("reminders", "rest") // emptied, but there
}

// quoted spells a text as a JSON string.
func quoted(text string) wire.JSON {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a string always encodes
	}
	return wire.JSON(strings.TrimSuffix(b.String(), "\n"))
}
