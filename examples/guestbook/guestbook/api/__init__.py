"""The kinds of the operator: a package for each version."""
