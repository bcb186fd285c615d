"""The embedded API server beside the real kube-apiserver with etcd: same load, same machine."""
