package projection

// View is what can be read of anything that stands at a path: a *NodeView, or a SubagentView.
type View interface {
	// IsPathView seals the interface for the schema.
	IsPathView()
}
