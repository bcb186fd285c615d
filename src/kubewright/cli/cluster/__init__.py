"""The commands ``kubewright cluster …``: clusters that run in the background."""
