package billing

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// spelledIntegers are integers as JSON spells them, mostly about the bounds.
func spelledIntegers() *rapid.Generator[string] {
	about := func(n int64) *rapid.Generator[string] {
		return rapid.Map(rapid.Int64Range(-3, 3), func(d int64) string {
			return new(big.Int).Add(big.NewInt(n), big.NewInt(d)).String()
		})
	}
	return rapid.OneOf(
		about(maxInteger), about(-maxInteger), about(0), about(1<<31), about(-1<<31), about(1<<62), about(-1<<63), about(1<<32),
		rapid.Map(rapid.Int64(), func(n int64) string { return fmt.Sprint(n) }),
		rapid.StringMatching(`-?[1-9][0-9]{0,40}`),
	)
}

// Promise 3: an integer within the range comes out digit by digit; one beyond it, or in another form, is no answer.
func TestExactIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spelled := spelledIntegers().Draw(t, "integer")
		n, _ := new(big.Int).SetString(spelled, 10)
		safe := n.CmpAbs(big.NewInt(maxInteger)) <= 0
		balance, err := decodeBalance([]byte(`{"available_micro_usd":` + spelled + `}`))
		require.Equal(t, safe, err == nil, spelled)
		if safe {
			require.Equal(t, n.String(), fmt.Sprint(balance.AvailableMicroUsd))
		}
		small := n.IsInt64() && n.Int64() == int64(int32(n.Int64()))
		grants, err := decodeGrants([]byte(`{"grants":[{"id":"g","source":"s","amount_micro_usd":0,"priority":` + spelled + `}]}`))
		require.Equal(t, small, err == nil, spelled)
		if small {
			require.Equal(t, n.String(), fmt.Sprint(*grants[0].Priority))
		}
		other := rapid.SampledFrom([]string{".0", ".5", "e0", "e3", "E+1", "e-1", ".0e2"}).Draw(t, "other form")
		_, err = decodeBalance([]byte(`{"available_micro_usd":` + spelled + other + `}`))
		require.ErrorContains(t, err, "available_micro_usd "+notInteger)
	})
}

// Promise 3: an amount goes up as it was given, or not at all.
func TestExactAmounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(
			rapid.Int64(), rapid.Int64Range(-3, 3), rapid.Int64Range(maxInteger-3, maxInteger+3), rapid.Int64Range(1, maxInteger),
		).Draw(t, "amount")
		up := saying(`{"url":"https://pay.example.com/"}`)
		_, err := New(up).Topup(t.Context(), "", n, nil)
		if n < 1 || n > maxInteger {
			require.ErrorContains(t, err, fmt.Sprintf("BAD_USER_INPUT: amountMicroUsd takes 1 to 9007199254740991 millionths of a US dollar, not %d", n))
			require.Empty(t, up.asked)
			return
		}
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(`{"amount_micro_usd":%d}`, n), up.asked[0].body)
	})
}

// Times are asked for as they were given, to the nanosecond, in UTC.
func TestExactPeriods(t *testing.T) {
	instants := rapid.Custom(func(t *rapid.T) time.Time {
		zone := time.FixedZone("", rapid.IntRange(-23*60, 23*60).Draw(t, "zone")*60)
		// The years 1 to 9998, so that no zone carries an instant out of what can be spelled.
		return time.Unix(rapid.Int64Range(-62135596800, 253370764799).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "fraction")).In(zone)
	})
	rapid.Check(t, func(t *rapid.T) {
		from, to := instants.Draw(t, "from"), instants.Draw(t, "to")
		if rapid.Bool().Draw(t, "the same instant") {
			to = from.UTC()
		}
		up := saying(`{"used_micro_usd":0,"lines":[]}`)
		_, err := New(up).For("").Usage(t.Context(), &from, &to)
		if from.After(to) {
			require.EqualError(t, err, "BAD_USER_INPUT: from is after to")
			require.Empty(t, up.asked)
			return
		}
		require.NoError(t, err)
		require.Len(t, up.asked[0].query, 2)
		for name, want := range map[string]time.Time{"from": from, "to": to} {
			said := up.asked[0].query.Get(name)
			got, err := time.Parse(time.RFC3339Nano, said)
			require.NoError(t, err)
			require.True(t, want.Equal(got), "%s, not %s", got, want)
			require.True(t, strings.HasSuffix(said, "Z"), said)
		}
	})
}
