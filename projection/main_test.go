package projection

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain sizes the property tests so that the package is tested within seconds; -rapid.checks asks for more.
// A failure prints its seed, which is all that is needed to see it again, so no files are written.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": "30", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}
