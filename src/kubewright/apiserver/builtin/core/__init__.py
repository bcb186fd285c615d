"""Kinds of the core group: what has ``apiVersion: v1``."""
