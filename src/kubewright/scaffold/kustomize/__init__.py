"""kustomize in Python: the objects that an overlay describes, without a program to install.

`build` is all that others need; it reads files through a function that it is given.
"""

from kubewright.scaffold.kustomize.build import build

__all__ = ["build"]
