package billing

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

var safePages = []string{
	"https://checkout.example.com/c/pay/cs_test_a1#fidkdWxOYHwnPyd1blpxYHZxWjA0",
	"https://checkout.example.com",
	"HTTPS://Checkout.Example.COM/",
	"https://checkout.example.com:8443/?a=1&b={ID}|x@y;z",
	"https://checkout.example.com?to=http://elsewhere.example.com/@here",
	"https://10.0.0.1/", "https://[2001:db8::1]:443/", "https://xn--bcher-kva.example/",
	"http://localhost", "http://localhost:3000/pay", "http://LOCALHOST/", "http://127.0.0.1:8080/pay", "http://127.255.255.254/",
	"http://[::1]:8080/", "http://[0:0:0:0:0:0:0:1]/",
	"https://a.example/" + strings.Repeat("x", maxURL-len("https://a.example/")),
}

var unsafePages = []string{
	"", " ", "pay", "/pay", "//pay.example.com/", "?x", "#x", "checkout.example.com/pay", "https", "https:", "https:/", "https://",
	"https:pay.example.com", "https:/pay.example.com", "https:///pay", "https://:443/", "https://?x", "https://#x", ":", "://x",
	"http://pay.example.com/", "ftp://pay.example.com/", "javascript:alert(1)", "javascript://localhost/%0aalert(1)", "JavaScript:alert(1)",
	"data:text/html,x", "file:///etc/passwd", "wss://pay.example.com/", "httpss://pay.example.com/", "myapp://pay",
	"blob:https://pay.example.com/", "view-source:https://pay.example.com/",
	// http for the machine itself only
	"http://localhost.evil.example/", "http://127.0.0.1.evil.example/", "http://evil.example/localhost", "http://evil.example#localhost",
	"http://localhost./", "http://0.0.0.0/", "http://128.0.0.1/", "http://126.255.255.255/", "http://127.1/", "http://2130706433/",
	"http://0x7f.0.0.1/", "http://127.0.0.01/", "http://[::]/", "http://[::2]/", "http://[::ffff:127.0.0.1]/", "http://[::1%25lo]/",
	"http://[fe80::1]/", "http://10.0.0.1/",
	// user info, also where it is empty or looks like a host
	"https://user@pay.example.com/", "https://user:secret@pay.example.com/", "https://@pay.example.com/", "https://:@pay.example.com/",
	"https://bank.example.com@evil.example/", "http://localhost@evil.example/", "http://evil@localhost/", "https://bank.example.com%2f@evil.example/",
	// what browsers read otherwise
	`https:\\evil.example/`, `https:/\evil.example/`, `https://bank.example.com\@evil.example/`, `https://bank.example.com\.evil.example/`,
	"https://pay.example.com/\\x", " https://pay.example.com/", "https://pay.example.com/ ", "https://pay.example.com/a b",
	"\thttps://pay.example.com/", "ht\ntps://pay.example.com/", "https://pay.example.com/\r\nSet-Cookie: a=b", "https://pay.example.com/\x00",
	"https://pay.example.com/\x7f", "https://pay.example.com/\u0085", "https://pay.example.com/\u202egpj", "https://pаy.example.com/",
	"https://pay.example.com/é", "https://bank.example.com\uff0fevil.example/", "https://evil。example/", "\ufeffhttps://pay.example.com/",
	`https://pay.example.com/"onload="x`, "https://pay.example.com/<script>", "https://pay.example.com/`x`",
	// no host that there is
	"https://pay.example.com:0/", "https://pay.example.com:65536/", "https://pay.example.com:99999999999999999999/", "https://pay.example.com:x/",
	"https://pay.example.com:-1/", "https://%70ay.example.com/", "https://pay%2eexample.com/", "https://[::1/", "https://[]/", "https://]/", "https://a]/",
	"https://[127.0.0.1]/", "https://[fe80::1%25lo]/", "https://pay;example.com/", "https://pay'example.com/", "https://*/", "https://a,b/",
	"https://[pay]/",
	"https://pay.example.com/%zz", "https://a.example/" + strings.Repeat("x", maxURL-len("https://a.example/")+1),
}

// Promise 8: the same rule for the page that upstream gives and, by promise 7, for the one to come back to.
func TestPages(t *testing.T) {
	for _, a := range answers {
		if a.typ != "HostedCheckout" {
			continue
		}
		for _, page := range safePages {
			value, err := a.read(t, spell(map[string]string{"url": page}))
			require.NoError(t, err, page)
			assert.Equal(t, &HostedCheckout{URL: page}, value)
		}
		for _, page := range unsafePages {
			value, err := a.read(t, spell(map[string]string{"url": page}))
			assert.Equal(t, "url is no absolute https URL that is safe to open", requireNonsense(t, a, value, err), page)
		}
		value, err := a.read(t, []byte("{\"url\":\"https://pay.example.com/\xff\"}"))
		requireNonsense(t, a, value, err)
	}
	for _, page := range safePages {
		up := saying(`{"url":"https://pay.example.com/"}`)
		require.NoError(t, second(New(up).Topup(t.Context(), "", 1, &page)), page)
		require.NoError(t, second(New(up).SubscribeCheckout(t.Context(), "", "pro", &page)), page)
		require.Len(t, up.asked, 2)
	}
	for _, page := range unsafePages {
		up := saying(`{"url":"https://pay.example.com/"}`)
		for _, err := range []error{
			second(New(up).Topup(t.Context(), "", 1, &page)), second(New(up).SubscribeCheckout(t.Context(), "", "pro", &page)),
		} {
			require.EqualError(t, err, string(coded.BadUserInput)+": "+sayReturn, page)
		}
		require.Empty(t, up.asked)
	}
}
