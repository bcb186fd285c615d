"""The embedded cluster beside Kubernetes: Deployments from apply to ready pods."""
