// Package session says who is asking: it verifies a caller's JSON Web Token and gives the tenant, the user and the time
// until which both hold. docs/service.md ("Sessions") has the rules, which follow RFC 8725; resolvers read the result
// with From.
//
// Promises:
//
//  1. Algorithms come from the configuration and never from the token. There is exactly one source of keys, and no
//     configuration pairs an algorithm with a key of another kind. "none" is refused always.
//  2. A token is refused unless it is signed by a key of the configuration, has an exp that is not past, an nbf and iat
//     that are not in the future, the configured iss and aud, and names a tenant and a user. The leeway counts for
//     admission only: ExpiresAt is exp itself.
//  3. What is refused is refused before it costs anything: by length before it is decoded, by header before a key is
//     looked for. A header's jku, x5u, jwk and x5c are not looked at; crit, a foreign typ and a member given twice are refused.
//  4. Whatever the reason, the client reads the same message; the reason is the error's cause. No part of a token is in
//     either, nor in any printed form of a Session, and no secret in any of Options or Verifier.
//  5. Keys of a URL are read over https, or over http on loopback, without redirects, within bounds of time and size. A
//     kid that is not known makes the set be read once more, at most every RefreshPause. While the set cannot be read, the
//     keys that are held go on to count, for MaxKeyAge at most; tokens that cannot be judged are UPSTREAM_UNAVAILABLE.
//  6. A request has one token at most: one Authorization header, or one member of connection_init. On a WebSocket the
//     payload's counts, and the upgrade's must be of the same user.
//  7. Without a Verifier everybody is Anonymous, whatever they send, and nothing that they send is kept.
//  8. A user holds at most MaxConnections connections at a time. A place is free again once its connection's context ends.
//  9. A Session is immutable, and a context without one yields nil, for which callers must refuse.
//  10. A user, or an address where nobody shows a token, asks for no more operations and begins no more runs in a time than
//     Rates says; more is RATE_LIMITED, with the time after which there is room again. One user's asking takes nothing of
//     another's. Of no more than 10,000 users is remembered what they asked.
package session
