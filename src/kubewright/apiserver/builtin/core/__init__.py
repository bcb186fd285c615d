"""Kinds of the core group: those with ``apiVersion: v1``."""
