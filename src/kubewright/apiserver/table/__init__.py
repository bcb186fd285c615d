"""Tables: the columns and rows that ``kubectl get`` prints, which the server computes."""

from kubewright.apiserver.table.make import table_for

__all__ = ["table_for"]
