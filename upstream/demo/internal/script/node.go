package script

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"inlaygraph/wire"
)

// Think streams reasoning into the open turn.
func (n *Lane) Think(text string) *Lane {
	return n.stream(text, func(b *wire.Body, piece string) { b.Reasoning, b.HasReasoning = piece, true })
}

// Say streams content into the open turn.
func (n *Lane) Say(text string) *Lane {
	return n.stream(text, func(b *wire.Body, piece string) { b.Content, b.HasContent = piece, true })
}

func (n *Lane) stream(text string, set func(*wire.Body, string)) *Lane {
	if n.turn == "" {
		n.turn = n.s.name("turn")
	}
	for _, piece := range pieces(text) {
		n.tick()
		b := wire.Body{Spine: n.spine, ID: n.turn}
		set(&b, piece)
		n.write(wire.MessageDelta, b)
	}
	return n
}

// tick lets the time to the next piece of text pass: between half of and one and a half times the mean.
func (n *Lane) tick() {
	n.now += n.token/2 + time.Duration(n.s.dice.Int64N(int64(n.token)))
}

// Bank ends the open turn. Without text it is as it was streamed, else the text is the whole of it: content
// and, if there are two, reasoning.
func (n *Lane) Bank(whole ...string) *Lane {
	if n.turn == "" {
		n.turn = n.s.name("turn")
	}
	b := wire.Body{Spine: n.spine, ID: n.turn}
	if len(whole) > 0 {
		b.Content, b.HasContent = whole[0], true
	}
	if len(whole) > 1 {
		b.Reasoning, b.HasReasoning = whole[1], true
	}
	n.write(wire.MessageEnd, b)
	n.turn = ""
	return n
}

// Call writes a tool call and returns its id. The turn that follows is another one.
func (n *Lane) Call(tool, input string, client bool) string {
	id := n.s.name("call")
	n.write(wire.ToolCall, wire.Body{
		Spine: n.spine, ID: n.s.name("row"), ToolCallID: id, ToolName: tool, Input: input,
		RequiresClientResponse: client,
	})
	n.turn = ""
	return id
}

// Result writes what a call returned.
func (n *Lane) Result(call, output string) *Lane {
	n.write(wire.ToolResult, wire.Body{Spine: n.spine, ID: n.s.name("row"), ToolCallID: call, Output: output})
	return n
}

// Use is a server tool's call and, after some milliseconds, its result.
func (n *Lane) Use(tool, input string, ms int, output string) *Lane {
	call := n.Call(tool, input, false)
	return n.Wait(ms).Result(call, output).Wait(60)
}

// Artifact is an output being written by a node.
type Artifact struct {
	n    *Lane
	body wire.Body
}

// Artifact starts an output. It appears with its first frame.
func (n *Lane) Artifact(name string, format wire.ArtifactFormat) *Artifact {
	return &Artifact{n, wire.Body{Spine: n.spine, ID: n.s.name("row"), Name: name, Format: format}}
}

// Promote says that an inner output counts as the conversation's, or that it does not.
func (a *Artifact) Promote(yes bool) *Artifact {
	a.body.Promoted, a.body.HasPromoted = yes, true
	return a
}

// Grow streams text into the output.
func (a *Artifact) Grow(text string) *Artifact {
	for _, piece := range pieces(text) {
		a.n.tick()
		b := a.body
		b.Delta = piece
		a.n.write(wire.OutputDelta, b)
	}
	a.n.turn = ""
	return a
}

// Set writes the whole value, JSON.
func (a *Artifact) Set(value wire.JSON, status wire.BindingStatus, complete bool) *Artifact {
	a.n.Wait(120)
	b := a.body
	b.Value, b.ValueStatus, b.Complete = value, status, complete
	a.n.write(wire.OutputSet, b)
	a.n.turn = ""
	return a
}

// Row writes a row of a table as it now is. Key and links may be "".
func (n *Lane) Row(table, id, key string, value wire.JSON, status wire.BindingStatus, links wire.JSON) *Lane {
	n.write(wire.TableRow, wire.Body{
		Spine: n.spine, Table: table, RowID: id, Key: key, HasKey: key != "", Value: value, ValueStatus: status,
		Links: links,
	})
	return n.Wait(350)
}

// Drop deletes a row of a table.
func (n *Lane) Drop(table, id string) *Lane {
	n.write(wire.TableDelete, wire.Body{Spine: n.spine, Table: table, RowID: id})
	return n.Wait(200)
}

// pieces cuts a text as a model would send it: words with the space before them, long ones in two. A cut may
// part a letter from its accent, never a character.
func pieces(text string) []string {
	var all []string
	start, inWord := 0, false
	for i, r := range text {
		space := unicode.IsSpace(r)
		if space && inWord {
			all = append(all, halves(text[start:i])...)
			start = i
		}
		inWord = !space
	}
	return append(all, halves(text[start:])...)
}

func halves(word string) []string {
	const long = 9
	if utf8.RuneCountInString(word) < long {
		if word == "" {
			return nil
		}
		return []string{word}
	}
	runes := []rune(word)
	head := string(runes[:(len(runes)+1)/2])
	return []string{head, strings.TrimPrefix(word, head)}
}
