//go:build image

package tests

import (
	"context"
	"debug/elf"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The binary that deploy/Dockerfile builds needs nothing beside itself: it is static, and serves as the image's user in an empty
// folder, with the image's environment.
func TestTheImagesBinary(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../deploy/Dockerfile")
	require.NoError(t, err)
	builds := regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0 go build .*) -o \S+ \.$`).FindStringSubmatch(string(text))
	require.NotNil(t, builds, "the Dockerfile builds a static binary")
	assert.Regexp(t, `(?m)^FROM scratch$`, string(text))
	assert.Regexp(t, `(?m)^USER 65532:65532$`, string(text))
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o755))
	require.NoError(t, os.Chmod(filepath.Dir(folder), 0o755))
	program := filepath.Join(folder, "inlaygraph")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "sh", "-c", builds[1]+" -o "+program+" .")
	build.Dir = ".."
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	binary, err := elf.Open(program)
	require.NoError(t, err)
	defer binary.Close()
	needs, err := binary.ImportedLibraries()
	require.NoError(t, err)
	assert.Empty(t, needs)
	for _, p := range binary.Progs {
		assert.NotEqual(t, elf.PT_INTERP, p.Type, "it needs no loader")
	}

	env := regexp.MustCompile(`(?m)^ENV (.*)$`).FindStringSubmatch(string(text))
	require.NotNil(t, env)
	listen, admin := freeAddress(t), freeAddress(t)
	variables := strings.NewReplacer("0.0.0.0:8080", listen, "0.0.0.0:9090", admin).Replace(env[1])
	cmd := exec.CommandContext(ctx, program)
	cmd.Dir, cmd.Env = folder, strings.Fields(variables)
	var log output
	cmd.Stderr = &log
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	}
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	eventually(t, patience, func() string {
		res, err := http.Get("http://" + admin + "/readyz")
		if err != nil {
			return err.Error() + log.String()
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return res.Status
		}
		return ""
	})
	s := &server{url: "http://" + listen + "/graphql"}
	assert.JSONEq(t, `{"conversation":{"id":"demo-chat"}}`, string(s.query(t, demoChat)))
	assert.Positive(t, scrape(t, "http://"+admin).sum("inlay_operations_total"))
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	assert.NoError(t, <-ended)
}
