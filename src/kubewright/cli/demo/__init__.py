"""The command ``kubewright demo``."""
