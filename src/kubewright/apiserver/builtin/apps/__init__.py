"""Kinds of ``apps``, and ReplicationControllers, which behave like ReplicaSets."""
