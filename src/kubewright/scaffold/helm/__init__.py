"""Projects without code: each kind is installed by a helm chart, as ``watches.yaml`` says."""
