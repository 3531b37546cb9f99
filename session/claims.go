package session

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"
)

// maxIDBytes is the length of a tenant's or user's name.
const maxIDBytes = 256

// lastSecond is the end of the year 9999: a time beyond has no RFC 3339 form.
const lastSecond = 253_402_300_799

// reason is why a token is refused, for the log. It quotes nothing of the token.
type reason string

func (r reason) Error() string { return string(r) }

// claims are what is read of a token's payload. They are strict where jwt.MapClaims is not: a name given twice, a date
// out of range and invalid UTF-8 are refused (RFC 8725 sections 3.4 and 3.7).
type claims struct {
	issuer                     string
	audience                   jwt.ClaimStrings
	expires, notBefore, issued *jwt.NumericDate
	members                    map[string]jsontext.Value
}

// UnmarshalJSON reads the payload; json's own rules for structs would take names in any case.
func (c *claims) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &c.members); err != nil {
		return reason("its payload is not one JSON object in UTF-8 without repeated names")
	}
	for name, to := range map[string]**jwt.NumericDate{"exp": &c.expires, "nbf": &c.notBefore, "iat": &c.issued} {
		value, ok := c.members[name]
		if !ok {
			continue
		}
		seconds, err := strconv.ParseFloat(string(value), 64)
		if err != nil || value.Kind() != '0' || math.Abs(seconds) > lastSecond {
			return reason("its " + name + " is not a time")
		}
		*to = &jwt.NumericDate{Time: time.Unix(int64(math.Floor(seconds)), 0)}
	}
	if value, ok := c.members["iss"]; ok && !text(value, &c.issuer) {
		return reason("its iss is not a string")
	}
	if value, ok := c.members["aud"]; ok {
		var one string
		if text(value, &one) {
			c.audience = jwt.ClaimStrings{one}
		} else if value.Kind() != '[' || json.Unmarshal(value, (*[]string)(&c.audience)) != nil {
			return reason("its aud is neither a string nor a list of strings")
		}
	}
	return nil
}

// text reads a JSON string, and nothing else.
func text(value jsontext.Value, to *string) bool {
	return value.Kind() == '"' && json.Unmarshal(value, to) == nil
}

// name reads the claim that names a tenant or a user.
func (c *claims) name(claim string) (string, error) {
	var name string
	switch value, ok := c.members[claim]; {
	case !ok:
		return "", reason("it has no claim " + claim)
	case !text(value, &name):
		return "", reason("its claim " + claim + " is not a string")
	case strings.TrimSpace(name) == "":
		return "", reason("its claim " + claim + " is empty")
	case len(name) > maxIDBytes:
		return "", reason("its claim " + claim + " is longer than " + strconv.Itoa(maxIDBytes) + " bytes")
	}
	return name, nil
}

// The methods of jwt.Claims.

func (c *claims) GetExpirationTime() (*jwt.NumericDate, error) { return c.expires, nil }
func (c *claims) GetNotBefore() (*jwt.NumericDate, error)      { return c.notBefore, nil }
func (c *claims) GetIssuedAt() (*jwt.NumericDate, error)       { return c.issued, nil }
func (c *claims) GetIssuer() (string, error)                   { return c.issuer, nil }
func (c *claims) GetAudience() (jwt.ClaimStrings, error)       { return c.audience, nil }
func (c *claims) GetSubject() (string, error)                  { return "", nil } // its use is the configuration's to say

// checkHeader refuses a token by its header, before any key is looked for (promise 3). header is base64url.
func checkHeader(header []byte) error {
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(header, &members); err != nil {
		return reason("its header is not one JSON object in UTF-8 without repeated names")
	}
	if _, ok := members["crit"]; ok {
		return reason("its header asks for an extension (crit)")
	}
	if value, ok := members["typ"]; ok {
		var typ string
		if !text(value, &typ) || !knownTypes[strings.TrimPrefix(strings.ToLower(typ), "application/")] {
			return reason("its typ is neither JWT nor at+jwt")
		}
	}
	if value, ok := members["kid"]; ok {
		var kid string
		if !text(value, &kid) || len(kid) > maxIDBytes {
			return reason("its kid is not a string of at most " + strconv.Itoa(maxIDBytes) + " bytes")
		}
	}
	return nil
}

// knownTypes are the types of tokens that are meant to be shown to a service (RFC 8725 section 3.11, RFC 9068).
var knownTypes = map[string]bool{"jwt": true, "at+jwt": true}
