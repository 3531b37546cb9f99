package script

import "inlaygraph/wire"

// fanout is ten branches that stream at once, each at its own speed, between kickoff and merge. One of them fans
// out in turn.
func fanout() *Script {
	s := Begin("demo-fanout", "travel-desk", 3, "A long weekend in Lisbon")
	run := s.Open(0)
	run.User("Plan a long weekend in Lisbon for two, end of May. We love food, music and walking. 🇵🇹")

	triage := run.Node("triage", "router").Wait(500).Done(96, 3, 0)
	run.After(triage).Edge("triage", "plan", "kickoff")
	kickoff := run.Node("kickoff", "llm").Wait(400).Every(70)
	kickoff.Say("Lovely choice! Ten of us are looking into it at once. Give us half a minute.")
	kickoff.Done(140, 22, 0)
	run.After(kickoff).Wait(60)

	branches := []struct {
		name  string
		every int
		work  func(n *Lane)
	}{
		{"flights", 210, flights}, {"trains", 120, trains}, {"hotels", 185, hotels}, {"food", 150, food},
		{"museums", 165, museums}, {"music", 200, music}, {"walks", 140, walks}, {"weather", 130, weather},
		{"budget", 175, budget}, {"packing", 110, packing},
	}
	var done []*Lane
	for _, b := range branches {
		run.Edge("kickoff", "next", b.name)
	}
	for i, b := range branches {
		n := run.Node(b.name, "llm").Every(b.every)
		n.Wait(300 + 90*(i%4))
		b.work(n)
		n.Done(int64(160+7*i), int64(60+9*i), 0)
		end, last := &Lane{s: s, now: n.now}, b.name
		if b.name == "food" {
			last = twoTables(end)
		}
		end.Edge(last, "next", "merge")
		done = append(done, end)
		run.Wait(35)
	}

	run.After(done...).Wait(100)
	merge := run.Node("merge", "join").Wait(300).Done()
	run.After(merge).Edge("merge", "next", "summary")
	summary := run.Node("summary", "llm").Wait(500).Every(75)
	summary.Say("Here is your weekend in one breath: fly in on Friday at noon, sleep in Graça, eat grilled fish in " +
		"Alcântara, hear fado on Saturday night, walk the seven hills in the mornings and keep the museums for the " +
		"midday heat. It comes to about €840 for two. Boa viagem! 🐟🎶")
	summary.Bank()
	summary.Done(1480, 74, 0)
	run.After(summary).Wait(150).Pause(wire.Paused)
	travelPlan(s)
	return s
}

func travelPlan(s *Script) {
	p := s.planned("Travel desk")
	p.node("triage", "router", "Triage", "plan", "chat")
	p.node("kickoff", "llm", "Kick-off")
	p.edge("triage", "plan", "kickoff")
	p.edge("triage", "chat", "small_talk")
	var branches [][]string
	for _, b := range []struct{ id, name string }{
		{"flights", "Flights"}, {"trains", "Trains"}, {"hotels", "Hotels"}, {"food", "Food"}, {"museums", "Museums"},
		{"music", "Music"}, {"walks", "Walks"}, {"weather", "Weather"}, {"budget", "Budget"}, {"packing", "Packing"},
	} {
		p.node(b.id, "llm", b.name)
		p.edge("kickoff", "next", b.id)
		branch, last := []string{b.id}, b.id
		if b.id == "food" {
			p.node("bakeries", "llm", "Bakeries")
			p.node("kitchens", "llm", "Kitchens")
			p.node("menu", "llm", "Menu")
			for _, id := range []string{"bakeries", "kitchens"} {
				p.edge("food", "next", id)
				p.edge(id, "next", "menu")
			}
			branch, last = []string{"food", "bakeries", "kitchens", "menu"}, "menu"
		}
		p.edge(last, "next", "merge")
		branches = append(branches, branch)
	}
	p.node("merge", "join", "Merge")
	p.node("summary", "llm", "Summary")
	p.node("small_talk", "llm", "Small talk") // for those who want no trip: never reached here
	p.edge("merge", "next", "summary")
	p.region("kickoff", "merge", branches...)
	p.region("food", "menu", []string{"bakeries"}, []string{"kitchens"})
	p.output("budget", 0, `{"type":"object","properties":{"currency":{"const":"EUR"},"total":{"type":"number","minimum":0}},`+
		`"required":["currency","total"],"additionalProperties":{"type":"number"}}`)
	p.tool("weather.lookup", `{"type":"object","properties":{"city":{"type":"string"},"from":{"type":"string","format":"date"},`+
		`"to":{"type":"string","format":"date"}},"required":["city","from","to"]}`)
}

