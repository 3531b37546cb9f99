// The program figures reads what `go test -json` writes and prints it as `go test` does: a line for each package, and all
// that a failed test said. Then it prints the lines that tests write to be counted, which begin with "figures: ", and what it
// counted itself.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is one line of `go test -json`.
type event struct {
	Action, Package, Test, Output string
}

// counts is what there was of something.
type counts struct{ passed, failed, skipped, seeds int }

func main() {
	failed, err := report(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

// report prints what there is to see, and tells whether anything failed.
func report(in io.Reader, out io.Writer) (failed bool, err error) {
	var tests counts
	packages := 0
	said := map[string][]string{} // by package and test, until it is known how it ended
	var figures []string
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return failed, err
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil { // what go says beside the events
			fmt.Fprint(out, line)
			continue
		}
		key := e.Package + " " + e.Test
		switch e.Action {
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "build-fail":
			failed = true
		case "output":
			if strings.HasPrefix(e.Output, "figures: ") {
				figures = append(figures, e.Output)
			}
			said[key] = append(said[key], e.Output)
		case "fail":
			failed = true
			fmt.Fprint(out, strings.Join(said[key], ""))
			delete(said, key)
			if e.Test != "" {
				tests.failed++
			}
		case "pass", "skip":
			switch {
			case e.Test == "":
				packages++
				fmt.Fprint(out, lastLine(said[key]))
			case e.Action == "skip":
				tests.skipped++
			default:
				tests.passed++
				if strings.HasPrefix(e.Test, "Fuzz") && strings.Contains(e.Test, "/") {
					tests.seeds++
				}
			}
			delete(said, key)
		}
	}
	for _, line := range figures {
		fmt.Fprint(out, line)
	}
	fmt.Fprintf(out, "figures: tests: packages %d, tests passed %d, failed %d, skipped %d, fuzz seeds run %d\n", packages, tests.passed, tests.failed, tests.skipped, tests.seeds)
	return failed, nil
}

// lastLine is where go test says how a package went.
func lastLine(said []string) string {
	if len(said) == 0 {
		return ""
	}
	return said[len(said)-1]
}
