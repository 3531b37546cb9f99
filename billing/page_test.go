package billing

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// row is a field of a table of docs/billing.md.
type row struct {
	field, wire string
	kind        string // without its marks: "MicroUSD"
	list        bool
	required    bool
}

var tableRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `([^`]+)` \\|")

// tables reads docs/billing.md: the rows by the GraphQL type. Fields that the wire does not have are left out.
func tables(t testing.TB) map[string][]row {
	t.Helper()
	page, err := os.ReadFile("../docs/billing.md")
	require.NoError(t, err)
	all := map[string][]row{}
	for _, section := range regexp.MustCompile(`(?m)^### `).Split(string(page), -1)[1:] {
		name, _, _ := strings.Cut(section, "\n")
		for _, m := range tableRow.FindAllStringSubmatch(section, -1) {
			kind, required := strings.CutSuffix(m[2], "!")
			r := row{field: m[1], wire: snake(m[1]), kind: strings.Trim(kind, "[!]"), list: kind[0] == '[', required: required}
			if r.field != "current" {
				all[name] = append(all[name], r)
			}
		}
	}
	require.Len(t, all, 8)
	return all
}

func snake(camel string) string {
	var b strings.Builder
	for _, c := range camel {
		if unicode.IsUpper(c) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// fieldOf is the Go field that a GraphQL field is bound to, as gqlgen finds it.
func fieldOf(t testing.TB, v reflect.Value, field string) reflect.Value {
	t.Helper()
	found := v.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, field) })
	require.True(t, found.IsValid(), "%s has no field %s", v.Type(), field)
	return found
}

// goTypes are the types that GraphQL's are bound to.
var goTypes = map[string]reflect.Type{
	"BillingBalance":   reflect.TypeFor[Balance](),
	"BillingUsage":     reflect.TypeFor[Usage](),
	"BillingUsageLine": reflect.TypeFor[UsageLine](),
	"BillingPlans":     reflect.TypeFor[Plans](),
	"BillingPlan":      reflect.TypeFor[Plan](),
	"BillingInvoice":   reflect.TypeFor[Invoice](),
	"CreditGrantView":  reflect.TypeFor[CreditGrant](),
	"HostedCheckout":   reflect.TypeFor[HostedCheckout](),
	"MicroUSD":         reflect.TypeFor[int64](),
	"SafeInt":          reflect.TypeFor[int64](),
	"Int":              reflect.TypeFor[int](),
	"DateTime":         reflect.TypeFor[time.Time](),
	"Boolean":          reflect.TypeFor[bool](),
	"String":           reflect.TypeFor[string](),
	"ID":               reflect.TypeFor[string](),
}

// The page, the public contract and the Go types name the same fields and say the same of what may be null.
func TestThePageIsTheContract(t *testing.T) {
	text, err := os.ReadFile("../graph/testdata/contract.graphqls")
	require.NoError(t, err)
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "contract", Input: string(text)})
	require.NoError(t, err)
	for name, rows := range tables(t) {
		zero := reflect.New(goTypes[name]).Elem()
		fields := zero.NumField()
		def := schema.Types[name]
		require.NotNil(t, def, name)
		var said, want []string
		for _, r := range rows {
			typ := r.kind
			goType := goTypes[r.kind]
			switch {
			case r.list:
				typ, goType = "["+typ+"!]", reflect.SliceOf(goType)
			case !r.required:
				goType = reflect.PointerTo(goType)
			}
			if r.required {
				typ += "!"
			}
			said = append(said, r.field+": "+typ)
			assert.Equal(t, goType, fieldOf(t, zero, r.field).Type(), "%s.%s", name, r.field)
			fields--
		}
		for _, f := range def.Fields {
			if f.Name != "current" {
				want = append(want, f.Name+": "+f.Type.String())
			}
		}
		assert.ElementsMatch(t, want, said, name)
		assert.Zero(t, fields, "%s has fields that no table names", name)
	}
	page, err := os.ReadFile("../docs/billing.md")
	require.NoError(t, err)
	queries := regexp.MustCompile("(?s)```graphql\n(.*?)```").FindAllSubmatch(page, -1)
	require.Len(t, queries, 3)
	for _, q := range queries {
		_, errs := gqlparser.LoadQueryWithRules(schema, string(q[1]), nil)
		require.Empty(t, errs)
	}
}

// The messages that the page names are those that clients get.
func TestThePageNamesTheMessages(t *testing.T) {
	page, err := os.ReadFile("../docs/billing.md")
	require.NoError(t, err)
	for _, message := range []string{sayNoBilling, sayNotFound, sayNoPlan, sayUnreadable, sayUnsafePage} {
		assert.Contains(t, string(page), "| `"+message+"` |")
	}
}
