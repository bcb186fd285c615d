"""Names for integers of a size, as Go has them."""

from typing import Annotated, TypeAlias

from kubewright.crd.constraints import Format

Int32: TypeAlias = Annotated[int, Format("int32")]
"""An integer of 32 bits, such as a number of replicas or a port."""

Int64: TypeAlias = Annotated[int, Format("int64")]
"""An integer of 64 bits, which a bare ``int`` is too."""
