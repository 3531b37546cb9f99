package wire

import "strconv"

// AppendJSON appends the plan as docs/wire.md spells it, on one line without an end. Absent members are left
// out; the lists are written also when they are empty.
func (p *Plan) AppendJSON(dst []byte) []byte {
	w := object{dst: append(dst, '{')}
	w.text(memberAgentID, p.AgentID)
	w.integer(memberAgentVersion, int64(p.AgentVersion))
	w.said("name", p.Name)
	appendList(&w, "nodes", p.Nodes, appendPlanNode)
	appendList(&w, "edges", p.Edges, appendPlanEdge)
	appendList(&w, "regions", p.Regions, appendPlanRegion)
	appendList(&w, "outputs", p.Outputs, func(w *object, o PlanOutput) {
		w.text(memberName, o.Name)
		w.path("subgraph_path", o.SubgraphPath)
		w.said("format", o.Format.String())
		w.schema(o.Schema)
	})
	appendList(&w, "tables", p.Tables, func(w *object, t PlanTable) {
		w.text(memberName, t.Name)
		w.schema(t.Schema)
	})
	appendList(&w, "tools", p.Tools, func(w *object, t PlanTool) {
		w.text(memberName, t.Name)
		w.boolean(memberRequiresClientResponse, t.RequiresClientResponse)
		w.yes("private", t.Private)
		w.schema(t.Schema)
	})
	return append(w.dst, '}')
}

func appendPlanNode(w *object, n PlanNode) {
	w.path("path", n.Path)
	w.said("kind", n.Kind)
	w.said("name", n.Name)
	w.yes("hide_inner_events", n.HideInnerEvents)
	if n.Samples != 0 {
		w.name("samples")
		w.dst = strconv.AppendInt(w.dst, int64(n.Samples), 10)
	}
	if len(n.ExitPorts) > 0 {
		w.path("exit_ports", n.ExitPorts)
	}
}

func appendPlanEdge(w *object, e PlanEdge) {
	w.path("subgraph_path", e.SubgraphPath)
	w.text(memberFrom, e.From)
	if e.HasFromPort || e.FromPort != "" {
		w.text(memberFromPort, e.FromPort)
	}
	w.text(memberTo, e.To)
}

func appendPlanRegion(w *object, r PlanRegion) {
	w.path("source", r.Source)
	w.path("join", r.Join)
	appendList(w, "branches", r.Branches, func(w *object, b PlanBranch) {
		w.path("entry", b.Entry)
		w.name("members")
		w.dst = append(w.dst, '[')
		for i, member := range b.Members {
			if i > 0 {
				w.dst = append(w.dst, ',')
			}
			w.dst = appendNames(w.dst, member)
		}
		w.dst = append(w.dst, ']')
	})
}

// appendList appends an array of objects.
func appendList[T any](w *object, name string, all []T, write func(*object, T)) {
	w.name(name)
	w.dst = append(w.dst, '[')
	for i, one := range all {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		inner := object{dst: append(w.dst, '{')}
		write(&inner, one)
		w.dst = append(inner.dst, '}')
	}
	w.dst = append(w.dst, ']')
}

func (w *object) path(name string, path []string) {
	w.name(name)
	w.dst = appendNames(w.dst, path)
}

// said writes a text that is absent when it is empty.
func (w *object) said(name, text string) {
	if text != "" {
		w.name(name)
		w.dst = appendString(w.dst, text)
	}
}

// yes writes what is absent when it is false.
func (w *object) yes(name string, yes bool) {
	if yes {
		w.name(name)
		w.dst = strconv.AppendBool(w.dst, yes)
	}
}

func (w *object) schema(schema JSON) {
	if schema != "" {
		w.name("schema")
		w.dst = appendJSON(w.dst, schema)
	}
}
