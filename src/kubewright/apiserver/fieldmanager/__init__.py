"""Server-side apply: who owns which field of an object, and what an applied configuration does."""
