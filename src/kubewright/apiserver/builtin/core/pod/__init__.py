"""Pods, and the pod templates inside of other kinds."""
