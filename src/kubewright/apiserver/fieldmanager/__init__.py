"""Server-side apply: managed fields, merging, and conflicts."""
