"""Rules for fields that kinds of several groups share, with the texts of Kubernetes."""
