"""Volumes of the cluster: which claim gets which, and folders that are made for claims.

What is pure here is shared by the controller that binds, the scheduler and the node. The
`provisioner` stands beside Kubernetes' own controllers, as kind and minikube bring theirs.
"""
