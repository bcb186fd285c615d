"""The benchmark: Kubewright beside its peers, in one run, as ratios. See README.md."""
