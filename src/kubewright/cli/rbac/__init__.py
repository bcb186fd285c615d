"""The commands of ``kubewright rbac``: the rights of an operator beside what it does with them."""
