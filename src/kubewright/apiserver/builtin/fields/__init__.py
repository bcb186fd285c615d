"""Rules for fields that several API groups share, with Kubernetes' messages."""