func flights(n *Lane) {
	n.Say("Friday mornings are cheap at the end of May. Two direct flights fit: one leaves at 9:40 and lands at " +
		"12:05, the other leaves at 11:15 and lands at 13:45. Coming back, Monday evening has the better price, and " +
		"the plane is half empty. Hand luggage is enough for three nights. Book seats on the left: on the way in you " +
		"see the bridge and the river. ✈️ Together that is €236 for two.")
}

func trains(n *Lane) {
	n.Say("Slow travel? The night train from Madrid no longer runs, so it takes two days. Not this time. From the " +
		"airport take the red line and change at Alameda. 🚇")
}

func hotels(n *Lane) {
	n.Say("Three places are worth a look. A small guest house in Graça, with a terrace above the river and breakfast " +
		"until eleven. A quiet room in Príncipe Real, close to the gardens. And an old palace in Alfama, beautiful, " +
		"but the neighbours sing until two in the morning. I would take Graça: 🛏️ €92 a night, and the tram stops at " +
		"the door.")
}

func food(n *Lane) {
	n.Say("You will eat standing up by day and sitting down by night. Two of us are tasting ahead.")
}

// twoTables is what the food branch fans out into; it answers the node that ends it.
func twoTables(level *Lane) string {
	level.Edge("food", "next", "bakeries").Edge("food", "next", "kitchens")
	bakeries := level.Node("bakeries", "llm").Wait(250).Every(150)
	bakeries.Say("Start with a bifana at the counter, with mustard. 🥪 And every day, without discussion, one pastel de " +
		"nata, still warm, with cinnamon. The best ones are not where the queue is.")
	bakeries.Done(170, 41, 0)
	kitchens := level.Node("kitchens", "llm").Wait(400).Every(120)
	kitchens.Say("On Friday evening go to Alcântara for grilled sea bream and a green salad. Saturday is for the market: " +
		"oysters, sheep's cheese, a glass of vinho verde.")
	kitchens.Done(176, 38, 0)
	for _, n := range []*Lane{bakeries, kitchens} {
		end := &Lane{s: level.s, now: n.now}
		end.Edge(n.spine.NodeID, "next", "menu")
		level.After(end)
	}
	menu := level.Node("menu", "llm").Wait(300).Every(110)
	menu.Say("So: pastries in the morning, fish at night, and the market in between. 🐟")
	menu.Done(240, 19, 0)
	level.After(menu)
	return "menu"
}

func museums(n *Lane) {
	n.Every(120).Think("They like walking and music, so no more than two museums, near each other, for the hot hours.")
	n.Wait(400).Every(165).Say("Two are enough. The tile museum, in an old convent, shows five hundred years of " +
		"azulejos and a panorama of the city before the earthquake. 🖼️ The fado museum in Alfama is small; listen to " +
		"the recordings before your Saturday night, and you will hear much more.")
}

func music(n *Lane) {
	n.Say("Fado first, and in a small house: no more than thirty chairs, lights out, nobody talks. 🎶 The late set on " +
		"Saturday, at half past ten, is the one the singers come to. On Sunday afternoon there is a free concert in " +
		"the Estrela garden, usually morna from Cape Verde. Bring a blanket.")
}

func walks(n *Lane) {
	n.Say("Morning one: from Graça down through Mouraria to the river, before the heat. 👟 Morning two: the " +
		"aqueduct, fourteen arches above the valley; you can walk on top of it. Morning three: along the water from " +
		"Cais do Sodré to Belém, flat, seven kilometres, with a wind that smells of salt. The seven hills are steep. " +
		"Take the funicular up and walk down.")
}

func weather(n *Lane) {
	n.Say("Let me look that up.")
	n.Use("weather.lookup", `{"city":"Lisbon","from":"2026-05-29","to":"2026-06-01"}`, 1400,
		`{"days":[{"high_c":24,"low_c":16,"rain":0.05},{"high_c":26,"low_c":17,"rain":0.0},{"high_c":27,"low_c":17,"rain":0.0},{"high_c":23,"low_c":15,"rain":0.1}]}`)
	n.Say("Sunny, 24 to 27 °C, a breeze from the sea and almost no rain. ☀️ Evenings drop to 16 °C: bring something " +
		"with sleeves.")
}

func budget(n *Lane) {
	n.Say("Adding it up as the others report.")
	a := n.Artifact("budget", 0)
	a.Set(`{"currency":"EUR","flights":236,"total":236}`, wire.Building, false)
	n.Wait(2600)
	a.Set(`{"currency":"EUR","flights":236,"nights":276,"total":512}`, wire.Building, false)
	n.Wait(3200)
	a.Set(`{"currency":"EUR","flights":236,"nights":276,"food":240,"music":60,"transport":28,"total":840}`, wire.Final, true)
	n.Say("That leaves a little for a second dinner. 💶")
}

func packing(n *Lane) {
	n.Say("Good shoes, a hat, sun cream, a thin jumper, and an empty corner in the bag for sardine tins. 🧳")
}
