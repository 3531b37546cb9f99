package billing

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

func FuzzBalance(f *testing.F)   { fuzz(f, answers[0]) }
func FuzzUsage(f *testing.F)     { fuzz(f, answers[1]) }
func FuzzPlans(f *testing.F)     { fuzz(f, answers[2]) }
func FuzzInvoices(f *testing.F)  { fuzz(f, answers[3]) }
func FuzzGrants(f *testing.F)    { fuzz(f, answers[4]) }
func FuzzTopup(f *testing.F)     { fuzz(f, answers[5]) }
func FuzzSubscribe(f *testing.F) { fuzz(f, answers[6]) }

// fuzz asks for one answer, whatever its bytes: it is read as another reader of JSON reads it by the page's tables, or it
// is no answer, and then those tables say so, too.
func fuzz(f *testing.F, a answer) {
	rows := tables(f)
	f.Add(a.sample(f))
	for _, s := range a.spots(f) {
		f.Add(with(f, a.sample(f), s, "null"))
		f.Add(with(f, a.sample(f), s, "1.0"))
	}
	f.Add([]byte("\ufeff{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		value, err := a.read(t, text)
		require.Equal(t, before, text, "the bytes are the caller's")
		var object any
		tokens := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
		tokens.UseNumber()
		valid := tokens.Decode(&object) == nil && !tokens.More()
		if err != nil {
			cause := requireNonsense(t, a, value, err)
			require.Regexp(t, `^(the answer|[a-z_]+(\[\d+\](\.[a-z_]+)?)*) is [^"]{1,80}$`, cause)
			// Of a member told twice the tables' reading keeps the last, the reader may have refused the first.
			twice := !jsontext.Value(bytes.TrimPrefix(text, []byte("\ufeff"))).IsValid()
			if twice || strings.Contains(cause, notTime) || strings.Contains(cause, notObject) {
				return
			}
			require.False(t, agrees(t, rows, a, nil, object), "%s", cause)
			return
		}
		require.True(t, valid)
		require.True(t, agrees(t, rows, a, value, object))
	})
}

// agrees tells whether an answer is one by the tables, and checks that it reads as value, unless that is nil.
func agrees(t *testing.T, rows map[string][]row, a answer, value, object any) bool {
	v := reflect.Value{}
	if value != nil {
		v = reflect.ValueOf(value).Elem()
	}
	if a.list == "" {
		return agreesObject(t, rows, a.typ, v, object)
	}
	members, ok := object.(map[string]any)
	return ok && agreesValue(t, rows, row{kind: a.typ, list: true}, v, members[a.list])
}

func agreesObject(t *testing.T, rows map[string][]row, typ string, v reflect.Value, object any) bool {
	members, ok := object.(map[string]any)
	if !ok {
		return false
	}
	for _, r := range rows[typ] {
		said := members[r.wire]
		if r.kind == "ID" && said == "" {
			said = nil
		}
		field := reflect.Value{}
		if v.IsValid() {
			field = fieldOf(t, v, r.field)
		}
		if said == nil {
			if r.required {
				return false
			}
			require.True(t, !v.IsValid() || field.IsNil(), r.field)
			continue
		}
		if v.IsValid() {
			field = reflect.Indirect(field)
		}
		if !agreesValue(t, rows, r, field, said) {
			return false
		}
	}
	return true
}

func agreesValue(t *testing.T, rows map[string][]row, r row, v reflect.Value, said any) bool {
	if r.list {
		list, ok := said.([]any)
		if !ok {
			return false
		}
		require.True(t, !v.IsValid() || v.Len() == len(list))
		r.list = false
		for i, one := range list {
			element := reflect.Value{}
			if v.IsValid() {
				element = v.Index(i)
			}
			if !agreesValue(t, rows, r, element, one) {
				return false
			}
		}
		return true
	}
	same := func(want any) {
		if v.IsValid() {
			require.Equal(t, want, v.Interface())
		}
	}
	switch r.kind {
	case "MicroUSD", "SafeInt", "Int":
		number, _ := said.(json.Number)
		n, ok := new(big.Int).SetString(string(number), 10)
		switch {
		case !ok || n.CmpAbs(big.NewInt(1<<53)) >= 0:
			return false
		case r.kind == "Int":
			same(int(n.Int64()))
			return n.Int64() == int64(int32(n.Int64()))
		}
		same(n.Int64())
		return true
	case "Boolean":
		_, ok := said.(bool)
		same(said)
		return ok
	case "DateTime":
		text, _ := said.(string)
		at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
		same(at.UTC())
		return err == nil
	case "String", "ID":
		text, ok := said.(string)
		if ok && r.field == "url" {
			ok = opens(text)
		}
		same(said)
		return ok
	}
	return agreesObject(t, rows, r.kind, v, said)
}

// pageForm is a page that may be opened, as RFC 3986 and the rule of docs/billing.md spell it.
var pageForm = regexp.MustCompile("^(?i:https://(\\[[0-9a-f:.]+\\]|[0-9a-z._-]+)|http://(localhost|127(\\.[0-9]{1,3}){3}|\\[[0:]*:0*1\\]))" +
	"(:[0-9]{0,5})?([/?#][!#-;=?-\\[\\]-_a-z{-~]*)?$")

func opens(page string) bool {
	_, err := url.Parse(page)
	return err == nil && len(page) <= 8192 && pageForm.MatchString(page) && safePage(page)
}

// Promise 8 on whatever URL: what is taken has the form of one, names its host before anything else, and leads away from
// the user's machine by https only.
func FuzzPage(f *testing.F) {
	for _, page := range append(safePages, unsafePages...) {
		if len(page) < 256 {
			f.Add(page)
		}
	}
	f.Fuzz(func(t *testing.T, page string) {
		if safePage(page) {
			require.Regexp(t, pageForm, page)
			require.LessOrEqual(t, len(page), 8192)
		}
	})
}
