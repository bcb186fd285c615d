"""Pods, and the pod templates inside other kinds."""
