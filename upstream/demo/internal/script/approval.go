package script

import (
	"time"

	"inlaygraph/wire"
)

// approval leaves two client tools pending, for a while, before they are answered and the run resumes.
func approval() *Script {
	s := Begin("demo-approval", "concierge", 2, "A table and two seats")
	run := s.Open(0)
	run.User("Book two seats for the concert on Friday, please. Not more than €120 in all.")

	desk := run.Node("concierge", "llm").Wait(500).Every(80)
	desk.Say("Let me see what is left.")
	desk.Bank()
	desk.Use("seats.search", `{"concert":"friday-20h","seats":2,"max_eur":120}`, 1200,
		`{"offers":[{"row":"F","seats":[11,12],"eur":96},{"row":"M","seats":[3,4],"eur":58}]}`)
	desk.Say("Two good offers: row F for €96, row M for €58. 🎻 I need a yes from you before I pay, and your choice " +
		"of seats.")
	desk.Bank()
	approve := desk.Call("approve_booking", `{"concert":"friday-20h","max_eur":96,"pay_with":"card ending in 4242"}`, true)
	desk.Wait(150)
	choose := desk.Call("choose_seats", `{"offers":[{"row":"F","eur":96},{"row":"M","eur":58}]}`, true)
	run.After(desk).Wait(100).Pause(wire.AwaitingClientTool)

	// Somebody thinks it over.
	again := s.Open(run.now + 40*time.Second)
	desk.After(again).Result(approve, `{"approved":true}`).Wait(80).Result(choose, `{"row":"F"}`)
	again.After(desk).Wait(200)
	desk.Resume(again, "llm").Wait(600)
	desk.Think("Approved, row F. Book, then confirm.")
	desk.Use("seats.book", `{"concert":"friday-20h","row":"F","seats":[11,12]}`, 900, `{"booking":"K7-204"}`)
	desk.Say("Done! Row F, seats 11 and 12, booking K7-204. Doors open at 19:15, the café a little earlier. 🎟️")
	desk.Bank()
	desk.Done(540, 96, 9)
	again.After(desk).Wait(150).Pause(wire.Paused)

	p := s.planned("Concierge")
	p.node("concierge", "llm", "Concierge")
	const concert = `"concert":{"type":"string"}`
	const row = `"row":{"type":"string","pattern":"^[A-Z]$"}`
	p.tool("seats.search", `{"type":"object","properties":{`+concert+`,"seats":{"type":"integer","minimum":1},`+
		`"max_eur":{"type":"number"}},"required":["concert","seats"]}`)
	p.clientTool("approve_booking", `{"type":"object","properties":{`+concert+`,"max_eur":{"type":"number"},`+
		`"pay_with":{"type":"string"}},"required":["concert","max_eur"],"additionalProperties":false}`)
	p.clientTool("choose_seats", `{"type":"object","properties":{"offers":{"type":"array","minItems":1,"items":`+
		`{"type":"object","properties":{`+row+`,"eur":{"type":"number"}},"required":["row","eur"]}}},"required":["offers"]}`)
	p.tool("seats.book", `{"type":"object","properties":{`+concert+`,`+row+`,"seats":{"type":"array","items":`+
		`{"type":"integer"}}},"required":["concert","row","seats"]}`)
	return s
}
