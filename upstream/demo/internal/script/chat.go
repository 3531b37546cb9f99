package script

import "inlaygraph/wire"

// chat is one model that thinks before it answers.
func chat() *Script {
	s := Begin("demo-chat", "companion", 1, "Why is the sky blue?")
	run := s.Open(0)
	run.User("Why is the sky blue, and why are sunsets red? Keep it short, please 🙂")

	answer := run.Node("answer", "llm").Wait(900).Every(75)
	answer.Think("The user wants a short answer. The key is Rayleigh scattering: shorter wavelengths scatter far " +
		"more strongly, roughly with the inverse fourth power of the wavelength. I should mention why the sky is " +
		"not violet, then the long path of light at sunset. Two or three short paragraphs will do.")
	answer.Wait(500).Every(85)
	answer.Say("Sunlight looks white, but it is a mix of every colour. 🌈 When it meets the air, the tiny molecules " +
		"scatter blue light about ten times more strongly than red. So wherever you look, a bit of scattered blue " +
		"comes back to you, and the whole sky glows.\n\n" +
		"Violet scatters even more, but the sun sends less of it and our eyes barely notice.\n\n" +
		"At sunset the light travels through far more air. Most of the blue is lost on the way, and what arrives " +
		"is red and gold. 🌅\n\n" +
		"Lord Rayleigh worked this out in 1871, over a good cafe\u0301 au lait, one likes to think.")
	answer.Bank()
	answer.Wait(80).Done(48, 171, 66)

	run.After(answer).Wait(150).Edge("answer", "next", "follow_up")
	hint := run.Node("follow_up", "grounded_answer").Wait(600).Every(95)
	hint.Say("Want to see it at home? Stir a drop of milk into a glass of water and shine a torch through it: from " +
		"the side it looks bluish, from the far end orange. 🔦🥛")
	hint.Done(230, 44, 0)

	run.After(hint).Wait(150).Pause(wire.Paused)

	p := s.planned("Companion")
	p.node("answer", "llm", "Answer")
	p.node("follow_up", "grounded_answer", "Follow-up")
	p.edge("answer", "next", "follow_up")
	return s
}
