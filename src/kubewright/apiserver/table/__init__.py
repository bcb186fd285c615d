"""Tables: what ``kubectl get`` prints, cell by cell, as the server makes it."""

from kubewright.apiserver.table.make import table_for

__all__ = ["table_for"]
