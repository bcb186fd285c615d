"""What charts learn of the cluster."""

from kubewright._aio import Clock
from kubewright.client import Config, TLSConfig
from kubewright.helm.facts import Facts, _kubeconfig
from kubewright.testing import EmbeddedServer
from tests.unit.helm.charts import chart


async def test_only_what_a_chart_asks_for_counts() -> None:
    """A CRD that it has not heard of is no reason to render it again."""
    asking = chart(
        {"a.yaml": '{{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }}{{ .Has "a.b/v1" }}'}
    )
    async with EmbeddedServer() as server, server.client() as client:
        facts = Facts(client, Clock())

        assert (await facts.of(asking)).apis == ("apps/v1/Deployment",)
        plain = await facts.of(chart())
        assert plain.apis == ()
        assert plain.version.startswith("v1.")


async def test_helm_reaches_the_cluster_as_we_do() -> None:
    """At the same address."""
    async with EmbeddedServer() as server, server.client() as client:
        found = Facts(client, Clock()).kubeconfig()

        assert found["clusters"][0]["cluster"]["server"] == client.config.url
        assert found["current-context"] == "here"


def test_credentials_are_all_passed_on() -> None:
    """Certificates as text, and nothing that is not set."""
    config = Config(server="https://a", token="t", tls=TLSConfig(ca_data=b"ca", server_name="b"))

    found = _kubeconfig(config)

    assert found["users"][0]["user"] == {"token": "t"}
    assert found["clusters"][0]["cluster"] == {
        "server": "https://a",
        "certificate-authority-data": "Y2E=",
        "tls-server-name": "b",
    }
