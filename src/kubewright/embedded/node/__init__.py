"""The kubelet of the embedded cluster: a node that runs the pods that are bound to it.

`Node` registers at an API server, ours or any other, and runs pods with a `Runtime`: simulated
containers, or local processes. What serves ``kubectl logs`` and the like knows a node only as
`ContainerAccess`.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright.embedded.node.access import (
        AccessError,
        Command,
        ContainerAccess,
        LogOptions,
        Output,
        PodConnection,
    )
    from kubewright.embedded.node.node import Node
    from kubewright.embedded.node.process.runtime import ProcessRuntime
    from kubewright.embedded.node.runtime import Runtime
    from kubewright.embedded.node.simulated.runtime import SimulatedRuntime

__all__ = [
    "AccessError",
    "Command",
    "ContainerAccess",
    "LogOptions",
    "Node",
    "Output",
    "PodConnection",
    "ProcessRuntime",
    "Runtime",
    "SimulatedRuntime",
]

_MODULES = {
    **dict.fromkeys(
        ("AccessError", "Command", "PodConnection", "ContainerAccess", "LogOptions", "Output"),
        "access",
    ),
    "Node": "node",
    "ProcessRuntime": "process.runtime",
    "Runtime": "runtime",
    "SimulatedRuntime": "simulated.runtime",
}

# Loaded when first used: serving logs takes no runtime. Hidden from type checkers, which know the
# names from above.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULES)
