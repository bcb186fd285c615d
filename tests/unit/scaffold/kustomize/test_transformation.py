"""What a kustomization does, in order."""

import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.configuration import DEFAULT
from kubewright.scaffold.kustomize.fields import Image
from kubewright.scaffold.kustomize.kustomization import Kustomization
from kubewright.scaffold.kustomize.resource import resources
from kubewright.scaffold.kustomize.source import Folder
from kubewright.scaffold.kustomize.transformation import Transformation

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{image: app}]}\n"
FILES = {
    "one.yaml": """\
source: {kind: Pod}
targets: [{select: {}, fieldPaths: [metadata.labels.name]}]
""",
    "two.yaml": "- source: {kind: Pod}\n  targets: []\n",
    "wrong.yaml": "source: {kind: Pod}\ntarget: []\n",
}


def run(text: str, *, images: dict[str, Image] | None = None) -> tuple[Collection, list[str]]:
    """Return what becomes of a Pod, and which transformations were made."""
    found = Collection(resources(POD, place=""))
    said = Kustomization.read(text, place="kustomization.yaml")
    transformation = Transformation(
        said, Folder(".", FILES.get), configuration=DEFAULT, images=images or {}
    )
    return found, list(transformation.run(found))


def test_transformations_have_one_order_whatever_the_file_says() -> None:
    """Patches know the names without a prefix, replacements those with one."""
    text = """\
replacements: [{path: one.yaml}, {path: two.yaml}]
images: [{name: app, newTag: "2"}]
commonAnnotations: {a: b}
labels: [{pairs: {name: label}}]
nameSuffix: -z
namePrefix: x-
namespace: shop
patches: [{target: {name: a}, patch: '[{"op": "add", "path": "/spec/more", "value": 1}]'}]
"""

    found, order = run(text)
    pod = next(iter(found)).finished()

    assert order == [
        "PatchTransformer",
        "NamespaceTransformer",
        "PrefixTransformer",
        "SuffixTransformer",
        "LabelTransformer",
        "LabelTransformer",
        "AnnotationsTransformer",
        "ImageTagTransformer",
        "ReplacementTransformer",
    ]
    assert pod["metadata"]["labels"]["name"] == pod["metadata"]["name"] == "x-a-z"
    assert pod["spec"] == {"more": 1, "containers": [{"image": "app:2"}]}


def test_an_image_can_be_set_from_outside() -> None:
    """That is what a deployment of one's own build needs."""
    own = {"app": Image(name="app", new_name="mine", new_tag="1")}

    for text in ("nameSuffix: ''\n", "images: [{name: app, newName: theirs}]\n"):
        found, _ = run(text, images=own)
        assert next(iter(found)).finished()["spec"]["containers"] == [{"image": "mine:1"}]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "namePrefix: x\nreplacements:\n- path: wrong.yaml\n",
            "wrong.yaml, line 2: target: there is no such field; did you mean targets?",
        ),
        (
            "replacements: [{path: one.yaml, source: {kind: Pod}}]\n",
            (
                "kustomization.yaml, line 1: replacements[0]: there are a path and a replacement;"
                " keep one of them"
            ),
        ),
        (
            "patches:\n- path: none.yaml\n",
            "kustomization.yaml, line 2: patches[0]: there is no file none.yaml",
        ),
    ],
)
def test_mistakes_name_file_line_and_field(text: str, why: str) -> None:
    """A kustomization has many fields that fail alike."""
    with pytest.raises(ConfigError) as caught:
        run(text)

    assert str(caught.value) == why
