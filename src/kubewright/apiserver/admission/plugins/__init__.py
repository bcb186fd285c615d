"""Admission plugins that come with Kubernetes, by the names that it gives them."""
