package script

import (
	"time"

	"inlaygraph/wire"
)

// failure is a run that fails, with an error of every kind on its way, and the retry that succeeds.
func failure() *Script {
	s := Begin("demo-failure", "release-bot", 6, "Ship version 2.4")
	run := s.Open(0)
	run.User("Ship version 2.4 if everything is green. 🚢")

	plan := run.Node("plan", "llm").Wait(400).Every(80)
	plan.Say("Build first, then tests, lint and docs side by side, then the release notes.")
	plan.Done(110, 20, 0)
	run.After(plan).Edge("plan", "next", "build")
	build := run.Node("build", "tool").Wait(200)
	build.Use("ci.build", `{"ref":"v2.4"}`, 2200, `{"ok":true,"seconds":41}`)
	build.Done()
	run.After(build)
	for _, to := range []string{"tests", "lint", "docs"} {
		run.Edge("build", "next", to)
	}

	tests := run.Node("tests", "tool").Wait(200)
	tests.Use("ci.test", `{"ref":"v2.4","shards":4}`, 3800, `{"error":"the runner went away"}`)
	tests.Broken(wire.ErrorTool, "The test runner stopped answering.")
	lint := run.Node("lint", "llm").Wait(500).Every(260)
	lint.Say("Reading the diff. Three files so far, nothing alarming; one name could be")
	lint.StopAt(tests.now + 120*time.Millisecond).Cancelled()
	docs := run.Node("docs", "llm").Wait(400).Every(120)
	docs.Say("The changelog is up to date. Two links were broken; I fixed them. 📚")
	docs.Done(300, 19, 0)

	run.After(tests, lint, docs).Wait(150).Edge("tests", "error", "gate")
	gate := run.Node("gate", "router").Wait(350).Broken(wire.ErrorCondition, "No branch fits: the tests have no result.")
	run.After(gate).Edge("gate", "error", "notes")
	notes := run.Node("notes", "llm").Wait(1500)
	notes.Broken(wire.ErrorLLM, "The model did not answer in time.")
	run.After(notes).Wait(250).Fail(wire.ErrorInternal, "The release could not be finished.")

	// The retry: nodes that failed are visited anew.
	retry := s.Open(run.now + 6*time.Second).Wait(300)
	tests = retry.Node("tests", "tool").Wait(200)
	tests.Use("ci.test", `{"ref":"v2.4","shards":4}`, 2900, `{"passed":1312,"failed":0}`)
	tests.Done()
	lint = retry.Node("lint", "llm").Wait(400).Every(110)
	lint.Say("Read all seven files. Nothing alarming. 👌")
	lint.Bank()
	lint.Done(780, 12, 0)
	retry.After(tests, lint).Edge("tests", "next", "gate").Edge("lint", "next", "gate")
	gate = retry.Node("gate", "router").Wait(300).Done(64, 2, 0)
	retry.After(gate).Edge("gate", "green", "notes")
	notes = retry.Node("notes", "llm").Wait(600).Every(80)
	notes.Think("Keep it to what users notice.")
	notes.Say("Version 2.4 is out! 🎉 Faster start, a calmer café theme, and the re\u0301sume\u0301 import that many of you asked " +
		"for. 1,312 tests passed.")
	notes.Bank()
	notes.Done(450, 41, 8)
	retry.After(notes).Wait(150).Pause(wire.Paused)
	releasePlan(s)
	return s
}

func releasePlan(s *Script) {
	p := s.planned("Release bot")
	p.node("plan", "llm", "Plan")
	p.node("build", "tool", "Build")
	p.node("tests", "tool", "Tests", "next", "error")
	p.node("lint", "llm", "Lint")
	p.node("docs", "llm", "Docs")
	p.node("gate", "router", "Gate", "green", "error")
	p.node("notes", "llm", "Release notes")
	p.edge("plan", "next", "build")
	checks := []string{"tests", "lint", "docs"}
	for _, id := range checks {
		p.edge("build", "next", id)
	}
	for _, id := range checks {
		p.edge(id, "next", "gate")
	}
	p.edge("tests", "error", "gate")
	p.edge("gate", "green", "notes")
	p.edge("gate", "error", "notes")
	p.region("build", "gate", checks[:1], checks[1:2], checks[2:])
	const ref = `"ref":{"type":"string","pattern":"^v[0-9]"}`
	p.tool("ci.build", `{"type":"object","properties":{`+ref+`},"required":["ref"],"additionalProperties":false}`)
	p.tool("ci.test", `{"type":"object","properties":{`+ref+`,"shards":{"type":"integer","minimum":1}},"required":["ref"]}`)
}
