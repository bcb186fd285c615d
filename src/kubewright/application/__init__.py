"""Applications: what front ends produce, and what commands, roles, CRDs and tests take.

An `Application` says what it is called, what it watches, and how it is added to a manager.
`kubewright.Operator` is one, with decorators on top; what describes an operator otherwise is
another.
"""

from kubewright.application.application import Application

__all__ = ["Application"]
