"""The API group samplecontroller.k8s.io in version v1alpha1."""
