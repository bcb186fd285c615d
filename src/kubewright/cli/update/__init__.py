"""The command ``kubewright alpha update``: a project's scaffold, brought up to date in git."""
