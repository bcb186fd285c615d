"""The operator collector."""
