"""HTTP/1.1 on a socket, with or without TLS, in front of any `Handler`.

It knows nothing of what is served. The API server, the pages of a manager and webhooks stand on it.
Nothing is imported here: `messages` costs nothing, while `server` brings sockets and a parser.
"""
