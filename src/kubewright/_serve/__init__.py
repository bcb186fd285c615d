"""HTTP/1.1 on a socket, with or without TLS, in front of any `Handler`.

It knows nothing about what is served. The API server, a manager's pages and webhooks build on it.
Nothing is imported here: `messages` costs nothing, while `server` brings sockets and a parser.
"""
