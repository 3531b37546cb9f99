package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// cluster is three NATS servers in this process.
type cluster struct {
	dir     string
	ports   [3]int
	routes  [3]int
	servers [3]*server.Server
}

func startCluster(dir string) (*cluster, error) {
	c := &cluster{dir: dir}
	for i := range c.servers {
		var err error
		if c.ports[i], err = freePort(); err != nil {
			return nil, err
		}
		if c.routes[i], err = freePort(); err != nil {
			return nil, err
		}
	}
	for i := range c.servers {
		if err := c.start(i); err != nil {
			return nil, err
		}
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		for _, s := range c.servers {
			if s.JetStreamIsLeader() && s.JetStreamIsCurrent() {
				return c, nil
			}
		}
		if time.Now().After(end) {
			return nil, errors.New("the NATS servers elect no leader")
		}
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (c *cluster) start(i int) error {
	var routes []*url.URL
	for _, port := range c.routes {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	s, err := server.NewServer(&server.Options{
		ServerName: fmt.Sprintf("n%d", i+1), Host: "127.0.0.1", Port: c.ports[i], JetStream: true,
		StoreDir: filepath.Join(c.dir, fmt.Sprintf("n%d", i+1)), NoSigs: true, NoLog: true,
		Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: c.routes[i]}, Routes: routes,
	})
	if err != nil {
		return err
	}
	s.Start()
	c.servers[i] = s
	return nil
}

func (c *cluster) url() string {
	var all []string
	for _, port := range c.ports {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	return strings.Join(all, ",")
}

func (c *cluster) stop() {
	for _, s := range c.servers {
		if s != nil {
			s.Shutdown()
			s.WaitForShutdown()
		}
	}
}
