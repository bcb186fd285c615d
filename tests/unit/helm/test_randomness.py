"""What is only random stays as it was."""

from base64 import b64decode, b64encode

import pytest

from kubewright.helm import Rendering
from kubewright.helm.manifest import RenderError, objects_in
from kubewright.helm.randomness import keep_random

OLD, NEW, OTHER = "a" * 64, "b" * 64, "c" * 64


def manifest(password: str, colour: str, checksum: str = OLD, name: str = "s") -> str:
    """Return a Secret and a Deployment that carries its checksum."""
    return (
        f"---\n# Source: shop/s.yaml\napiVersion: v1\nkind: Secret\nmetadata: {{name: {name}}}\n"
        f"stringData: {{password: {password}, colour: {colour}}}\n"
        "---\n# Source: shop/d.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n"
        f"spec: {{checksum: {checksum}, colour: {colour}}}\n"
    )


def test_render_without_chance_stays_byte_for_byte() -> None:
    """Comments included: users read manifests."""
    rendering = Rendering(manifest("p", "red"))

    assert keep_random(manifest("old", "blue"), rendering, Rendering(manifest("p", "red"))) is (
        rendering
    )


def test_random_values_are_those_of_the_release_before() -> None:
    """And with them the checksum, so that no pod is restarted for nothing."""
    kept = keep_random(
        manifest("old", "blue"),
        Rendering(manifest("x", "blue", NEW)),
        Rendering(manifest("y", "blue", OTHER)),
    )

    assert objects_in(kept.manifest) == objects_in(manifest("old", "blue"))


def test_checksum_changes_if_something_else_does() -> None:
    """Pods would go on with settings that are not there any more."""
    kept = keep_random(
        manifest("old", "blue"),
        Rendering(manifest("x", "red", NEW)),
        Rendering(manifest("y", "red", OTHER)),
    )

    secret, deployment = objects_in(kept.manifest)
    assert secret["stringData"] == {"password": "old", "colour": "red"}
    assert deployment["spec"] == {"checksum": NEW, "colour": "red"}


def test_random_name_is_kept() -> None:
    """Otherwise each upgrade would make another object and remove the one before."""
    kept = keep_random(
        manifest("p", "blue", name="s-1"),
        Rendering(manifest("p", "red", name="s-2")),
        Rendering(manifest("p", "red", name="s-3")),
    )

    assert objects_in(kept.manifest)[0]["metadata"]["name"] == "s-1"


def test_new_random_value_is_taken() -> None:
    """There is nothing to keep yet."""
    first = Rendering(manifest("x", "red"))

    kept = keep_random("", first, Rendering(manifest("y", "red")))

    assert objects_in(kept.manifest) == objects_in(first.manifest)


def secrets(*names: str, password: str, extra: str = "") -> str:
    """Return a Secret for each of *names*, all of one template."""
    return "".join(
        "---\n# Source: shop/s.yaml\napiVersion: v1\nkind: Secret\n"
        f"metadata: {{name: {name}}}\nstringData: {{password: '{password}-{name}'{extra}}}\n"
        for name in names
    )


def test_objects_are_matched_by_name_and_not_by_their_place() -> None:
    """One more object of a template would give each password to its neighbour otherwise."""
    kept = keep_random(
        secrets("b", "c", password="old"),
        Rendering(secrets("a", "b", "c", password="new")),
        Rendering(secrets("a", "b", "c", password="other")),
    )

    found = {one["metadata"]["name"]: one["stringData"] for one in objects_in(kept.manifest)}
    assert found["a"] == {"password": "new-a"}
    assert found["b"] == {"password": "old-b"}
    assert found["c"] == {"password": "old-c"}


def test_random_name_is_not_mistaken_for_another_object() -> None:
    """The one that the values leave out now is before it."""
    kept = keep_random(
        secrets("gone", "job-111", password="p"),
        Rendering(secrets("job-222", password="p")),
        Rendering(secrets("job-333", password="p")),
    )

    assert objects_in(kept.manifest)[0]["metadata"]["name"] == "job-111"


def variables(*entries: str) -> str:
    """Return an object with a list."""
    return (
        "---\n# Source: shop/d.yaml\napiVersion: v1\nkind: Pod\nmetadata: {name: d}\n"
        f"env: [{', '.join(entries)}]\n"
    )


def test_list_entries_are_matched_by_name() -> None:
    """As objects are."""
    kept = keep_random(
        variables("{name: b, value: old}"),
        Rendering(variables("{name: a, value: x}", "{name: b, value: new}")),
        Rendering(variables("{name: a, value: y}", "{name: b, value: other}")),
    )

    (pod,) = objects_in(kept.manifest)
    assert pod["env"] == [{"name": "a", "value": "x"}, {"name": "b", "value": "old"}]


def test_list_that_has_grown_keeps_its_random_entries() -> None:
    """And takes what is new: such as one more argument."""
    kept = keep_random(
        variables("--token=old", "--quiet"),
        Rendering(variables("--verbose", "--token=new", "--quiet", "--more")),
        Rendering(variables("--verbose", "--token=other", "--quiet", "--more")),
    )

    (pod,) = objects_in(kept.manifest)
    assert pod["env"] == ["--verbose", "--token=old", "--quiet", "--more"]


def test_change_beside_something_random_counts() -> None:
    """Also in a Secret, whose data is in base64."""
    texts = [
        b64encode(f"token: {token}\nhost: {host}\n".encode()).decode()
        for token, host in (("old", "a"), ("new1", "b"), ("other", "b"))
    ]
    before, first, second = (
        "---\n# Source: s.yaml\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
        f"data: {{conf: {text}}}\n"
        for text in texts
    )

    (secret,) = objects_in(keep_random(before, Rendering(first), Rendering(second)).manifest)

    assert b64decode(secret["data"]["conf"]).decode() == "token: old\nhost: b\n"


def test_text_that_looks_like_a_number_stays_a_text() -> None:
    """The server refuses a number there, and the release would hang."""
    commit = ", commit: '12e3'"
    kept = keep_random(
        secrets("a", password="old", extra=commit),
        Rendering(secrets("a", password="new", extra=f"{commit}, host: b")),
        Rendering(secrets("a", password="other", extra=f"{commit}, host: b")),
    )

    (secret,) = objects_in(kept.manifest)
    assert secret["stringData"] == {"password": "old-a", "commit": "12e3", "host": "b"}


def test_password_that_is_a_number_by_chance_is_kept() -> None:
    """Charts forget quotes, and one password in many has only digits."""
    kept = keep_random(
        variables("{name: a, value: 123}"),
        Rendering(variables("{name: a, value: x1}")),
        Rendering(variables("{name: a, value: y1}")),
    )

    assert objects_in(kept.manifest)[0]["env"] == [{"name": "a", "value": 123}]


def test_object_that_names_its_namespace_now_is_the_same() -> None:
    """Its password must not change for that."""
    old = secrets("a", "b", password="old")
    new, other = (
        secrets("a", "b", password=password).replace("name: a", "name: a, namespace: market")
        for password in ("new", "other")
    )

    kept = objects_in(keep_random(old, Rendering(new), Rendering(other)).manifest)

    assert [one["stringData"]["password"] for one in kept] == ["old-a", "old-b"]


def test_second_render_that_is_not_yaml_is_told() -> None:
    """A password without quotes may begin with anything; it is rendered again later."""
    with pytest.raises(RenderError, match=r"shop/d\.yaml: what it renders is not YAML"):
        keep_random(
            variables("{name: a, value: old}"),
            Rendering(variables("{name: a, value: new}")),
            Rendering(variables("{name: a, value: @other}")),
        )
