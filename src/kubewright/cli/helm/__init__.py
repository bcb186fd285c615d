"""The command ``kubewright helm``, and folders with a ``watches.yaml``."""
