// Inlay GraphQL serves live AI-agent runs over GraphQL: it reads an agent platform's event stream, folds it
// into an in-memory projection and answers queries and subscriptions on it. This file is the command line;
// serve.go wires the server together. ARCHITECTURE.md says what lives where.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"inlaygraph/graph"
)

// cli is the command line. Every flag can also be given by environment (INLAY_…) or by --config.
type cli struct {
	Config kong.ConfigFlag `help:"Read flags from a JSON file: an object whose members are flag names." placeholder:"FILE"`

	Version kong.VersionFlag `env:"-" help:"Print the version of this build."`

	Serve       serveCommand       `cmd:"" default:"withargs" help:"Run the GraphQL server. Without --upstream it serves the embedded demo."`
	CheckConfig checkConfigCommand `cmd:"" help:"Say everything that is wrong with the configuration of serve, and leave."`
	Query       queryCommand       `cmd:"" help:"Fold a recording in this process and run one GraphQL operation on it."`
	Check       checkCommand       `cmd:"" help:"Fold a recording and print what was skipped or rejected, by line and reason."`
	Schema      schemaCommand      `cmd:"" help:"Print the GraphQL schema."`
}

// The exit codes (docs/cli.md).
const (
	exitOK    = 0
	exitFound = 1 // the response has errors, check found something, or serving failed
	exitUsage = 2 // bad usage, or a file that can't be read
)

// exit is an error that says which code to leave with.
type exit struct {
	code int
	err  error // printed unless nil
}

func (e exit) Error() string { return fmt.Sprintf("exit %d: %v", e.code, e.err) }

// streams are the standard streams, so that tests can give their own.
type streams struct{ out, err io.Writer }

func main() {
	os.Exit(run(signalled(), os.Args[1:], streams{os.Stdout, os.Stderr}))
}

// run is the whole program: it parses args, runs the command until it ends or ctx does, and returns the exit code.
func run(ctx context.Context, args []string, std streams) (code int) {
	defer func() { // kong leaves by panic(exitCode) when it has printed the help
		if r := recover(); r != nil {
			left, ok := r.(exitCode)
			if !ok {
				panic(r)
			}
			code = int(left)
		}
	}()
	var c cli
	without := map[string]bool{} // what is left out of the file
	parser, err := kong.New(&c,
		kong.Name("inlaygraph"),
		kong.Description("A GraphQL subscription server for live AI-agent runs."),
		kong.DefaultEnvars("INLAY"),
		kong.Vars{"version": version()},
		kong.Configuration(func(r io.Reader) (kong.Resolver, error) { return readConfig(r, without) }),
		kong.Writers(std.out, std.err),
		kong.Exit(func(code int) { panic(exitCode(code)) }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std),
		kong.UsageOnError(),
	)
	if err != nil {
		return usage(std, err)
	}
	var unread unreadable
	command, err := parser.Parse(args)
	if err != nil && asksToCheck(args) {
		command, unread, err = readRest(args, err, func(args []string, left map[string]bool) (*kong.Context, error) {
			maps.Copy(without, left)
			return parser.Parse(args)
		})
	}
	if err == nil {
		unread = append(unread, checkNumbers(command)...)
	}
	if err != nil || len(unread) > 0 && !asksToCheck(args) {
		return usage(std, append(unread, err)...)
	}
	var leave exit
	switch err := command.Run(unread); {
	case err == nil:
		return exitOK
	case errors.As(err, &leave):
		if leave.err != nil {
			for _, err := range split(leave.err) {
				fmt.Fprintln(std.err, "inlaygraph:", err)
			}
		}
		return leave.code
	default:
		return usage(std, err)
	}
}

type exitCode int

func usage(std streams, wrong ...error) int {
	for _, err := range wrong {
		if err != nil {
			fmt.Fprintln(std.err, "inlaygraph:", withoutValue(err))
		}
	}
	fmt.Fprintln(std.err, "Run with --help for the commands and flags.")
	return exitUsage
}

// version is the module's version or, of a build from a checkout, its commit.
func version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "inlaygraph, version unknown"
	}
	return "inlaygraph " + build.Main.Version + " " + build.GoVersion
}

type schemaCommand struct{}

// Run prints the schema as clients see it.
func (schemaCommand) Run(std streams) error {
	_, err := io.WriteString(std.out, graph.SDL)
	return err
}
