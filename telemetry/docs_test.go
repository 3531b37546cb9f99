package telemetry

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var fullName = regexp.MustCompile(`fqName: "([^"]+)"`)

// exposed are the names of all metrics, with how the names of a histogram's parts end.
func exposed() (names, parts []string) {
	m := NewMetrics()
	all := make(chan *prometheus.Desc, 1000)
	m.registry.Describe(all)
	newFigures(Sources{}).Describe(all)
	close(all)
	for d := range all {
		name := fullName.FindStringSubmatch(d.String())[1]
		names = append(names, name)
		parts = append(parts, name, name+"_bucket", name+"_sum", name+"_count")
	}
	return names, parts
}

// busNames are the names of the metrics of a bus, none of them a histogram.
func busNames() (names []string) {
	all := make(chan *prometheus.Desc, 100)
	newBusFigures(nil, nil).Describe(all)
	close(all)
	for d := range all {
		names = append(names, fullName.FindStringSubmatch(d.String())[1])
	}
	return names
}

// docs/operations.md has every metric of this project, and no other.
func TestEveryMetricIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/operations.md")
	require.NoError(t, err)
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(inlay_[a-z_]+)` ").FindAllStringSubmatch(string(text), -1) {
		documented[m[1]] = true
	}
	names, parts := exposed()
	for _, name := range names {
		if strings.HasPrefix(name, "inlay_") {
			assert.True(t, documented[name], "%s is not in the table", name)
		}
	}
	for name := range documented {
		assert.Contains(t, names, name)
	}
	for _, name := range regexp.MustCompile(`\b(?:inlay|go|process)_[a-z_]+[a-z]\b`).FindAllString(string(text), -1) {
		assert.Contains(t, parts, name)
	}
}

// Every metric that the dashboard asks for exists, and all of this project's are on it.
func TestTheDashboardIsOverWhatExists(t *testing.T) {
	text, err := os.ReadFile("../deploy/grafana.json")
	require.NoError(t, err)
	var dashboard struct {
		Title  string
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	names, parts := exposed()
	for _, name := range busNames() {
		names, parts = append(names, name), append(parts, name)
	}
	asked := map[string]bool{}
	metric := regexp.MustCompile(`\b[a-z]+_[a-z_]+\b`)
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			found := 0
			for _, word := range metric.FindAllString(regexp.MustCompile(`\$__[a-z_]+`).ReplaceAllString(target.Expr, ""), -1) {
				if word == "histogram_quantile" {
					continue
				}
				assert.Contains(t, parts, word, panel.Title)
				asked[word] = true
				found++
			}
			assert.Equal(t, 1, found, "%s: %s", panel.Title, target.Expr)
		}
	}
	assert.Greater(t, len(asked), 20)
	for _, name := range names {
		if strings.HasPrefix(name, "inlay_") {
			on := slices.ContainsFunc([]string{"", "_bucket", "_sum", "_count"}, func(end string) bool { return asked[name+end] })
			assert.True(t, on, "%s is on no panel", name)
		}
	}
}

// docs/scaling.md names no metric that does not exist, and every metric that its table has is on the dashboard.
func TestThePageOfTheBusNamesWhatExists(t *testing.T) {
	page, err := os.ReadFile("../docs/scaling.md")
	require.NoError(t, err)
	dashboard, err := os.ReadFile("../deploy/grafana.json")
	require.NoError(t, err)
	found := regexp.MustCompile("`(inlay_bus_[a-z_]+)`").FindAllStringSubmatch(string(page), -1)
	assert.GreaterOrEqual(t, len(found), len(busNames()))
	for _, m := range found {
		assert.Contains(t, busNames(), m[1])
		assert.Contains(t, string(dashboard), m[1]+"{")
	}
}
