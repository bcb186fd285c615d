"""CustomResourceDefinitions, and the behaviour of custom objects."""
