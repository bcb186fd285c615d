"""Certificates and the files that carry them: authorities, key pairs, trust, kubeconfigs."""
