"""Serves the logs, commands and ports of containers to clients such as kubectl.

`Kubelets` does it for an embedded API server, `KubeletServer` for a real kube-apiserver.
"""

from kubewright.embedded.kubelet.kubelets import Kubelets
from kubewright.embedded.kubelet.server import KubeletServer

__all__ = ["KubeletServer", "Kubelets"]
