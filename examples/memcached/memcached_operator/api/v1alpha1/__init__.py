"""The API group cache.example.com in version v1alpha1."""
