// Package langgraph holds the end-to-end tests of docs/langgraph.md: the server's binary in front of a real LangGraph
// server, which run.sh installs from server/, starts, and names by the environment variable INLAY_LANGGRAPH_URL. They
// are built with the tag langgraph alone, so that without such a server none of them seems to pass.
//
// The models of that server are scripted, so the tests know every word, every node and every edge beforehand.
package langgraph
