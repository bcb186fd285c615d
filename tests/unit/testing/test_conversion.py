"""Random objects there and back: what must be found, and what is said about it."""

import json
from collections.abc import Callable
from copy import copy
from random import Random
from typing import Annotated, Any

import pytest

import kubewright as kw
from kubewright.errors import ConversionError, SchemeError
from kubewright.testing import check_round_trips
from kubewright.webhook import Conversion


class Shelf(kw.Model):
    name: str
    depth: int | None = None


class SpecV1(kw.Model):
    size: int = 0
    colour: str | None = None
    shelves: list[Shelf] = []
    tags: dict[str, str] = {}


@kw.resource(group="example.com", version="v1", kind="Shop")
class ShopV1(kw.Resource):
    """A shop, as it is stored."""

    spec: SpecV1 = SpecV1()


class SpecV2(kw.Model):
    area: int = 0
    colour: str | None = None
    shelves: list[Shelf] = []
    tags: dict[str, str] = {}
    music: str | None = None


@kw.resource(group="example.com", version="v2", kind="Shop", storage=False)
class ShopV2(kw.Resource):
    """A shop with music, which only this version knows."""

    spec: SpecV2 = SpecV2()


@kw.resource(group="example.com", version="v1beta1", kind="Shop", storage=False)
class ShopBeta(kw.Resource):
    """A shop with the fields of v1."""

    spec: SpecV1 = SpecV1()


ToV1 = Callable[[ShopV2], ShopV1]
FromV1 = Callable[[ShopV1], ShopV2]

HUB_FIRST = "Shop: example.com/v1 -> example.com/v2 -> example.com/v1"
SPOKE_FIRST = "Shop: example.com/v2 -> example.com/v1 -> example.com/v2"


def to_v1(new: ShopV2) -> ShopV1:
    """Return a v2 object as v1, without its music."""
    spec = new.spec
    return ShopV1(
        spec=SpecV1(size=spec.area, colour=spec.colour, shelves=spec.shelves, tags=spec.tags)
    )


def from_v1(hub: ShopV1) -> ShopV2:
    """Return a v1 object as v2."""
    spec = hub.spec
    return ShopV2(
        spec=SpecV2(area=spec.size, colour=spec.colour, shelves=spec.shelves, tags=spec.tags)
    )


def conversion(
    *, to_hub: ToV1 = to_v1, from_hub: FromV1 = from_v1, keep_lost_fields: bool = True
) -> Conversion[ShopV1]:
    """Return a conversion between v1 and v2 that loses nothing, unless a function is planted."""
    made = Conversion(ShopV1, keep_lost_fields=keep_lost_fields)
    made.to_hub(ShopV2)(to_hub)
    made.from_hub(ShopV2)(from_hub)
    return made


def between_v1_and(from_hub: FromV1) -> Conversion[ShopV1]:
    """Return a conversion that keeps no lost fields, with *from_hub* as its way from v1."""
    return conversion(from_hub=from_hub, keep_lost_fields=False)


def told_of(subject: Any, **options: Any) -> str:
    """Return what is said of a conversion that is at fault."""
    with pytest.raises(AssertionError) as failed:
        check_round_trips(subject, **options)
    return str(failed.value)


def smallest(told: str) -> dict[str, Any]:
    """Return the object that a message shows."""
    found: dict[str, Any] = json.loads(told.splitlines()[-1])
    return found


def forget_colour(hub: ShopV1) -> ShopV2:
    """Return a v1 object as v2, without its colour."""
    made = from_v1(hub)
    made.spec.colour = None
    return made


def recording(into: list[Any]) -> FromV1:
    """Return the way from v1 that notes what it was given."""

    def note(hub: ShopV1) -> ShopV2:
        into.append((hub.metadata.name, hub.spec.size, hub.spec.colour))
        return from_v1(hub)

    return note


# --- What is found ---

KEEP = (
    "convert it, or let an annotation keep what a version cannot express:"
    " operator.conversion(..., keep_lost_fields=True)"
)


