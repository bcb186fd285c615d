"""The operations that both servers are asked for, in any order."""

from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.differential.pair import Pair, Side
from tests.differential.values import mostly

OBJECTS = st.sampled_from(["a", "a", "b"])
"""Few, so that most operations meet an object that is there."""
MANAGERS = st.sampled_from(["one", "two", "three"])
AGES = st.sampled_from([0, 0, 0, 0, 1, 3])
VERSIONS = st.sampled_from(["same", "same", "same", "none", "0", "x"])
DRY = mostly(st.none(), st.just("All"), weight=8)
DELETIONS = st.fixed_dictionaries(
    {},
    optional={
        "propagationPolicy": st.sampled_from(["Background", "Foreground", "Orphan", "Wrong"]),
        "gracePeriodSeconds": st.sampled_from([0, 1, -1]),
        "preconditions": st.sampled_from(["uid", "resourceVersion", "both", "wrong", "stale"]),
    },
)
PARTS = ["l", "m", "1", "in", "notin", "(", ")", ",", "=", "==", "!=", "!", "<", ">", "é", "_"]
SELECTORS = st.one_of(
    st.none(),
    st.sampled_from(["l=1", "l!=1", "l in (1,2)", "l", "!m", "l=1,m=2", "l notin (1)"]),
    st.lists(st.sampled_from(PARTS), max_size=6).map(" ".join),
)
FIELDS = st.sampled_from([None, None, "metadata.name=a", "metadata.name!=a", "spec.nothing=1"])


def deletion(options: dict[str, Any], path: str, side: Side) -> dict[str, Any]:
    """Return DeleteOptions with preconditions that hold, or do not, on this side."""
    now, before = side.recall(path, 0)["metadata"], side.recall(path, 1)["metadata"]
    found = {
        "uid": {"uid": now.get("uid", "none")},
        "resourceVersion": {"resourceVersion": now.get("resourceVersion", "1")},
        "both": {"uid": now.get("uid"), "resourceVersion": now.get("resourceVersion")},
        "wrong": {"uid": "00000000-0000-0000-0000-000000000000"},
        "stale": {"resourceVersion": before.get("resourceVersion", "1")},
        None: None,
    }[options.get("preconditions")]
    rest = {key: value for key, value in options.items() if key != "preconditions"}
    return {**rest, **({"preconditions": found} if found else {})}


class Machine(RuleBasedStateMachine):
    """What every kind has: reading, deleting, and what is left at the end."""

    pair: ClassVar[Pair]
    COLLECTIONS: ClassVar[dict[str, str]]
    OWN: ClassVar[list[str]]
    """Which of them hold nothing but the objects of this example."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen = sorted(self.COLLECTIONS)
        self.namespace = self.pair.start()
        self.since = {
            key: [
                side.wire.get(self.path(key)).ok()["metadata"]["resourceVersion"]
                for side in self.pair.sides
            ]
            for key in self.OWN
        }

    def path(self, collection: str, name: str = "") -> str:
        """Return the path of *collection*, or of an object in it."""
        found = self.COLLECTIONS[collection].format(namespace=self.namespace)
        return f"{found}/{name}" if name else found

    def collection(self, data: st.DataObject) -> str:
        """Choose one of the collections."""
        return data.draw(st.sampled_from(self.chosen))

    @rule(data=st.data(), name=OBJECTS, options=DELETIONS, dry=DRY)
    def delete(
        self, data: st.DataObject, name: str, options: dict[str, Any], dry: str | None
    ) -> None:
        """Delete an object, under conditions."""
        path = self.path(self.collection(data), name)
        body = (lambda side: deletion(options, path, side)) if options else None
        self.pair.write("DELETE", path, body, **({"dryRun": dry} if dry else {}))

    @rule(data=st.data(), name=OBJECTS)
    def get(self, data: st.DataObject, name: str) -> None:
        """Read an object."""
        self.pair.ask("GET", self.path(self.collection(data), name))

    @rule(data=st.data(), labels=SELECTORS, fields=FIELDS, limit=st.sampled_from([None, 1, 2]))
    def list(
        self, data: st.DataObject, labels: str | None, fields: str | None, limit: int | None
    ) -> None:
        """Read a collection, page by page."""
        query: dict[str, Any] = {"labelSelector": labels, "fieldSelector": fields, "limit": limit}
        path = self.path(
            data.draw(st.sampled_from([key for key in self.chosen if key in self.OWN] or self.OWN))
        )
        replies = self.pair.ask("GET", path, **query)
        while replies[0].status == 200 and replies[0].json()["metadata"].get("continue"):
            tokens = [one.json()["metadata"]["continue"] for one in replies]
            replies = self.pair.ask(
                "GET",
                path,
                **query,
                **{"continue": lambda side, found=tokens: found[self.pair.sides.index(side)]},
            )

    def teardown(self) -> None:
        """Compare all that is left, and all that a watch would have seen."""
        for key in self.chosen:
            for name in "ab":
                self.pair.ask("GET", self.path(key, name))
        for key in self.OWN:
            if key not in self.chosen:
                continue
            self.pair.ask("GET", self.path(key))
            self.finish(key)
            for selector in (None, "l=1"):
                seen = [self.events(key, side, selector) for side in range(2)]
                self.pair.compare(f"watch {key} {selector}", *seen)

    def finish(self, collection: str) -> None:
        """Write the object at which a watch may end."""
        for side in self.pair.sides:
            side.wire.post(self.path(collection), self.last(collection)).ok(201)

    def last(self, collection: str) -> dict[str, Any]:
        """Return an object named ``zz-`` and *collection*, with the label l=1."""
        raise NotImplementedError

    def events(self, collection: str, side: int, selector: str | None) -> Any:
        """Return what happened since the beginning."""
        here, found = self.pair.sides[side], []
        query = {"resourceVersion": self.since[collection][side], "labelSelector": selector}
        with here.wire.watch(self.path(collection), **query) as events:
            for one in events:
                name = one["object"]["metadata"]["name"]
                if name == self.last(collection)["metadata"]["name"]:
                    break
                if not name.startswith("zz-"):
                    found.append(here.names.normal(self.pair.known.applied(one)))
        return found

    def changed(self, path: str, *, age: int, version: str, change: dict[str, Any]) -> Any:
        """Return how each side makes a new document from what it had."""

        def body(side: Side) -> dict[str, Any]:
            document = side.recall(path, age)
            for key, value in change.items():
                if key == "metadata":
                    document["metadata"] |= value
                else:
                    document[key] = value
            if version != "same":
                document["metadata"].pop("resourceVersion", None)
            if version not in {"same", "none"}:
                document["metadata"]["resourceVersion"] = version
            return document

        return body
