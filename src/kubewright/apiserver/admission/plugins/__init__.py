"""The admission plugins, one in each file, under the names that Kubernetes gives them."""
