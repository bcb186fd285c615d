"""The commands ``kubewright olm``: bundles on a cluster without OLM."""
