"""Admission: the checks that a write passes before it is stored."""
