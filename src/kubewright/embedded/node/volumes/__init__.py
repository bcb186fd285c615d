"""The content of the volumes of a pod, computed as values."""
