"""The command ``kubewright manifests``."""
