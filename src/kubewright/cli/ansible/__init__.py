"""Folders with a ``watches.yaml`` that names roles and playbooks."""
