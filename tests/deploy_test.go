package tests

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	nats "github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// deployed reads a file of deploy/.
func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../deploy", name))
	require.NoError(t, err)
	return string(text)
}

// pick finds a value by its path: names, and numbers for places in a list. nil where there is none.
func pick(doc any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := doc.(map[string]any)
			doc = m[step]
		case int:
			l, _ := doc.([]any)
			if step >= len(l) {
				return nil
			}
			doc = l[step]
		}
	}
	return doc
}

func number(t *testing.T, v any) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSuffix(fmt.Sprint(v), "s"))
	require.NoError(t, err)
	return n
}

// manifestsByKind reads a file of manifests, by kind.
func manifestsByKind(t *testing.T, file string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for text := range strings.SplitSeq(deployed(t, "kubernetes/"+file), "\n---\n") {
		var doc map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &doc))
		kind := doc["kind"].(string)
		require.NotContains(t, all, kind, "one of each kind is looked at")
		all[kind] = doc
	}
	return all
}

// imageEnvironment is what the image sets, with what a container sets over it.
func imageEnvironment(t *testing.T, container any) map[string]string {
	t.Helper()
	env := map[string]string{}
	for pair := range strings.FieldsSeq(regexp.MustCompile(`(?m)^ENV (.*)$`).FindStringSubmatch(deployed(t, "Dockerfile"))[1]) {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	maps.Copy(env, texts(container))
	return env
}

func texts(m any) map[string]string {
	all := map[string]string{}
	for name, value := range m.(map[string]any) {
		all[name] = fmt.Sprint(value)
	}
	return all
}

// known asserts that the server reads every variable of an environment: one that it does not know is without effect.
func known(t *testing.T, env map[string]string) {
	t.Helper()
	help := run(t, nil, "serve", "--help").stdout
	for name := range env {
		if strings.HasPrefix(name, "INLAY_") {
			assert.Contains(t, help, "($"+name+")")
		}
	}
}

// accepted asserts that check-config takes an environment as it is.
func accepted(t *testing.T, env map[string]string) {
	t.Helper()
	require.Contains(t, env, "INLAY_BUS")
	var all []string
	for name, value := range env {
		assert.True(t, strings.HasPrefix(name, "INLAY_") || name == "GOMEMLIMIT", name)
		all = append(all, name+"="+value)
	}
	r := run(t, all, "check-config")
	assert.Equal(t, 0, r.code, r.stdout+r.stderr)
	all = append(all, "INLAY_BUS=nonsense")
	assert.NotEqual(t, 0, run(t, all, "check-config").code, "it reads them")
}

// natsCommand asserts that NATS takes a command line, and tells what it understands by it.
func natsCommand(t *testing.T, args []string) *nats.Options {
	t.Helper()
	never := func() { t.Error("it asks for help") }
	opts, err := nats.ConfigureOptions(flag.NewFlagSet("nats-server", flag.ContinueOnError), args, never, never, never)
	require.NoError(t, err)
	return opts
}

// The compose file's servers set nothing that is not read, with the image's environment beneath; NATS takes the commands it is
// given; what is published is the proxy alone; whoever is stopped has the time that it asks for.
func TestTheComposeFile(t *testing.T) {
	t.Parallel()
	text := regexp.MustCompile(`\$\{\w+:\?[^}]*\}`).ReplaceAllString(deployed(t, "compose.yaml"), "http://127.0.0.1:9000")
	var doc map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &doc))
	for name, s := range pick(doc, "services").(map[string]any) {
		assert.Equal(t, "unless-stopped", pick(s, "restart"), "%s: what begins before what it needs ends, and begins again", name)
		if name != "proxy" {
			assert.Nil(t, pick(s, "ports"), name)
		}
		switch {
		case strings.HasPrefix(name, "inlay"):
			assert.Nil(t, pick(s, "command"), "serve, as the image does")
			env := imageEnvironment(t, pick(s, "environment"))
			known(t, env)
			accepted(t, env)
			assert.Equal(t, "0.0.0.0:8080", env["INLAY_LISTEN"])
			assert.Greater(t, number(t, pick(s, "stop_grace_period")), number(t, env["INLAY_DRAIN_SECONDS"]))
			assert.Contains(t, deployed(t, "compose/nginx.conf"), "server "+name+":8080 ")
			for host := range strings.SplitSeq(env["INLAY_BUS"], ",") {
				assert.NotNil(t, pick(doc, "services", strings.TrimSuffix(strings.TrimPrefix(host, "nats://"), ":4222")), host)
			}
			_, err := os.Stat(filepath.Join("../deploy", fmt.Sprint(pick(s, "build", "context")), fmt.Sprint(pick(s, "build", "dockerfile"))))
			assert.NoError(t, err)
		case strings.HasPrefix(name, "nats"):
			var args []string
			for _, arg := range pick(s, "command").([]any) {
				args = append(args, arg.(string))
			}
			opts := natsCommand(t, args)
			assert.Equal(t, name, opts.ServerName)
			assert.True(t, opts.JetStream)
			assert.Len(t, opts.Routes, 2)
			for _, route := range opts.Routes {
				assert.NotNil(t, pick(doc, "services", route.Hostname()), route)
				assert.NotEqual(t, name, route.Hostname())
			}
			assert.Equal(t, 6222, opts.Cluster.Port)
			assert.Equal(t, "inlay", opts.Cluster.Name)
			assert.Equal(t, name+":"+opts.StoreDir, pick(s, "volumes", 0))
		}
	}
	assert.Regexp(t, `(?m)^\s*listen 8080;`, deployed(t, "compose/nginx.conf"))
	assert.Equal(t, []any{"8080:8080"}, pick(doc, "services", "proxy", "ports"))
	assert.Equal(t, "./compose/nginx.conf:/etc/nginx/nginx.conf:ro", pick(doc, "services", "proxy", "volumes", 0))
}

