"""The operator sample-controller."""
