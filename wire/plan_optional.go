package wire

// What a plan may leave out, for readers to whom absent is nil.

// OptionalName is the agent's name, nil when the plan gives none.
func (p *Plan) OptionalName() *string { return nonZero(&p.Name) }

// OptionalKind is the node's kind, nil when the plan does not say.
func (n *PlanNode) OptionalKind() *string { return nonZero(&n.Kind) }

// OptionalName is the node's name, nil when the plan gives none.
func (n *PlanNode) OptionalName() *string { return nonZero(&n.Name) }

// OptionalSamples is the number of an ensemble's samples, nil when the plan does not say.
func (n *PlanNode) OptionalSamples() *int { return nonZero(&n.Samples) }

// OptionalFromPort is the port that the edge leaves by, nil when the plan names none.
func (e *PlanEdge) OptionalFromPort() *string {
	if e.HasFromPort || e.FromPort != "" {
		return &e.FromPort
	}
	return nil
}

// OptionalFormat is the render hint, nil when the plan gives none.
func (o *PlanOutput) OptionalFormat() *ArtifactFormat { return nonZero(&o.Format) }

func nonZero[T comparable](v *T) *T {
	var zero T
	if *v == zero {
		return nil
	}
	return v
}
