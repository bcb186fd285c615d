"""Diagnosis: what is wrong with an operator and the cluster that it is in, in plain words.

A check is a function that looks at a `Patient` and yields findings. It judges with pure functions,
which can be tested without a cluster. All checks run side by side, and none of them can fail
another: one that may not look says which right it lacks.
"""

from kubewright.application.diagnosis.checks import CHECKS
from kubewright.application.diagnosis.examination import Check, Diagnosis, examine
from kubewright.application.diagnosis.finding import Finding, Severity
from kubewright.application.diagnosis.installation import Installation, find_installation
from kubewright.application.diagnosis.patient import Commands, Patient
from kubewright.application.diagnosis.server import Greeting, greet

__all__ = [
    "CHECKS",
    "Check",
    "Commands",
    "Diagnosis",
    "Finding",
    "Greeting",
    "Installation",
    "Patient",
    "Severity",
    "examine",
    "find_installation",
    "greet",
]
