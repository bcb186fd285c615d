"""An HTTP/1.1 client for one server: connections, their pool, streams, and errors in our words."""
