// Package coded holds the errors that clients may see: a code of the errors table in docs/service.md and a message
// written for them.
//
// Promises:
//  1. Every code a client can meet in extensions.code is a constant of this package.
//  2. An Error's message is for clients; its cause is for the log only and never part of the message.
//  3. Errors keep their code through wrapping: errors.As and CodeOf find the outermost coded error of a chain.
//  4. A subscription's resolver can end its stream with an error: EndWith, then closing the channel.
package coded
