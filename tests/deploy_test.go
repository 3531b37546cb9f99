package tests

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	nats "github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

// The servers of deploy/compose.yaml have a configuration that is accepted, reach what is there, and are reached by the proxy.
func TestTheComposeFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../deploy/compose.yaml")
	require.NoError(t, err)
	text = bytes.ReplaceAll(text, []byte("${UPSTREAM:?the platform's base URL}"), []byte("http://platform:9000"))
	text = bytes.ReplaceAll(text, []byte("${JWKS_URL:?where the issuer of tokens publishes its keys}"), []byte("https://login.example.com/keys"))
	require.NotContains(t, string(text), "${")
	type service struct {
		Environment map[string]string
		Command     []string
		Build       struct{ Context, Dockerfile string }
		Volumes     []string
		DependsOn   []string `yaml:"depends_on"`
	}
	var file struct {
		Services map[string]service
		Volumes  map[string]any
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	proxy, err := os.ReadFile("../deploy/compose/nginx.conf")
	require.NoError(t, err)
	servers := 0
	for name, s := range file.Services {
		for _, other := range s.DependsOn {
			assert.Contains(t, file.Services, other)
		}
		switch {
		case strings.HasPrefix(name, "inlay"):
			servers++
			accepted(t, s.Environment)
			_, port, _ := strings.Cut(s.Environment["INLAY_LISTEN"], ":")
			assert.Contains(t, string(proxy), "server "+name+":"+port+" ")
			for url := range strings.SplitSeq(s.Environment["INLAY_BUS"], ",") {
				assert.Contains(t, file.Services, strings.TrimSuffix(strings.TrimPrefix(url, "nats://"), ":4222"))
			}
			_, err := os.Stat(filepath.Join("../deploy", s.Build.Context, s.Build.Dockerfile))
			assert.NoError(t, err)
		case strings.HasPrefix(name, "nats"):
			assert.Contains(t, s.Command, name)
			routes := s.Command[len(s.Command)-1]
			for other := range file.Services {
				assert.Equal(t, strings.HasPrefix(other, "nats") && other != name, strings.Contains(routes, other+":6222"), "%s and %s", name, other)
			}
			assert.Contains(t, file.Volumes, strings.TrimSuffix(s.Volumes[0], ":/data"))
		}
	}
	assert.Equal(t, 3, servers)
	for _, says := range []string{"proxy_buffering off", "proxy_set_header Upgrade", "proxy_http_version 1.1"} {
		assert.Contains(t, string(proxy), says)
	}
}

// manifest is what is read of the manifests.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas int
		Ports    []struct{ Port int }
		Template struct {
			Spec struct {
				Containers []struct {
					Name    string
					EnvFrom []struct {
						ConfigMapRef struct{ Name string } `yaml:"configMapRef"`
					} `yaml:"envFrom"`
					Ports []struct {
						Name          string
						ContainerPort int `yaml:"containerPort"`
					}
					ReadinessProbe struct {
						HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
					} `yaml:"readinessProbe"`
					SecurityContext struct {
						RunAsUser int `yaml:"runAsUser"`
					} `yaml:"securityContext"`
				}
			}
		}
	}
}

func manifests(t *testing.T, file string) map[string]manifest {
	t.Helper()
	text, err := os.ReadFile("../deploy/kubernetes/" + file)
	require.NoError(t, err)
	all := map[string]manifest{}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var m manifest
		err := d.Decode(&m)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err, file)
		all[m.Kind] = m
	}
}

// The manifests have a configuration that is accepted, the ports and the user of the image, and a NATS configuration that NATS
// reads.
func TestTheManifests(t *testing.T) {
	t.Parallel()
	servers, cluster := manifests(t, "inlay.yaml"), manifests(t, "nats.yaml")
	env := servers["ConfigMap"].Data
	accepted(t, env)
	container := servers["Deployment"].Spec.Template.Spec.Containers[0]
	assert.Equal(t, servers["ConfigMap"].Metadata.Name, container.EnvFrom[0].ConfigMapRef.Name)
	assert.Equal(t, "0.0.0.0:8080", env["INLAY_LISTEN"])
	assert.Equal(t, 8080, container.Ports[0].ContainerPort)
	assert.Equal(t, container.Ports[0].Name, container.ReadinessProbe.HTTPGet.Port)
	assert.Equal(t, "/readyz", container.ReadinessProbe.HTTPGet.Path)
	image, err := os.ReadFile("../deploy/Dockerfile")
	require.NoError(t, err)
	assert.Regexp(t, regexp.MustCompile(`USER 65532:`), string(image))
	assert.Equal(t, 65532, container.SecurityContext.RunAsUser)

	set := cluster["StatefulSet"]
	urls := strings.Split(env["INLAY_BUS"], ",")
	assert.Len(t, urls, set.Spec.Replicas)
	assert.Contains(t, urls[0], set.Metadata.Name+"-0."+cluster["Service"].Metadata.Name+":4222")
	assert.Equal(t, 4222, cluster["Service"].Spec.Ports[0].Port)
	file := filepath.Join(t.TempDir(), "nats.conf")
	text := strings.ReplaceAll(cluster["ConfigMap"].Data["nats.conf"], "$POD_NAME", "nats-0")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	opts, err := nats.ProcessConfigFile(file)
	require.NoError(t, err)
	assert.True(t, opts.JetStream)
	assert.Len(t, opts.Routes, 3)
	assert.Equal(t, "/data", opts.StoreDir)
	assert.Equal(t, 6222, opts.Cluster.Port)
}
