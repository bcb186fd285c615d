"""What is in the volumes of a pod, computed as values."""
