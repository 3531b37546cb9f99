package inspector

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// types are those of the files that a build makes; the machine's own table is not asked, so that none is guessed.
var types = map[string]string{
	".html":  "text/html; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".ttf":   "font/ttf",
	".woff2": "font/woff2",
}

// file is one embedded file. It is compressed when somebody first takes it compressed.
type file struct {
	contentType string
	cache       string
	tag         string
	plain       []byte
	zipped      func() []byte
}

// newFile takes a file as it is served; hashed says that its name changes whenever its content does.
func newFile(name string, content []byte, hashed bool) *file {
	sum := sha256.Sum256(content)
	f := &file{contentType: types[path.Ext(name)], cache: "no-cache", tag: `"` + hex.EncodeToString(sum[:12]) + `"`, plain: content}
	if f.contentType == "" {
		f.contentType = "application/octet-stream"
	}
	if hashed {
		f.cache = "public, max-age=31536000, immutable"
	}
	f.zipped = sync.OnceValue(func() []byte {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a good one
		_, _ = w.Write(content)                               // memory takes everything
		_ = w.Close()
		return b.Bytes()
	})
	return f
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.cache)
	h.Set("ETag", f.tag)
	h.Add("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.plain
	if takesGzip(r.Header.Get("Accept-Encoding")) {
		body = f.zipped()
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that left has nothing to be told
	}
}

// takesGzip reads an Accept-Encoding as browsers write it.
func takesGzip(accept string) bool {
	for one := range strings.SplitSeq(accept, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(one), ";")
		if strings.TrimSpace(name) == "gzip" {
			return strings.ReplaceAll(quality, " ", "") != "q=0"
		}
	}
	return false
}
