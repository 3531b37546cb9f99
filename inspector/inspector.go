package inspector

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Options say what is served.
type Options struct {
	Page       bool   // the page at /
	Playground bool   // GraphiQL at /graphiql
	Landing    string // what / is to clients that do not ask for HTML, and to all where Page is off; plain text
}

// New returns the handler of /, /graphiql, their files and the notices of what these hold. It answers 404 to every other path. The error is about the
// files that were embedded: a page without its index.
func New(options Options) (http.Handler, error) {
	mux := http.NewServeMux()
	landing := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, options.Landing) // a client that left has nothing to be told
	}
	if !options.Page {
		mux.HandleFunc("GET /{$}", landing)
	}
	assets := map[string]*file{}
	for _, part := range []struct {
		on           bool
		folder, path string
		policy       string
	}{
		{options.Page, "dist/page", "GET /{$}", pagePolicy},
		{options.Playground, "dist/graphiql", "GET /graphiql", playgroundPolicy},
	} {
		if !part.on {
			continue
		}
		files, err := load(part.folder)
		if err != nil {
			return nil, err
		}
		index, ok := files["index.html"]
		if !ok {
			return nil, fmt.Errorf("inspector: %s has no index.html", part.folder)
		}
		policy, choose := part.policy, part.folder == "dist/page"
		mux.HandleFunc(part.path, func(w http.ResponseWriter, r *http.Request) {
			if choose {
				w.Header().Add("Vary", "Accept")
				if !strings.Contains(r.Header.Get("Accept"), "text/html") {
					landing(w, r)
					return
				}
			}
			secure(w.Header(), policy)
			index.serve(w, r)
		})
		for name, f := range files {
			assets[name] = f
		}
	}
	serveAsset := func(w http.ResponseWriter, r *http.Request) {
		f, ok := assets[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		secure(w.Header(), assetPolicy)
		f.serve(w, r)
	}
	mux.HandleFunc("GET /assets/", serveAsset)
	mux.HandleFunc("GET /icon.svg", serveAsset)
	mux.HandleFunc("GET /THIRD_PARTY.txt", serveAsset)
	mux.HandleFunc("GET /THIRD_PARTY_graphiql.txt", serveAsset)
	return mux, nil
}

func load(folder string) (map[string]*file, error) {
	files := map[string]*file{}
	err := fs.WalkDir(dist, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := dist.ReadFile(name)
		if err != nil {
			return err
		}
		short := strings.TrimPrefix(name, folder+"/")
		files[short] = newFile(short, content, path.Dir(short) == "assets")
		return nil
	})
	return files, err
}
