"""The API group cnat.programming-kubernetes.info in version v1alpha1."""
