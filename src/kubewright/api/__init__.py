"""Typed Kubernetes objects and what is said of them, without any I/O."""
