"""The commands ``kubewright generate …`` and ``kubewright diff-crd``: from CRDs, and about them."""
