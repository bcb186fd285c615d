"""Custom resources: the definitions that make them, and how their objects behave."""
