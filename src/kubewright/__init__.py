"""Kubernetes operators in Python."""
