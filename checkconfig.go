package main

import (
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// checkConfigCommand tells what is wrong with a configuration (docs/cli.md, "check-config"). Its flags are those of serve.
type checkConfigCommand struct{ serveCommand }

// Run says everything that serve would refuse, and what is doubtful.
func (c *checkConfigCommand) Run(std streams, unread unreadable) error {
	wrong, doubts := c.check()
	for _, doubt := range doubts {
		fmt.Fprintln(std.out, "warning:", doubt)
	}
	wrong = append(unread, wrong...)
	for _, err := range wrong {
		fmt.Fprintln(std.err, "inlaygraph:", err)
	}
	switch len(wrong) {
	case 0:
		fmt.Fprintln(std.out, "The configuration is good.")
		return nil
	case 1:
		return exit{exitUsage, fmt.Errorf("1 fault in the configuration")}
	}
	return exit{exitUsage, fmt.Errorf("%d faults in the configuration", len(wrong))}
}

// unreadable are flags whose values are none.
type unreadable []error

// asksToCheck tells whether a command line is one of check-config, whatever its flags.
func asksToCheck(args []string) bool { return slices.Contains(args, "check-config") }

var (
	namedFlag     = regexp.MustCompile(`--([a-z0-9][a-z0-9-]*)`)
	namedVariable = regexp.MustCompile(`\(from envar (INLAY_[A-Z0-9_]+)=`)
	quotedHeader  = regexp.MustCompile(` but got ".*"`)
	quotedValue   = regexp.MustCompile(`(\(from envar \w+)=.*\)`)
)

// maxUnreadable is how many flags may be unreadable before the rest is left.
const maxUnreadable = 100

// readRest reads a configuration without the flags that cannot be read, each of which it adds to those that err tells of.
// parse reads the command line args, and from the file all but some flags. The environment is as it was when it returns.
// The last error is one that names no flag: the rest cannot be read.
func readRest(args []string, err error, parse func(args []string, without map[string]bool) (*kong.Context, error)) (*kong.Context, unreadable, error) {
	var unread unreadable
	without := map[string]bool{}
	taken := map[string]string{}
	defer func() {
		for name, value := range taken {
			_ = os.Setenv(name, value) // it was one
		}
	}()
	for range maxUnreadable {
		flags := flagsOf(err)
		if len(flags) == 0 {
			return nil, unread, err
		}
		unread = append(unread, withoutValue(err))
		known := len(args) + len(taken) + len(without)
		left := args
		for _, flag := range flags {
			left = withoutFlag(left, flag)
			without[flag] = true
			variable := "INLAY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
			if value, set := os.LookupEnv(variable); set {
				taken[variable] = value
				_ = os.Unsetenv(variable)
			}
		}
		if len(left)+len(taken)+len(without) == known && len(left) == len(args) {
			return nil, unread[:len(unread)-1], err
		}
		args = left
		var command *kong.Context
		if command, err = parse(args, without); err == nil {
			return command, unread, nil
		}
	}
	return nil, unread, err
}

// flagsOf are the flags that an error is about.
func flagsOf(err error) []string {
	if names, ok := unknownMembers(err); ok {
		return names
	}
	text := err.Error()
	if found := namedVariable.FindStringSubmatch(text); found != nil {
		return []string{strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(found[1], "INLAY_"), "_", "-"))}
	}
	if found := namedFlag.FindStringSubmatch(text); found != nil && found[1] != "config" {
		return []string{found[1]}
	}
	return nil
}

// withoutValue is an error without the value of a variable or of a header, which may be a secret.
func withoutValue(err error) error {
	text := err.Error()
	clean := quotedValue.ReplaceAllString(text, "$1)")
	if strings.HasPrefix(text, "--upstream-header") {
		clean = quotedHeader.ReplaceAllString(clean, "")
	}
	if clean != text {
		return fmt.Errorf("%s", clean)
	}
	return err
}

// withoutFlag is a command line without a flag and its value.
func withoutFlag(args []string, flag string) []string {
	var left []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		if name != "--"+flag {
			left = append(left, args[i])
			continue
		}
		if !joined && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && args[i+1] != "check-config" {
			i++
		}
	}
	return left
}

