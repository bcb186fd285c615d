"""An HTTP/1.1 client for one server: connections, their pool, streams, and our errors."""
