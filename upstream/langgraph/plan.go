package langgraph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/wire"
)

// The nodes that stand for where a graph begins and ends; they never run.
const (
	startNode = "__start__"
	endNode   = "__end__"
)

// nestMark parts the names of a node in a drawn graph: `research:search` is search inside research.
const nestMark = ":"

// AgentOf reads what identifies an assistant's version from GET /assistants/{id}.
func AgentOf(assistant []byte) (id string, version int, name string, err error) {
	o, ok := asObject(sound(assistant))
	if !ok || o.text("assistant_id") == "" {
		return "", 0, "", errors.New("langgraph: not an assistant")
	}
	if n, ok := o.integer("version"); ok && n < 1<<31 {
		version = int(n)
	}
	return o.text("assistant_id"), version, o.text("name"), nil
}

// Plan makes a plan of the answers of GET /assistants/{id} and GET /assistants/{id}/graph?xray=true. The notes say what
// of the graph is not in it, and why. The plan is valid. The error says that an answer is not what it should be, or
// that no valid plan can be made of it.
func Plan(assistant, graph []byte) (*wire.Plan, []string, error) {
	id, version, name, err := AgentOf(assistant)
	if err != nil {
		return nil, nil, err
	}
	o, ok := asObject(sound(graph))
	nodes, isList := asArray(o["nodes"])
	if !ok || !isList {
		return nil, nil, errors.New("langgraph: not a graph")
	}
	d := &drawing{plan: &wire.Plan{AgentID: id, AgentVersion: version, Name: name}, at: map[string]int{}, ends: map[string]bool{}}
	for _, v := range nodes {
		d.node(v)
	}
	for _, v := range o.array("edges") {
		d.edge(v)
	}
	d.place()
	d.regions()
	if err := d.plan.Validate(); err != nil {
		if len(d.plan.Regions) == 0 {
			return nil, d.notes, fmt.Errorf("langgraph: the graph makes no plan: %w", err)
		}
		d.note("the regions: together they are more than a plan may have")
		d.plan.Regions = nil
		if err := d.plan.Validate(); err != nil {
			return nil, d.notes, fmt.Errorf("langgraph: the graph makes no plan: %w", err)
		}
	}
	return d.plan, d.notes, nil
}

// drawing is a drawn graph on its way to a plan.
type drawing struct {
	plan  *wire.Plan
	at    map[string]int // the place of a node in the plan, by its path's key
	drawn []drawnEdge
	ends  map[string]bool   // the beginnings and ends that are drawn, by their paths' keys
	seen  map[string]bool   // edges by what identifies them
	graph map[string]*shape // by the key of the subgraph
	order []*shape
	notes []string
}

// drawnEdge is an edge as the server draws it.
type drawnEdge struct {
	from, to    []string // paths, that of a start or an end included
	conditional bool
	label       string
}

// maxNotes bounds how much is told of what is left out.
const maxNotes = 50

func (d *drawing) note(format string, args ...any) {
	if len(d.notes) < maxNotes {
		d.notes = append(d.notes, fmt.Sprintf(format, args...))
	}
}

// pathIn reads an id as a path. Ids are strings; a graph that is not drawn with its subgraphs may have numbers.
func pathIn(v jsontext.Value) ([]string, bool) {
	id := asText(v)
	if n, ok := asInteger(v); ok {
		id = fmt.Sprint(n)
	}
	path := strings.Split(id, nestMark)
	return path, !slices.Contains(path, "")
}

func isEdgeOfGraph(path []string) bool {
	last := path[len(path)-1]
	return last == startNode || last == endNode
}

// node takes a node, and the subgraphs that it is in: they are not drawn.
func (d *drawing) node(v jsontext.Value) {
	o, _ := asObject(v)
	path, ok := pathIn(o["id"])
	switch {
	case !ok:
		d.note("a node without a name")
		return
	case isEdgeOfGraph(path):
		d.ends[wire.PathKey(path)] = true
		return
	}
	for n := 1; n < len(path); n++ {
		if i := d.make(path[:n]); d.plan.Nodes[i].Kind == "" {
			d.plan.Nodes[i].Kind = kindSubgraph
		}
	}
	i := d.make(path)
	if kind := drawnKind(o); kind != "" {
		d.plan.Nodes[i].Kind = kind
	}
	for _, tool := range o.object("metadata").array("__tools") {
		name := asText(tool)
		if name != "" && !slices.ContainsFunc(d.plan.Tools, func(t wire.PlanTool) bool { return t.Name == name }) {
			d.plan.Tools = append(d.plan.Tools, wire.PlanTool{Name: name})
		}
	}
}

// make finds a node of the plan, or adds it.
func (d *drawing) make(path []string) int {
	key := wire.PathKey(path)
	i, ok := d.at[key]
	if !ok {
		i = len(d.plan.Nodes)
		d.at[key] = i
		d.plan.Nodes = append(d.plan.Nodes, wire.PlanNode{Path: slices.Clone(path), Name: path[len(path)-1]})
	}
	return i
}

// drawnKind is the kind of a node, where the class of what it runs tells.
func drawnKind(o object) string {
	var class []string
	for _, v := range o.object("data").array("id") {
		class = append(class, asText(v))
	}
	if len(class) == 0 {
		return ""
	}
	switch last := class[len(class)-1]; {
	case last == "ToolNode":
		return kindTool
	case last == "CompiledStateGraph", last == "CompiledGraph", last == "Pregel", last == "RemoteGraph",
		last == "CompiledMessageGraph":
		return kindSubgraph
	case last == "AgentNode", slices.Contains(class, "chat_models"), slices.Contains(class, "language_models"):
		return kindModel
	}
	return ""
}

// edge takes an edge.
func (d *drawing) edge(v jsontext.Value) {
	o, _ := asObject(v)
	from, ok1 := pathIn(o["source"])
	to, ok2 := pathIn(o["target"])
	if !ok1 || !ok2 {
		d.note("an edge without its ends")
		return
	}
	e := drawnEdge{from: from, to: to, conditional: o.truth("conditional"), label: asText(o["data"])}
	if !e.conditional {
		e.label = ""
	}
	for _, end := range [][]string{from, to} {
		if _, known := d.at[wire.PathKey(end)]; !known && !isEdgeOfGraph(end) {
			d.note("the edge from %s to %s: %s is not drawn", strings.Join(from, "/"), strings.Join(to, "/"), strings.Join(end, "/"))
			return
		}
	}
	d.drawn = append(d.drawn, e)
}
