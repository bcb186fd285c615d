"""The tree of errors, drawn once in the docstring of `kubewright.errors`."""

import inspect
import re

from kubewright import errors

LINE = re.compile(
    r"^(?P<indent>[ │├└─]*)(?P<name>(?<=── )[A-Z]\w+|KubewrightError(?=$))(?P<rest>.*)$"
)


def drawn() -> dict[str, tuple[str | None, str]]:
    """Return each error of the drawing with its parent and the text beside it."""
    found: dict[str, tuple[str | None, str]] = {}
    path: list[tuple[int, str]] = []
    for line in (inspect.getdoc(errors) or "").splitlines():
        if not (match := LINE.match(line)):
            continue
        depth, name = len(match["indent"]), match["name"]
        while path and path[-1][0] >= depth:
            path.pop()
        found[name] = (path[-1][1] if path else None, match["rest"])
        path.append((depth, name))
    return found


def defined() -> dict[str, type[Exception]]:
    """Return each error class that `kubewright.errors` exports."""
    exported = {name: getattr(errors, name) for name in errors.__all__}
    return {
        name: value
        for name, value in exported.items()
        if inspect.isclass(value) and issubclass(value, Exception)
    }


def test_the_drawing_shows_every_error_and_no_other() -> None:
    """A reader in trouble looks at the drawing first; it must be whole."""
    assert set(drawn()) == set(defined())


def test_the_drawing_shows_the_real_parents() -> None:
    """``except`` follows the classes, so the drawing must too."""
    parents = {name: parent for name, (parent, _) in drawn().items() if parent}

    real = {name: cls.__bases__[0].__name__ for name, cls in defined().items() if name in parents}

    assert parents == real


def test_the_drawing_names_the_builtin_that_an_error_also_is() -> None:
    """Code that knows nothing of Kubewright catches the builtin."""
    for name, cls in defined().items():
        builtins = {base.__name__ for base in cls.__bases__ if base.__module__ == "builtins"}
        said = set(re.findall(r"\(also (\w+)\)", drawn()[name][1]))

        assert said == builtins - {"Exception"}, name


def test_every_error_of_the_package_is_in_the_tree() -> None:
    """``except KubewrightError`` catches all of ours."""
    assert all(issubclass(error, errors.KubewrightError) for error in defined().values())