// The proxy passes WebSockets and event streams on as they come, the host that origins are compared with, and bodies as long as
// the server takes; it does not end a connection that is quiet for a while.
func TestTheProxyPassesStreamsOn(t *testing.T) {
	t.Parallel()
	directives := map[string]string{}
	for _, d := range regexp.MustCompile(`(?m)\b(\w+) ([^;{}]+);`).FindAllStringSubmatch(deployed(t, "compose/nginx.conf"), -1) {
		name := d[1]
		if name == "proxy_set_header" {
			header, value, _ := strings.Cut(d[2], " ")
			name, d[2] = name+" "+header, value
		}
		directives[name] = d[2]
	}
	for name, want := range map[string]string{
		"proxy_buffering": "off", "proxy_http_version": "1.1", "proxy_pass": "http://inlay",
		"proxy_set_header Host": "$http_host", "proxy_set_header Upgrade": "$http_upgrade", "proxy_set_header Connection": "$connection_upgrade",
	} {
		assert.Equal(t, want, directives[name], name)
	}
	assert.NotContains(t, directives["proxy_next_upstream"], "non_idempotent", "a mutation is not sent twice")
	assert.Regexp(t, `map \$http_upgrade \$connection_upgrade \{ default upgrade; "" ""; \}`, deployed(t, "compose/nginx.conf"))
	assert.Equal(t, "1h", directives["proxy_read_timeout"], "comments and pings come each 15 s")
	assert.Equal(t, "4m", directives["client_max_body_size"], "more than --max-request-bytes, which is 2 MiB: its own refusal is told")
}

