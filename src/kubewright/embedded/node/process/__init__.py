"""Containers as local processes, started and ended by a supervisor."""
