"""Rows of the core group."""
