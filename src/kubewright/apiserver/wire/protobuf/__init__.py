"""What clients send as protobuf, read as the trees that the rest of the server works on.

Kubernetes wraps a message in an envelope that says which kind it is. Nothing is answered in
protobuf: every client that sends it reads JSON as well.
"""

from kubewright.apiserver.wire.protobuf.envelope import decode

__all__ = ["decode"]