// The manifests set nothing that is not read; probes, ports, mounts and claims lead to what is there; whoever is stopped has the
// time that it asks for; the server's own memory limit is below the container's.
func TestTheManifests(t *testing.T) {
	t.Parallel()
	docs := manifestsByKind(t, "inlay.yaml")
	pod := pick(docs["Deployment"], "spec", "template", "spec")
	container := pick(pod, "containers", 0)
	assert.Nil(t, pick(container, "args"))
	assert.Nil(t, pick(container, "command"))
	env := imageEnvironment(t, pick(docs["ConfigMap"], "data"))
	known(t, env)
	accepted(t, env)
	assert.Contains(t, deployed(t, "Dockerfile"), fmt.Sprintf("USER %v:", pick(container, "securityContext", "runAsUser")))
	assert.Equal(t, "/readyz", pick(container, "readinessProbe", "httpGet", "path"))
	assert.Equal(t, "/healthz", pick(container, "livenessProbe", "httpGet", "path"))
	for _, probe := range []string{"readinessProbe", "livenessProbe"} {
		assert.Equal(t, pick(container, "ports", 0, "name"), pick(container, probe, "httpGet", "port"))
	}
	assert.Equal(t, "0.0.0.0:"+fmt.Sprint(pick(container, "ports", 0, "containerPort")), env["INLAY_LISTEN"])
	assert.Equal(t, pick(container, "ports", 0, "name"), pick(docs["Service"], "spec", "ports", 0, "targetPort"))
	labels := pick(docs["Deployment"], "spec", "template", "metadata", "labels")
	for _, selector := range []any{
		pick(docs["Deployment"], "spec", "selector", "matchLabels"), pick(docs["Service"], "spec", "selector"), pick(docs["PodDisruptionBudget"], "spec", "selector", "matchLabels"),
	} {
		assert.Equal(t, labels, selector)
	}
	assert.Greater(t, number(t, pick(pod, "terminationGracePeriodSeconds")), number(t, env["INLAY_DRAIN_DELAY_SECONDS"])+number(t, env["INLAY_DRAIN_SECONDS"]))
	period, failures := number(t, pick(container, "readinessProbe", "periodSeconds")), 1
	assert.Greater(t, number(t, env["INLAY_DRAIN_DELAY_SECONDS"]), period*failures, "somebody sees that it drains")
	assert.Equal(t, "2Gi", pick(container, "resources", "limits", "memory"))
	limit, is := strings.CutSuffix(env["GOMEMLIMIT"], "MiB")
	require.True(t, is)
	assert.Less(t, number(t, limit), 2048)

	bus := manifestsByKind(t, "nats.yaml")
	pod = pick(bus["StatefulSet"], "spec", "template", "spec")
	container = pick(pod, "containers", 0)
	mounts := map[any]any{}
	for _, m := range pick(container, "volumeMounts").([]any) {
		mounts[pick(m, "name")] = pick(m, "mountPath")
	}
	assert.Equal(t, map[any]any{pick(bus["StatefulSet"], "spec", "volumeClaimTemplates", 0, "metadata", "name"): "/data", pick(pod, "volumes", 0, "name"): "/etc/nats"}, mounts)
	assert.Equal(t, pick(bus["ConfigMap"], "metadata", "name"), pick(pod, "volumes", 0, "configMap", "name"))
	assert.Equal(t, []any{"-c", "/etc/nats/nats.conf"}, pick(container, "args"))
	assert.Equal(t, labels, pick(bus["NetworkPolicy"], "spec", "ingress", 0, "from", 0, "podSelector", "matchLabels"))
	for _, port := range []any{pick(bus["Service"], "spec", "ports", 0, "port"), pick(bus["NetworkPolicy"], "spec", "ingress", 0, "ports", 0, "port")} {
		assert.EqualValues(t, 4222, port)
	}
	for _, host := range strings.Split(env["INLAY_BUS"], ",") {
		name := pick(bus["StatefulSet"], "metadata", "name").(string)
		assert.Regexp(t, `^nats://`+name+`-[0-2]\.`+pick(bus["StatefulSet"], "spec", "serviceName").(string)+`:4222$`, host)
	}
	assert.Equal(t, []any{"nats-server", "--signal", "ldm=/tmp/nats.pid"}, pick(container, "lifecycle", "preStop", "exec", "command"))
}

// The manifests' NATS configuration is one to NATS, with the pod's name from the environment, and has room for what the servers
// keep there.
func TestTheManifestsNATS(t *testing.T) {
	docs := manifestsByKind(t, "nats.yaml")
	conf, is := pick(docs["ConfigMap"], "data", "nats.conf").(string)
	require.True(t, is)
	pod := pick(docs["StatefulSet"], "spec", "template", "spec")
	container := pick(pod, "containers", 0)
	t.Setenv(pick(container, "env", 0, "name").(string), "nats-1")
	file := filepath.Join(t.TempDir(), "nats.conf")
	require.NoError(t, os.WriteFile(file, []byte(conf), 0o600))
	opts := natsCommand(t, []string{"-c", file})
	assert.Equal(t, "nats-1", opts.ServerName)
	assert.Equal(t, "/tmp/nats.pid", opts.PidFile)
	assert.GreaterOrEqual(t, opts.JetStreamMaxStore, int64(4096)<<20, "--bus-max-megabytes")
	assert.Less(t, opts.JetStreamMaxStore, int64(10)<<30, "the claim for storage")
	assert.Equal(t, "10Gi", pick(docs["StatefulSet"], "spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"))
	assert.GreaterOrEqual(t, opts.JetStreamMaxMemory, int64(32)<<20, "two buckets")
	ports := map[any]any{}
	for _, p := range pick(container, "ports").([]any) {
		ports[pick(p, "name")] = pick(p, "containerPort")
	}
	assert.EqualValues(t, opts.Port, ports["client"])
	assert.EqualValues(t, opts.Cluster.Port, ports["cluster"])
	assert.EqualValues(t, opts.HTTPPort, ports[pick(container, "readinessProbe", "httpGet", "port")])
	assert.EqualValues(t, opts.HTTPPort, ports[pick(container, "startupProbe", "httpGet", "port")])
	assert.Greater(t, number(t, pick(pod, "terminationGracePeriodSeconds")), int((opts.LameDuckDuration + opts.LameDuckGracePeriod).Seconds()))
}
