"""The command ``kubewright doctor``."""