// check looks at a configuration as a whole: what serve refuses, and what it takes though it may not be meant. It listens on
// nothing and asks nobody.
func (c *serveCommand) check() (wrong []error, doubts []string) {
	f := &faults{}
	c.checkAddresses(f)
	c.checkTokens(f)
	c.checkUpstream(f)
	c.checkBus(f)
	c.checkLimits(f)
	c.checkOrigins(f)
	c.checkOperations(f)
	return f.wrong, f.doubts
}

// faults are what is found.
type faults struct {
	wrong  []error
	doubts []string
}

func (f *faults) refuse(format string, args ...any) {
	f.wrong = append(f.wrong, fmt.Errorf(format, args...))
}

func (f *faults) doubt(format string, args ...any) {
	f.doubts = append(f.doubts, fmt.Sprintf(format, args...))
}

// tokenDoubt begins what a verifier of tokens logs itself when it starts.
const tokenDoubt = "tokens: "

// warn logs what is doubtful.
func warn(log *slog.Logger, doubts []string) {
	for _, doubt := range doubts {
		if !strings.HasPrefix(doubt, tokenDoubt) {
			log.Warn("configuration", "doubt", doubt)
		}
	}
}

func (c *serveCommand) checkAddresses(f *faults) {
	f.checkAddress("--listen", c.Listen)
	if c.AdminListen != "" {
		f.checkAddress("--admin-listen", c.AdminListen)
	}
	if same(c.Listen, c.AdminListen) {
		f.refuse("--admin-listen: %s is the address of --listen: without --admin-listen, a loopback address has the metrics too", c.AdminListen)
	}
	if c.Pprof && c.AdminListen == "" {
		f.refuse("--pprof: profiles are served on --admin-listen alone, which is not given")
	}
	if c.Pprof && c.AdminListen != "" && !isLoopback(c.AdminListen) {
		f.doubt("--pprof: whoever reaches --admin-listen %s reads profiles, and can keep the server busy", c.AdminListen)
	}
}

func isAddress(text string) bool {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	return err == nil
}

func (f *faults) checkAddress(flag, address string) {
	if !isAddress(address) {
		f.refuse("%s: %q is not an address like 127.0.0.1:8080", flag, address)
	}
}

// same tells whether two addresses are one, which port 0 never is.
func same(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB || portA == "0" {
		return false
	}
	everywhere := map[string]bool{"": true, "0.0.0.0": true, "::": true}
	return hostA == hostB || everywhere[hostA] || everywhere[hostB]
}

// What two limits are by default. One that was not given gives way to another that is lower.
const (
	defaultWindowRows   = 500
	defaultContentBytes = 256 << 10
)

func (c *serveCommand) checkLimits(f *faults) {
	if c.WindowRows > c.MaxWindowRows && c.WindowRows != defaultWindowRows {
		f.refuse("--window-rows: %d is more than --max-window-rows, which is %d", c.WindowRows, c.MaxWindowRows)
	}
	if int64(c.MaxContentBytes) > c.MaxRequestBytes && c.MaxContentBytes != defaultContentBytes {
		f.refuse("--max-content-bytes: %d is more than --max-request-bytes, which is %d: no request could bring so much", c.MaxContentBytes, c.MaxRequestBytes)
	}
	if c.TraceRatio < 0 || c.TraceRatio > 1 {
		f.refuse("--trace-ratio: %v is not between 0 and 1", c.TraceRatio)
	}
	if c.Upstream != "" && c.DemoRecordings != "" {
		f.doubt("--demo-recordings is without effect: there is an --upstream")
	}
	if c.Upstream != "" && c.DemoSpeed != 1 {
		f.doubt("--demo-speed is without effect: there is an --upstream")
	}
}

// unknownFlags are members of a configuration file that are no flags.
type unknownFlags map[string]bool

func (u unknownFlags) Error() string {
	return "--config: no flag is called " + strings.Join(slices.Sorted(maps.Keys(u)), ", ")
}
