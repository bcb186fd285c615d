"""The cluster that these tests stand on, itself."""

import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap
from tests.e2e.kubectl import Kubectl


async def test_each_test_has_a_namespace_of_its_own(client: kw.Client, kubectl: Kubectl) -> None:
    """What one test leaves behind must not be seen by the next."""
    await client.create(ConfigMap(metadata=kw.ObjectMeta(name="mine")))

    found = kubectl("get", "configmap", "mine", "--output", "name")

    assert found == "configmap/mine\n"
