"""The names of `kubewright` itself load lazily, and type checkers know them all the same."""

from typing import Any, assert_type

import kubewright
import kubewright as kw
from kubewright import Client, Modelle  # E: Module "kubewright" has no attribute "Modelle"
from kubewright.client import Client as ClientItself
from kubewright.errors import KubewrightError


def what_is_known(config: kw.Config, error: kw.ForbiddenError) -> None:
    assert_type(kw.Client(config), ClientItself)
    assert_type(Client(config), kw.Client)
    assert_type(kw.Config.load(), kw.Config)
    assert_type(kubewright.ObjectMeta().name, str)
    assert_type(kw.parse_quantity, Any)  # E: not "Any"
    base: KubewrightError = error
    del base


def what_is_not() -> None:
    kw.Operatr("a")  # E: Module has no attribute "Operatr"
    kw.Client()  # E: Missing positional argument "config" in call to "Client"
    _ = kw.Model.nonsense  # E: "type[Model]" has no attribute "nonsense"
    Modelle()
