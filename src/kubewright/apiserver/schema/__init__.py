"""Schemas of objects, and the operations that follow them: pruning, defaults, validation."""
