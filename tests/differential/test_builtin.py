"""Built-in kinds: the embedded server beside kube-apiserver."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test

from tests.differential import known
from tests.differential.kinds import KINDS, METADATA_POINTERS, POINTERS
from tests.differential.machine import AGES, DRY, OBJECTS, VERSIONS, Machine
from tests.differential.pair import Pair
from tests.differential.patches import json_patches, merge_patches, strategic_patches
from tests.differential.values import METADATA, mostly

KIND = st.sampled_from(sorted(KINDS))


class Builtins(Machine):
    """Objects of several kinds."""

    COLLECTIONS = {key: kind.path for key, kind in KINDS.items()}
    OWN = [key for key, kind in KINDS.items() if kind.namespaced]

    @initialize(kinds=st.lists(KIND, min_size=1, max_size=2, unique=True))
    def choose(self, kinds: list[str]) -> None:
        """Choose few kinds, so that their objects meet many operations."""
        self.chosen = kinds

    def name(self, key: str, name: str) -> str:
        """Return the name of an object; without a namespace, it has to be one of our own."""
        return name if KINDS[key].namespaced else f"{self.namespace}-{name}"

    def path(self, collection: str, name: str = "") -> str:
        return super().path(collection, name and self.name(collection, name))

    def exists(self, path: str) -> bool:
        """Whether there is an object; what both say of it is compared elsewhere."""
        return self.pair.sides[0].wire.get(path).status == 200

    def last(self, collection: str) -> dict[str, Any]:
        kind = KINDS[collection]
        content: dict[str, Any] = {}
        if collection == "service":
            content = {"spec": {"clusterIP": "None"}}
        if collection == "deployment":
            labels = {"app": "a"}
            spec = {"containers": [{"name": "a", "image": "i"}]}
            template = {"metadata": {"labels": labels}, "spec": spec}
            content = {"spec": {"selector": {"matchLabels": labels}, "template": template}}
        return kind.body(f"zz-{collection}", {"labels": {"l": "1"}}, content)

    @rule(data=st.data(), name=OBJECTS, metadata=METADATA, dry=DRY)
    def create(self, data: st.DataObject, name: str, metadata: dict[str, Any], dry: Any) -> None:
        """Create an object."""
        key = self.collection(data)
        body = KINDS[key].body(self.name(key, name), metadata, data.draw(KINDS[key].content))
        query = {"dryRun": dry} if dry and key not in known.NO_DRY_RUN else {}
        self.pair.write("POST", self.path(key), body, fieldManager="one", **query)

    @rule(
        data=st.data(),
        name=OBJECTS,
        metadata=METADATA,
        age=AGES,
        expected=VERSIONS,
        status=mostly(st.just(False), st.just(True), weight=4),
    )
    def replace(
        self,
        data: st.DataObject,
        name: str,
        metadata: dict[str, Any],
        age: int,
        expected: str,
        status: bool,
    ) -> None:
        """Replace what was read now or earlier, or its status."""
        key = self.collection(data)
        kind, path = KINDS[key], self.path(key, name)
        if key in known.CREATED_BY_PUT and not self.exists(path):
            return
        change = kind.body(self.name(key, name), metadata, data.draw(kind.content))
        body = self.changed(path, age=age, version=expected, change=change)
        if status and kind.status is not None:
            change["status"] = data.draw(kind.status)
            self.pair.write("PUT", f"{path}/status", body, fieldManager="three")
        else:
            self.pair.write("PUT", path, body, fieldManager="one")

    @rule(data=st.data(), name=OBJECTS, dry=DRY)
    def patch_json(self, data: st.DataObject, name: str, dry: Any) -> None:
        """Send a JSON patch."""
        key = self.collection(data)
        patch = data.draw(json_patches(POINTERS[key] + METADATA_POINTERS))
        query = {"dryRun": dry} if dry and key not in known.NO_DRY_RUN else {}
        self.pair.write(
            "PATCH", self.path(key, name), patch, patch="json", fieldManager="two", **query
        )

    @rule(data=st.data(), name=OBJECTS, metadata=METADATA)
    def patch_merge(self, data: st.DataObject, name: str, metadata: dict[str, Any]) -> None:
        """Send a merge patch."""
        key = self.collection(data)
        patch = {**data.draw(merge_patches(KINDS[key].content)), "metadata": metadata}
        self.pair.write("PATCH", self.path(key, name), patch, patch="merge", fieldManager="two")

    @rule(data=st.data(), name=OBJECTS, metadata=METADATA)
    def patch_strategic(self, data: st.DataObject, name: str, metadata: dict[str, Any]) -> None:
        """Send a strategic merge patch."""
        key = self.collection(data)
        patch = {**data.draw(strategic_patches(KINDS[key].content)), "metadata": metadata}
        self.pair.write("PATCH", self.path(key, name), patch, patch="strategic", fieldManager="two")

    @rule(data=st.data(), name=OBJECTS)
    def patch_status(self, data: st.DataObject, name: str) -> None:
        """Change the status."""
        key = self.collection(data)
        status = KINDS[key].status
        if status is None:
            status = st.just({"x": 1})
        patch = {"status": data.draw(merge_patches(status)), "metadata": {"labels": {"l": "2"}}}
        how = data.draw(st.sampled_from(["merge", "strategic"]))
        self.pair.write(
            "PATCH", f"{self.path(key, name)}/status", patch, patch=how, fieldManager="three"
        )


@pytest.mark.timeout(3000)
def test_any_sequence_of_writes_has_the_same_answers(builtin: Pair) -> None:
    """And what is left is the same, and so is what a watch saw of it."""
    Builtins.pair = builtin
    run_state_machine_as_test(Builtins, settings=settings(max_examples=settings().max_examples * 3))
