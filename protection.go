package main

import "inlaygraph/session"

// protectionFlags say how much one user may ask for (docs/service.md, "Limits").
type protectionFlags struct {
	MaxOperationsPerSecondPerUser int `default:"100" orzero:"" help:"Operations that one user may begin in a second, refused ones included; 0: as many as come. Where nobody shows a token: of one address, loopback apart."`
	MaxOperationsBurstPerUser     int `default:"1000" help:"Operations that one user may begin at once."`
	MaxSendsPerMinutePerUser      int `default:"120" orzero:"" help:"Runs that one user may begin in a minute, or at once, by send or retry; 0: as many as come."`
}

func (f *protectionFlags) rates() session.Rates {
	return session.Rates{
		OperationsPerSecond: f.MaxOperationsPerSecondPerUser,
		OperationsBurst:     f.MaxOperationsBurstPerUser,
		SendsPerMinute:      f.MaxSendsPerMinutePerUser,
	}
}

// introspection tells whether the schema is told by the API, and guessed at in messages: in the demo, else when asked
// for.
func (c *serveCommand) introspection() bool { return c.Upstream == "" || c.Introspection }

// maxHeaderBytes bounds a request's header, with the operation that a GET has in its URL: a token takes 16 KiB at most.
const maxHeaderBytes = 128 << 10
