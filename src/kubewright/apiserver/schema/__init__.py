"""The shapes of objects, and what walks objects by their shape."""
