package script

import "inlaygraph/wire"

// repeats is an ensemble of four samples, one of which abstains, and a for-each over three items with a tool
// inside.
func repeats() *Script {
	s := Begin("demo-repeats", "jury", 4, "Which name for the bakery?")
	run := s.Open(0)
	run.User("We are opening a bakery. Shortlist: “Crumb & Co.”, “Déjà Brew”, “The Daily Loaf”. Which one?")

	intake := run.Node("intake", "llm").Wait(400).Every(75)
	intake.Say("Four judges will vote on their own. Then I check each name.")
	intake.Done(88, 17, 0)
	run.After(intake).Edge("intake", "next", "vote")

	vote := run.Node("vote", "ensemble")
	for _, sample := range []struct {
		n, ms int
		whole []string
	}{
		{2, 1900, []string{"The Daily Loaf. Plain, warm, easy to spell on the phone."}},
		{1, 1100, []string{"Crumb & Co. It is short, and the logo draws itself. 🍞"}},
		{3, 700, []string{""}}, // abstains
		{4, 1600, []string{"The Daily Loaf: people will know what you sell, and when to come.",
			"The other two are jokes; a name outlives its joke."}},
	} {
		vote.Wait(sample.ms)
		item := vote.Item(sample.n)
		item.Bank(sample.whole...)
	}
	vote.Wait(300)
	vote.Artifact("winner", 0).Set(`{"name":"The Daily Loaf","votes":2,"of":4}`, wire.Final, true)
	vote.Done(360, 61, 0)
	run.After(vote).Edge("vote", "done", "check")

	check := run.Node("check", "for_each_llm").Wait(300).Every(95)
	for i, c := range []struct{ name, text, found, after string }{
		{"Crumb & Co.", "Let me see who is called that already.", `{"matches":14}`,
			"Fourteen bakeries have it, two of them in your town. Risky. ⚠️"},
		{"Déjà Brew", "Cute, but it promises coffee.", `{"matches":31}`,
			"Thirty-one cafés share the joke, and the accents get lost in web addresses."},
		{"The Daily Loaf", "One moment.", `{"matches":3}`,
			"Three, none within two hundred kilometres. The address is free. ✅"},
	} {
		item := check.Item(i + 1)
		item.After(check)
		item.Say(c.text)
		item.Bank()
		item.Wait(100).Use("register.search", string(wire.JSON(`{"name":`)+quoted(c.name)+`}`), 900, c.found)
		item.Say(c.after)
		item.Bank()
		check.After(item).Wait(250)
	}
	check.Done(512, 118, 0)
	run.After(check).Edge("check", "done", "verdict")

	verdict := run.Node("verdict", "llm").Wait(500).Every(80)
	verdict.Think("Two votes and a free address: no contest.")
	verdict.Say("Go for **The Daily Loaf**. Two of the three judges who voted chose it, hardly anyone else has it, and " +
		"your grandmother can pronounce it. 👵🏽")
	verdict.Bank()
	verdict.Done(640, 43, 12)
	run.After(verdict).Wait(150).Pause(wire.Paused)

	p := s.planned("Jury")
	p.node("intake", "llm", "Intake")
	p.node("vote", "ensemble", "Vote").Samples = 4
	p.node("check", "for_each_llm", "Name check")
	p.node("verdict", "llm", "Verdict")
	p.edge("intake", "next", "vote")
	p.edge("vote", "done", "check")
	p.edge("check", "done", "verdict")
	p.output("winner", 0, `{"type":"object","properties":{"name":{"type":"string"},"votes":{"type":"integer"},`+
		`"of":{"type":"integer","const":4}},"required":["name","votes","of"]}`)
	p.tool("register.search", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
	return s
}
