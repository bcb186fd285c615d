"""CEL, the language of validation rules and match conditions, as Kubernetes uses it.

A rule is compiled with the types of its variables, and evaluated on plain JSON:

    >>> range_type = object_type("Range", {"min": INT, "max": INT})
    >>> rule = compile_rule("self.min <= self.max", {"self": range_type})
    >>> rule.evaluate({"self": {"min": 1, "max": 2}})
    True
"""

from kubewright.apiserver.cel.celtype import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    UINT,
    Field,
    Type,
    growing_type,
    list_of,
    map_of,
    object_type,
    optional_of,
)
from kubewright.apiserver.cel.cost import PER_CALL_LIMIT, Budget, BudgetError
from kubewright.apiserver.cel.errors import CompileError, CostLimitError, EvaluationError
from kubewright.apiserver.cel.program import (
    InstantiationError,
    Program,
    ResultTypeError,
    compile_rule,
)
from kubewright.apiserver.cel.schematype import type_of
from kubewright.apiserver.cel.values import NONE, Optional

__all__ = [
    "BOOL",
    "BYTES",
    "DOUBLE",
    "DURATION",
    "DYN",
    "INT",
    "NONE",
    "NULL",
    "PER_CALL_LIMIT",
    "STRING",
    "TIMESTAMP",
    "UINT",
    "Budget",
    "BudgetError",
    "CompileError",
    "CostLimitError",
    "EvaluationError",
    "Field",
    "InstantiationError",
    "Optional",
    "Program",
    "ResultTypeError",
    "Type",
    "compile_rule",
    "growing_type",
    "list_of",
    "map_of",
    "object_type",
    "optional_of",
    "type_of",
]