def test_functions_that_lose_nothing_pass() -> None:
    """A check that cries for no reason is switched off."""
    check_round_trips(conversion())


def test_a_field_that_is_lost_is_named_with_the_versions_and_both_values() -> None:
    """The author sees at once which function to mend, and where."""
    told = told_of(between_v1_and(forget_colour)).splitlines()

    colour = smallest("\n".join(told))["spec"]["colour"]
    assert told[:5] == [
        f"{HUB_FIRST} loses spec.colour",
        f'  before: "{colour}"',
        "  after:  nothing",
        f"  {KEEP}",
        "  the smallest object that shows it (seed=0):",
    ]


def test_the_smallest_object_has_nothing_but_the_fault() -> None:
    """Among three hundred fields nobody would see the one that matters."""
    shown = smallest(told_of(between_v1_and(forget_colour)))

    assert shown == {
        "apiVersion": "example.com/v1",
        "kind": "Shop",
        "metadata": {"name": shown["metadata"]["name"]},
        "spec": {"colour": shown["spec"]["colour"]},
    }


def test_a_field_that_changes_is_told_with_both_values() -> None:
    """A factor on one way only is as bad as a loss."""

    def enlarge(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        made.spec.area = hub.spec.size + 1
        return made

    given = ShopV1(metadata=kw.ObjectMeta(name="a"), spec=SpecV1(size=7))

    told = told_of(between_v1_and(enlarge), instances=[given])

    assert "changes spec.size\n  before: 0\n  after:  1\n" in told
    assert "spec" not in smallest(told)  # its size is 0 then, which shows it as well


def test_a_field_that_nobody_wrote_is_invented() -> None:
    """A default that a conversion adds comes back as if the user had written it."""

    def paint(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        made.spec.colour = hub.spec.colour or "red"
        return made

    told = told_of(between_v1_and(paint))

    assert 'invents spec.colour\n  before: nothing\n  after:  "red"\n' in told


def test_a_field_inside_a_list_is_named_with_its_index() -> None:
    """The path is one that kubectl would print."""

    def flatten(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        made.spec.shelves = [Shelf(name=one.name) for one in hub.spec.shelves]
        return made

    told = told_of(between_v1_and(flatten))

    assert f"{HUB_FIRST} loses spec.shelves[0].depth\n" in told
    assert list(smallest(told)["spec"]) == ["shelves"]
    assert set(smallest(told)["spec"]["shelves"][0]) == {"name", "depth"}


@pytest.mark.parametrize(
    "spoil",
    [
        str.lower,
        str.strip,
        lambda text: text.partition(":")[0],
        lambda text: text.rpartition("/")[2],
        lambda text: ",".join(filter(None, text.split(","))),
        lambda text: text.encode("ascii", "ignore").decode(),
    ],
)
def test_what_spoils_only_some_texts_is_found(spoil: Callable[[str], str]) -> None:
    """Texts that are joined in one version, and split in the other, are the usual trap."""

    def spoilt(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        made.spec.colour = spoil(hub.spec.colour or "") or None
        return made

    assert " spec.colour\n" in told_of(between_v1_and(spoilt))


def test_an_item_that_is_lost_changes_its_list() -> None:
    """Items have no names by which they could be compared."""

    def keep_one(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        made.spec.shelves = hub.spec.shelves[:1]
        return made

    assert f"{HUB_FIRST} changes spec.shelves\n" in told_of(between_v1_and(keep_one))


def test_a_key_of_a_dict_is_named() -> None:
    """Labels and settings are dicts, and one key of them is easily overwritten."""

    def repaint(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        made.spec.tags = {
            key: "red" if key == "door" else hub.spec.tags[key] for key in hub.spec.tags
        }
        return made

    tags = {"wall": "white", "door": "blue"}
    given = ShopV1(metadata=kw.ObjectMeta(name="a"), spec=SpecV1(tags=tags))

    told = told_of(between_v1_and(repaint), instances=[given])

    assert 'changes spec.tags.door\n  before: "blue"\n  after:  "red"\n' in told
    assert smallest(told)["spec"] == {"tags": {"door": "blue"}}


@pytest.mark.parametrize(
    ("metadata", "part"),
    [
        (kw.ObjectMeta(labels={"made-by": "us"}), "labels"),
        (kw.ObjectMeta(annotations={"made-by": "us"}), "annotations"),
    ],
)
def test_metadata_that_a_function_sets_is_found(metadata: kw.ObjectMeta, part: str) -> None:
    """A function that sets a label of its own takes away all others."""

    def label(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        made.metadata = copy(metadata)
        return made

    told = told_of(between_v1_and(label))

    assert f"{HUB_FIRST} invents metadata.{part}\n  before: nothing\n" in told
    assert '  after:  {"made-by":"us"}\n' in told


def test_what_only_a_spoke_knows_is_found_on_the_way_from_the_spoke() -> None:
    """From the hub, there is nothing in that field that could be lost."""
    told = told_of(conversion(keep_lost_fields=False))

    assert f"{SPOKE_FIRST} loses spec.music\n" in told


def test_fields_that_are_kept_are_not_lost_and_their_annotation_is_no_difference() -> None:
    """With `keep_lost_fields`, the annotation is there only in between."""
    check_round_trips(conversion(from_hub=forget_colour))


def test_every_spoke_is_checked() -> None:
    """A fault in the third version must not hide behind a good second one."""
    three = Conversion(ShopV1)
    three.to_hub(ShopBeta)(lambda new: ShopV1(spec=new.spec))
    three.from_hub(ShopBeta)(lambda hub: ShopBeta(spec=hub.spec))
    three.to_hub(ShopV2)(to_v1)
    three.from_hub(ShopV2)(from_v1)

    assert told_of(three).startswith(f"{SPOKE_FIRST} loses spec.music\n")


def test_none_and_what_is_empty_are_the_same_as_not_there() -> None:
    """The server drops them, or they mean the same: no user loses anything."""

    def empty(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        made.spec.shelves = hub.spec.shelves or []
        made.spec.tags = hub.spec.tags or {}
        return made

    given = ShopV1(metadata=kw.ObjectMeta(name="a"), spec=SpecV1(shelves=[], tags={}))

    check_round_trips(between_v1_and(empty), instances=[given], examples=0)


# --- What the annotation hides ---


class Frame(kw.Model):
    width: int = 0
    height: int = 0
    panes: dict[str, Shelf] = {}
    rows: list[Shelf] = []


@kw.resource(group="example.com", version="v1", kind="Window")
class WindowV1(kw.Resource):
    """A window, as it is stored."""

    spec: Frame = Frame()


class Glazed(Frame):
    glass: str | None = None


@kw.resource(group="example.com", version="v2", kind="Window", storage=False)
class WindowV2(kw.Resource):
    """A window with glass, which only this version knows."""

    spec: Glazed = Glazed()


def windows(*, keep_lost_fields: bool = True, **planted: Any) -> Conversion[WindowV1]:
    """Return a conversion that is right but for what is *planted* on the way from v1."""

    def forth(hub: WindowV1) -> WindowV2:
        same = {name: getattr(hub.spec, name) for name in Frame.__struct_fields__}
        chosen = {name: choose(hub.spec) for name, choose in planted.items()}
        return WindowV2(spec=Glazed(**same | chosen))

    def back(new: WindowV2) -> WindowV1:
        same = {name: getattr(new.spec, name) for name in Frame.__struct_fields__}
        return WindowV1(spec=Frame(**same))

    made = Conversion(WindowV1, keep_lost_fields=keep_lost_fields)
    made.to_hub(WindowV2)(back)
    made.from_hub(WindowV2)(forth)
    return made


CONSTANT = {"width": lambda _: 7}
SWAPPED = {"width": lambda spec: spec.height, "height": lambda spec: spec.width}
FORGOTTEN = {"height": lambda _: 0}


@pytest.mark.parametrize("planted", [CONSTANT, SWAPPED, FORGOTTEN])
def test_a_mistake_that_the_annotation_hides_is_found_with_lost(planted: dict[str, Any]) -> None:
    """Users of the other version would see a wrong value, and their edits of it would be lost."""
    check_round_trips(windows(**planted))  # all comes back from the annotation

    told = told_of(windows(**planted), lost=["spec.glass"])

    way = "Window: example.com/v1 -> example.com/v2 -> example.com/v1"
    assert told.startswith(f"{way}, without the annotation, changes spec.")
    assert told.split()[told.split().index("changes") + 1] in {f"spec.{name}" for name in planted}
    assert "\n  what a version cannot express belongs into lost=\n" in told


def test_fields_that_are_named_may_be_lost() -> None:
    """What a version cannot express is no mistake of its functions."""
    check_round_trips(windows(), lost=["spec.glass"])


@pytest.mark.parametrize("lost", [[], ["spec.width"]])
def test_a_field_that_is_lost_and_not_named_is_found(lost: list[str]) -> None:
    """An empty list says that every version can express everything."""
    told = told_of(windows(), lost=lost)

    assert ", without the annotation, loses spec.glass\n" in told


@pytest.mark.parametrize(
    ("planted", "path"),
    [
        ({"panes": lambda _: {}}, "spec.panes"),
        ({"panes": lambda _: {}}, "spec"),
        (
            {"panes": lambda spec: {key: Shelf(name=one.name) for key, one in spec.panes.items()}},
            "spec.panes{}.depth",
        ),
        (
            {"rows": lambda spec: [Shelf(name=one.name) for one in spec.rows]},
            "spec.rows[].depth",
        ),
        ({"rows": lambda _: []}, "spec.rows[]"),
    ],
)
def test_what_is_below_a_path_may_be_lost_in_lists_and_dicts_too(
    planted: dict[str, Any], path: str
) -> None:
    """Paths are written as those of `make`."""
    assert "without the annotation" in told_of(windows(**planted), lost=["spec.glass"])

    check_round_trips(windows(**planted), lost=iter(["spec.glass", path]))


def test_one_path_may_be_a_word() -> None:
    """Its letters are no paths."""
    check_round_trips(windows(), lost="spec.glass")


def test_what_the_annotation_must_bring_back_is_still_checked() -> None:
    """That a field may be lost on the way does not mean that it may be lost for good."""

    def label(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        made.metadata = kw.ObjectMeta(labels={"made-by": "us"})
        return made

    told = told_of(conversion(from_hub=label), lost=["spec"])

    assert told.startswith(f"{HUB_FIRST} invents metadata.labels\n")
    assert "lost=" not in told


def test_without_the_annotation_the_named_fields_are_all_that_may_be_lost() -> None:
    """Some losses are wanted, and all others are found as ever."""
    check_round_trips(windows(keep_lost_fields=False), lost=["spec.glass"])

    told = told_of(windows(keep_lost_fields=False, **CONSTANT), lost=["spec.glass"])

    assert " -> example.com/v1 changes spec.width\n" in told


def test_a_lost_path_that_no_version_has_is_refused() -> None:
    """With a typing mistake in it, the field would be reported for ever, and nobody knew why."""
    with pytest.raises(ValueError, match=r"lost has 'spec\.glas', and no version has such a field"):
        check_round_trips(windows(), lost=["spec.glass", "spec.glas"])


# --- Functions that fail ---


def test_a_function_that_raises_is_told_with_its_error_and_what_it_was_given() -> None:
    """In production the API server could not read that object any more."""

    def stumble(hub: ShopV1) -> ShopV2:
        if hub.spec.shelves:
            raise KeyError("depth")
        return from_v1(hub)

    told = told_of(between_v1_and(stumble))

    assert told.startswith(f"{HUB_FIRST} cannot become example.com/v2: KeyError: 'depth'\n")
    assert list(smallest(told)["spec"]) == ["shelves"]
    assert list(smallest(told)["spec"]["shelves"][0]) == ["name"]


def test_a_function_that_raises_on_the_way_back_is_told_with_that_way() -> None:
    """The name of the version says which of the two functions it was."""

    def stumble(new: ShopV2) -> ShopV1:
        raise ConversionError("no way back")

    told = told_of(conversion(to_hub=stumble, keep_lost_fields=False))

    assert told.startswith(f"{HUB_FIRST} cannot become example.com/v1: no way back\n")


def test_a_function_that_returns_nothing_is_told() -> None:
    """A forgotten `return` is the most common of all faults."""

    def forget(hub: ShopV1) -> ShopV2:
        return None  # type: ignore[return-value]

    told = told_of(between_v1_and(forget))

    assert "cannot become example.com/v2: " in told
    assert "must return a example.com/v2 ShopV2, and returned nothing\n" in told


def test_a_value_of_another_type_is_found_although_python_lets_it_pass() -> None:
    """The server would refuse the object, and Python would carry it back unharmed."""

    def spell(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        made.spec.area = str(hub.spec.size)  # type: ignore[assignment]
        return made

    def read(new: ShopV2) -> ShopV1:
        made = to_v1(new)
        made.spec.size = int(new.spec.area)
        return made

    told = told_of(conversion(to_hub=read, from_hub=spell, keep_lost_fields=False))

    assert "cannot become example.com/v2: " in told
    assert "spec.area" in told.splitlines()[0]


def test_a_loss_is_found_also_if_the_function_takes_it_from_its_argument() -> None:
    """Compared with the argument itself, nothing would seem to be lost."""

    def strip(hub: ShopV1) -> ShopV2:
        hub.spec.colour = None
        return from_v1(hub)

    assert "loses spec.colour" in told_of(between_v1_and(strip))


def test_a_function_may_use_up_its_argument() -> None:
    """It is allowed to move parts of it into what it returns, and to change the rest."""

    def move(hub: ShopV1) -> ShopV2:
        made = from_v1(hub)
        hub.spec = SpecV1()
        hub.metadata.labels.clear()
        return made

    check_round_trips(conversion(from_hub=move))


# --- What is converted ---


def test_the_same_seed_makes_the_same_objects_and_another_one_others() -> None:
    """Who reads a failure in CI can see it again."""
    seen: list[list[Any]] = [[], [], []]

    for number, seed in enumerate([1, 1, 2]):
        subject = conversion(from_hub=recording(seen[number]), keep_lost_fields=False)
        with pytest.raises(AssertionError, match=f"seed={seed}"):
            check_round_trips(subject, seed=seed)

    assert seen[0] == seen[1]
    assert seen[0] != seen[2]


def test_there_are_as_many_objects_as_were_asked_for() -> None:
    """More find more, and fewer take less time."""
    seen: list[Any] = []
    subject = conversion(from_hub=recording(seen), keep_lost_fields=False)

    check_round_trips(subject, make={"spec.music": lambda _: None}, examples=30)

    assert len(seen) == 2 * 30  # on each way


def test_instances_are_converted_before_random_ones_and_are_shrunk_too() -> None:
    """An object that hurt in production becomes a test by one argument."""
    old = ShopV1(
        metadata=kw.ObjectMeta(name="corner", labels={"a": "b"}),
        spec=SpecV1(size=3, colour="green"),
    )

    told = told_of(between_v1_and(forget_colour), instances=[old])

    assert "(an object of yours):" in told
    assert smallest(told)["metadata"] == {"name": "corner"}
    assert smallest(told)["spec"] == {"colour": "green"}


def test_with_no_examples_instances_are_the_only_ones() -> None:
    """Each goes the ways that begin at its version."""
    seen: list[Any] = []
    old = ShopV1(metadata=kw.ObjectMeta(name="old"), spec=SpecV1(size=1))
    new = ShopV2(metadata=kw.ObjectMeta(name="new"), spec=SpecV2(area=2))
    subject = conversion(from_hub=recording(seen), keep_lost_fields=False)

    check_round_trips(subject, examples=0, instances=iter([old, new]))

    assert seen == [("old", 1, None), ("new", 2, None)]


def test_make_is_for_fields_of_which_no_random_value_makes_sense() -> None:
    """At any depth: in lists and in dicts, too."""
    seen: list[ShopV1] = []

    def note(hub: ShopV1) -> ShopV2:
        seen.append(hub)
        return from_v1(hub)

    check_round_trips(
        conversion(from_hub=note),
        make={
            "spec.colour": lambda _: "red",
            "spec.shelves[].name": lambda random: random.choice(["a", "b"]),
            "spec.tags{}": lambda _: "tall",
            "spec.music": lambda _: "jazz",  # a field of v2 only
        },
    )

    assert {one.spec.colour for one in seen} == {None, "red"}
    assert {each.name for one in seen for each in one.spec.shelves} == {"a", "b"}
    assert {each for one in seen for each in one.spec.tags.values()} == {"tall"}


@pytest.mark.parametrize(
    "path", ["spec.color", "colour", "spec.shelves.name", "metadata.name", "metadata", "kind", ""]
)
def test_a_path_that_no_version_has_is_refused(path: str) -> None:
    """A typing mistake would otherwise make the test weaker, and nobody would know."""
    with pytest.raises(ValueError, match=f"make has '{path}', and no version has such a field"):
        check_round_trips(conversion(), make={path: lambda _: "x"})


def test_a_value_that_make_gets_wrong_is_said_to_be_wrong() -> None:
    """It is a mistake in the test, not a loss."""
    with pytest.raises(ValueError, match=r"does not fit its own class: .*spec\.size"):
        check_round_trips(conversion(), make={"spec.size": lambda _: "many"})


class Lettered(kw.Model):
    code: Annotated[str, kw.Pattern(r"^\pL+$")]


@kw.resource(group="example.com", version="v1", kind="Letter")
class LetterV1(kw.Resource):
    """Something whose text has a rule that only Go understands."""

    spec: Lettered


@kw.resource(group="example.com", version="v2", kind="Letter", storage=False)
class LetterV2(kw.Resource):
    """The same."""

    spec: Lettered


def test_a_field_that_no_random_value_fits_is_named_with_the_way_out() -> None:
    """The check must not give up silently, nor convert what the server would refuse."""
    letters = Conversion(LetterV1)
    letters.to_hub(LetterV2)(lambda new: LetterV1(spec=new.spec))
    letters.from_hub(LetterV2)(lambda hub: LetterV2(spec=hub.spec))

    with pytest.raises(ValueError, match=r"pass make=\{'spec\.code': lambda random: "):
        check_round_trips(letters)

    check_round_trips(letters, make={"spec.code": lambda _: "\N{GREEK SMALL LETTER ALPHA}"})


# --- What can be checked ---


def test_all_conversions_of_an_operator_are_checked() -> None:
    """One line in the tests of an operator is enough, whatever is added to it later."""
    operator = kw.Operator("shops")
    declared = operator.conversion(ShopV1)
    declared.to_hub(ShopV2)(to_v1)
    declared.from_hub(ShopV2)(from_v1)

    assert "loses spec.music" in told_of(operator)


def test_an_operator_without_conversions_is_refused() -> None:
    """A test that checks nothing must not pass."""
    with pytest.raises(ValueError, match=r"^the operator 'shops' has no conversions to check"):
        check_round_trips(kw.Operator("shops"))


def test_a_conversion_without_its_way_back_is_refused() -> None:
    """The API server needs both ways, as does the check."""
    half = Conversion(ShopV1)
    half.to_hub(ShopV2)(to_v1)

    with pytest.raises(SchemeError, match=r"declare @conversion\.from_hub\(ShopV2\)"):
        check_round_trips(half)


def test_functions_of_make_draw_from_the_same_seed() -> None:
    """What they make is as repeatable as the rest."""
    made: list[float] = []

    def draw(random: Random) -> int:
        made.append(random.random())
        return 1

    check_round_trips(conversion(), make={"spec.size": draw}, examples=2)
    first = list(made)
    made.clear()
    check_round_trips(conversion(), make={"spec.size": draw}, examples=2)

    assert made == first
