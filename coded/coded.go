package coded

import (
	"errors"
	"fmt"
)

// Code is a word of extensions.code (docs/service.md, "Errors"). Clients branch on it, so a code is never renamed.
type Code string

// The codes, in the order of the errors table.
const (
	Unauthenticated     Code = "UNAUTHENTICATED"
	Forbidden           Code = "FORBIDDEN"
	ParseFailed         Code = "GRAPHQL_PARSE_FAILED"
	ValidationFailed    Code = "GRAPHQL_VALIDATION_FAILED"
	BadUserInput        Code = "BAD_USER_INPUT"
	PayloadTooLarge     Code = "PAYLOAD_TOO_LARGE"
	RateLimited         Code = "RATE_LIMITED"
	NotFound            Code = "NOT_FOUND"
	UpstreamUnavailable Code = "UPSTREAM_UNAVAILABLE"
	Conflict            Code = "CONFLICT"
	Internal            Code = "INTERNAL"
)

// Error is an error a client may see. Message is shown to the client as it stands (except for Internal, which always
// reads "internal error" outside); the cause is not.
type Error struct {
	Code    Code
	Message string
	cause   error
}

// New returns an Error with a message for clients.
func New(code Code, message string) *Error { return &Error{Code: code, Message: message} }

// Newf is New with a format. The arguments become part of what clients read.
func Newf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an Error that keeps cause for the log and for errors.Is and errors.As; message alone is for clients.
func Wrap(code Code, message string, cause error) *Error {
	return &Error{Code: code, Message: message, cause: cause}
}

// Error is the text for logs: code, message and, where there is one, the cause.
func (e *Error) Error() string {
	if e.cause == nil {
		return string(e.Code) + ": " + e.Message
	}
	return string(e.Code) + ": " + e.Message + ": " + e.cause.Error()
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code of the outermost coded error in err's chain, Internal for any other error, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
