package tests

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// check-config says everything that is wrong, naming the flag, and serve refuses the same (docs/cli.md, "check-config").
func TestCheckConfig(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	certFile, keyFile, _ := keyFiles(t)
	_, otherKey, _ := keyFiles(t)
	plan := put("plan.json", `{"agent_id":"a","agent_version":1,"nodes":[{"path":[]}]}`)
	config := put("config.json", `{"max-tokens":"many","listne":"x","window-rows":30000,"trusted-proxy":["10.0.0.0/8","x"]}`)
	const upstream = "--upstream=http://127.0.0.1:9"
	for name, tc := range map[string]struct {
		env   []string
		args  []string
		wrong []string // what each line on standard error says, in any order; none: the configuration is good
		warns []string // on standard output
	}{
		"the demo":             {nil, nil, nil, nil},
		"a platform":           {nil, []string{"--upstream=https://platform.example", "--jwks-url=https://issuer.example/keys", "--jwt-audience=inlay"}, nil, nil},
		"all of operations":    {nil, []string{"--admin-listen=127.0.0.1:9090", "--pprof", "--tls-cert", certFile, "--tls-key", keyFile, "--trusted-proxy=10.0.0.0/8", "--trusted-proxy=::1", "--drain-delay-seconds=5", "--trace-ratio=0"}, nil, nil},
		"a window":             {nil, []string{"--window-rows=30000"}, []string{"--window-rows: 30000 is more than --max-window-rows, which is 20000"}, nil},
		"one address twice":    {nil, []string{"--listen=127.0.0.1:80", "--admin-listen=127.0.0.1:80"}, []string{"--admin-listen: 127.0.0.1:80 is the address of --listen"}, nil},
		"one port of all":      {nil, []string{"--listen=127.0.0.1:80", "--admin-listen=0.0.0.0:80"}, []string{"--admin-listen"}, nil},
		"free ports":           {nil, []string{"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0"}, nil, nil},
		"no addresses":         {nil, []string{"--listen=nowhere", "--admin-listen=127.0.0.1:many"}, []string{`--listen: "nowhere" is not an address`, `--admin-listen: "127.0.0.1:many" is not an address`}, nil},
		"a certificate alone":  {nil, []string{"--tls-cert", certFile}, []string{"--tls-cert: its key is missing"}, nil},
		"a key alone":          {nil, []string{"--tls-key", keyFile}, []string{"--tls-key: its certificate is missing"}, nil},
		"another's key":        {nil, []string{"--tls-cert", certFile, "--tls-key", otherKey}, []string{"--tls-cert, --tls-key"}, nil},
		"no certificate":       {nil, []string{"--tls-cert", "nowhere.pem", "--tls-key", keyFile}, []string{"--tls-cert, --tls-key: open nowhere.pem"}, nil},
		"no key file":          {nil, []string{upstream, "--jwt-public-key=nowhere.pem"}, []string{"--jwt-public-key: open nowhere.pem"}, nil},
		"an open key URL":      {nil, []string{upstream, "--jwks-url=http://issuer.example"}, []string{"--jwks-url: the JWKS URL must be https"}, nil},
		"two algorithms":       {nil, []string{"--jwt-secret", jwtSecret, "--jwt-alg=RS256", "--jwt-alg=X1"}, []string{"RS256 goes with an RSA key", `"X1" is not an algorithm`}, nil},
		"nobody is asked":      {nil, []string{upstream}, []string{"--upstream needs --jwt-secret"}, nil},
		"a plan":               {nil, []string{"--plan", plan}, []string{"--plan: " + plan}, nil},
		"plans":                {nil, []string{"--plan", plan, "--plan", "nowhere.json"}, []string{"--plan: " + plan, "--plan: stat nowhere.json"}, nil},
		"recordings":           {nil, []string{"--demo-recordings", folder}, []string{"--demo-recordings"}, nil},
		"origins":              {nil, []string{"--allow-origin=a", "--allow-origin=https://ok.example", "--allow-origin=b/c"}, []string{`"a" is not an origin`, `"b/c" is not an origin`}, nil},
		"proxies":              {nil, []string{"--trusted-proxy=proxy.example", "--trusted-proxy=10.0.0.0/40"}, []string{`--trusted-proxy: "proxy.example"`, `--trusted-proxy: "10.0.0.0/40"`}, nil},
		"profiles for all":     {nil, []string{"--pprof"}, []string{"--pprof"}, nil},
		"a ratio":              {nil, []string{"--trace-ratio=2"}, []string{"--trace-ratio: 2 is not between 0 and 1"}, nil},
		"a negative ratio":     {nil, []string{"--trace-ratio=-1"}, []string{"--trace-ratio: -1 is out of range", "--trace-ratio: -1 is not between"}, nil},
		"a collector":          {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318"}, nil, []string{"OTEL_EXPORTER_OTLP_ENDPOINT is not a URL"}, nil},
		"numbers":              {nil, []string{"--max-tokens=0", "--drain-seconds=0", "--max-depth=-1"}, []string{"--max-tokens: 0", "--drain-seconds: 0", "--max-depth: -1"}, nil},
		"no numbers":           {[]string{"INLAY_MAX_DEPTH=deep"}, []string{"--max-tokens=many", "--max-aliases-per-field", "some"}, []string{"--max-tokens", "--max-depth", "--max-aliases-per-field"}, nil},
		"a content":            {nil, []string{"--max-content-bytes=3000000"}, []string{"--max-content-bytes: 3000000 is more than --max-request-bytes"}, nil},
		"lower limits":         {nil, []string{"--max-window-rows=100", "--max-request-bytes=1000", "--max-connections=10"}, nil, nil},
		"a file":               {nil, []string{"--config", config}, []string{"--max-tokens", "no flag is called listne", "--window-rows", `--trusted-proxy: "x"`}, nil},
		"a flag too many":      {nil, []string{"--dance", "--window-rows=30000"}, []string{"unknown flag --dance", "--window-rows"}, nil},
		"little memory":        {[]string{"GOMEMLIMIT=10MiB"}, nil, []string{"GOMEMLIMIT: 10485760 bytes are less than the 64 MiB"}, nil},
		"memory":               {[]string{"GOMEMLIMIT=100MiB"}, nil, nil, nil},
		"a header":             {[]string{"INLAY_UPSTREAM_HEADER=" + secretly}, []string{upstream, "--insecure"}, []string{"--upstream-header"}, nil},
		"no header's name":     {nil, []string{upstream, "--insecure", "--upstream-header", "X-Key: " + secretly + "=x"}, []string{"--upstream-header: what stands before the = is not the name of a header"}, nil},
		"no header's value":    {nil, []string{upstream, "--insecure", "--upstream-header", "X-Key=" + secretly + "\r\nX: y"}, []string{"--upstream-header: the value of X-Key has a character"}, nil},
		"a password":           {nil, []string{"--insecure", "--upstream=http://user:sesame@platform.example"}, []string{"--upstream: upstream URL: want no user or password in it"}, nil},
		"a bad password":       {nil, []string{"--insecure", "--upstream=http://user:" + secretly + "@platform.example:x"}, []string{"--upstream: upstream URL: invalid port"}, nil},
		"headers in a list":    {nil, []string{upstream, "--insecure", "--config", put("list.json", `{"upstream-header":["A=`+secretly+`"]}`)}, []string{"--upstream-header: in the file it is an object of texts"}, nil},
		"headers in lists":     {nil, []string{upstream, "--insecure", "--config", put("lists.json", `{"upstream-header":{"A":["`+secretly+`"]}}`)}, []string{"--upstream-header: in the file it is an object of texts"}, nil},
		"all may read":         {nil, []string{upstream, "--insecure", "--listen=0.0.0.0:80"}, nil, []string{"--insecure with --listen 0.0.0.0:80"}},
		"the demo for all":     {nil, []string{"--listen=:80"}, nil, []string{"the demo asks nobody for a token"}},
		"everybody is a proxy": {nil, []string{"--trusted-proxy=::/0"}, nil, []string{"--trusted-proxy ::/0"}},
		"profiles outside":     {nil, []string{"--admin-listen=0.0.0.0:90", "--pprof"}, nil, []string{"--pprof: whoever reaches"}},
		"tokens in the clear":  {nil, []string{"--upstream=http://platform.example", "--jwks-url=https://i.example", "--jwt-audience=x"}, nil, []string{"tokens go there in the clear"}},
		"doubtful tokens":      {nil, []string{"--jwt-secret=short"}, nil, []string{"tokens: the shared secret is short"}},
		"without effect":       {nil, []string{upstream, "--insecure", "--demo-speed=2", "--langgraph-open-threads"}, nil, []string{"--demo-speed is without effect", "--langgraph-open-threads"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, tc.env, append([]string{"check-config"}, tc.args...)...)
			for _, doubt := range tc.warns {
				assert.Contains(t, r.stdout, "warning: ")
				assert.Contains(t, r.stdout, doubt)
			}
			assert.Equal(t, len(tc.warns), strings.Count(r.stdout, "warning: "), r.stdout)
			for _, secret := range []string{jwtSecret, secretly, "sesame", "goroutine "} {
				assert.NotContains(t, r.stdout+r.stderr, secret)
			}
			if len(tc.wrong) == 0 {
				assert.Equal(t, 0, r.code, r.stderr)
				assert.Contains(t, r.stdout, "The configuration is good.")
				assert.Empty(t, r.stderr)
				return
			}
			assert.Equal(t, 2, r.code)
			for _, wrong := range tc.wrong {
				assert.Contains(t, r.stderr, wrong)
			}
			assert.Equal(t, 1+len(tc.wrong), strings.Count(r.stderr, "\n"), "a line for each and one that counts them:\n%s", r.stderr)
			served := run(t, tc.env, append([]string{"serve"}, tc.args...)...)
			assert.Equal(t, 2, served.code)
			assert.NotContains(t, served.stderr, "serves")
			assert.NotContains(t, served.stderr, secretly)
		})
	}
}

// check-config listens on nothing and asks nobody.
func TestCheckConfigTouchesNothing(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	everything := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer everything.Close()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	for _, upstream := range []string{everything.URL, "langgraph+" + everything.URL} {
		r := run(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + everything.URL}, "check-config", "--listen", taken.Addr().String(),
			"--upstream", upstream, "--jwks-url", everything.URL, "--jwt-audience", "x")
		assert.Equal(t, 0, r.code, r.stderr)
	}
	assert.Zero(t, asked.Load())
}
