"""A typed client for any Kubernetes API server."""
