package langgraph

import (
	"strings"
)

// A namespace is where in the nest of graphs something happens: `node:task|node:task`, "" at the top. Two graphs that
// one task starts have a bare number each but the first: `tools:task|1` (docs/langgraph.md).
const (
	namespaceMark = "|"
	taskMark      = ":"
)

// pathOf is the path of a namespace: its node names, without task ids and bare numbers.
func pathOf(namespace string) []string {
	var path []string
	for segment := range strings.SplitSeq(namespace, namespaceMark) {
		if name, _, ok := splitTask(segment); ok {
			path = append(path, name)
		}
	}
	return path
}

// splitTask reads a segment `node:task`; false when it is none, such as a bare number.
func splitTask(segment string) (name, task string, ok bool) {
	i := strings.LastIndex(segment, taskMark)
	if i <= 0 || i == len(segment)-1 {
		return "", "", false
	}
	return segment[:i], segment[i+1:], true
}

// innermost reads the task that a namespace ends in, and the namespace that this task is in. Bare numbers at the end
// are passed over: what they number is inside the task.
func innermost(namespace string) (around, name, task string, ok bool) {
	for namespace != "" {
		i := strings.LastIndex(namespace, namespaceMark)
		if name, task, ok = splitTask(namespace[i+1:]); ok {
			return namespace[:max(i, 0)], name, task, true
		}
		namespace = namespace[:max(i, 0)]
	}
	return "", "", "", false
}

// inside is the namespace of what a task runs.
func inside(namespace, name, task string) string {
	own := name + taskMark + task
	if namespace == "" {
		return own
	}
	return namespace + namespaceMark + own
}

// within tells whether a namespace is that one or below it.
func within(namespace, that string) bool {
	return namespace == that || that == "" || strings.HasPrefix(namespace, that+namespaceMark)
}
