"""The command ``kubewright dev``."""
