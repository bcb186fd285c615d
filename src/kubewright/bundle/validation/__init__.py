"""What is checked about a bundle: functions from a `Bundle` to findings.

`validate` runs those that every bundle has to pass, and the optional ones that are asked for.
"""

from kubewright.bundle.validation.selection import OPTIONAL, Validator, selected, validate

__all__ = ["OPTIONAL", "Validator", "selected", "validate"]
