"""Columns and rows of the built-in kinds: a module or a folder for each API group."""
