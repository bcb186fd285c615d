"""Containers that only pretend to run, on any clock."""
