from kubewright.apiserver.admission.plugin import AdmissionPlugin
from tests.unit.apiserver.admission.writes import config_map, context, write


def test_a_plugin_that_overrides_nothing_lets_everything_pass() -> None:
    """So a plugin writes down only the phases that it takes part in."""
    plugin, attributes = AdmissionPlugin(context()), write()

    assert plugin.admit(attributes) is None
    assert plugin.validate(attributes) is None
    assert plugin.charge(attributes) == []
    assert attributes.object == config_map()
