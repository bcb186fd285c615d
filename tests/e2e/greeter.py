"""A server for pods: answers every request with a name. ``python greeter.py HOST PORT NAME``."""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Greeter(ThreadingHTTPServer):
    """Answers every request with *name*."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, host: str, port: int, name: str) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(name)))
                self.end_headers()
                self.wfile.write(name.encode())

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name
                pass

        super().__init__((host, port), Handler)


if __name__ == "__main__":
    Greeter(sys.argv[1], int(sys.argv[2]), sys.argv[3]).serve_forever()
