"""What an APIService says."""

from kubewright.apiserver.aggregation.remote import Remotes, is_available, read_remote
from tests.unit.apiserver.aggregation.orchard import GROUP, NAME, ROOT, SERVER_NAME, Orchard
from tests.unit.apiserver.aggregation.orchard import api_service as made


def test_a_service_in_it_hands_the_version_over() -> None:
    """Path and name of the certificate follow from it."""
    found = read_remote(made(Orchard()))

    assert found is not None
    assert (found.name, found.root, found.server_name) == (NAME, ROOT, SERVER_NAME)
    assert not found.available


def test_local_versions_and_the_core_group_stay_here() -> None:
    """Nobody can answer for the Secrets of a cluster but its own server."""
    assert read_remote(made(Orchard(), service=None)) is None
    assert read_remote(made(Orchard(), group="", version="v1")) is None


def test_only_a_condition_that_is_true_counts() -> None:
    """Before the first check nothing is known, and requests would hang."""
    condition = {"type": "Available", "status": "False"}

    assert not is_available({"status": {"conditions": [condition]}})
    assert is_available({"status": {"conditions": [{**condition, "status": "True"}]}})


def test_versions_are_found_by_their_group() -> None:
    """Discovery asks for them so."""
    remotes, found = Remotes(), read_remote(made(Orchard()))
    assert found is not None

    remotes.found[found.group, found.version] = found

    assert remotes.of_group(GROUP) == {found.version: found}
    assert remotes.of_group("apps") == {}
    assert remotes.offer(found) is None
