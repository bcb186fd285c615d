import os
import traceback
from pathlib import Path

import pytest

from kubewright.client.kubeconfig import Entry, Kubeconfig, merge, parse, read
from kubewright.errors import ConfigError


def write(path: Path, text: str) -> Path:
    """Write *text* and return *path*."""
    path.write_text(text)
    return path


def message(text: str, path: Path) -> str:
    """Return what reading a file of that text complains."""
    with pytest.raises(ConfigError) as caught:
        read(write(path, text))
    return str(caught.value)


def test_entries_know_their_names_and_their_file(tmp_path: Path) -> None:
    """Errors and relative paths need both."""
    file = write(
        tmp_path / "config",
        """
apiVersion: v1
kind: Config
current-context: dev
clusters: [{name: c, cluster: {server: "https://a"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: dev, context: {cluster: c, user: u}}]
""",
    )

    found = read(file)

    assert found.current_context == "dev"
    assert found.clusters["c"].text("server") == "https://a"
    assert found.users["u"].file == file
    assert str(found.contexts["dev"]) == f"context 'dev' in {file}"


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "{}", "clusters: null\nusers: ~\n"])
def test_an_empty_file_is_an_empty_kubeconfig(tmp_path: Path, text: str) -> None:
    """A file that kubectl has just touched is no error."""
    assert not read(write(tmp_path / "config", text))


def test_json_with_tabs_is_read(tmp_path: Path) -> None:
    """Every JSON document is a kubeconfig that Go accepts, though YAML forbids its tabs."""
    found = read(write(tmp_path / "config", '{\n\t"current-context":\t"dev"\n}'))

    assert found.current_context == "dev"


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    """Windows editors put one."""
    file = tmp_path / "config"
    file.write_bytes(b"\xef\xbb\xbfcurrent-context: dev\n")

    assert read(file).current_context == "dev"


def test_a_name_like_a_date_stays_a_string(tmp_path: Path) -> None:
    """Go knows no dates in YAML."""
    assert read(write(tmp_path / "config", "current-context: 2026-01-01")).current_context == (
        "2026-01-01"
    )


def test_broken_yaml_is_located(tmp_path: Path) -> None:
    """The first-day message: where to put the cursor."""
    file = tmp_path / "config"

    said = message("clusters:\n- name: a\n  cluster: {server: x\nusers: []\n", file)

    assert said == (
        f"cannot read the kubeconfig {file}: it is not YAML at line 4, column 6: expected ',' or"
        " '}', but got ':'. Correct the file, or write a new one with `kubectl config`."
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a\n- b\n", "it is list, not a mapping with clusters, users and contexts"),
        ("hello", "it is str, not a mapping"),
        ("kind: Pod\napiVersion: v1", "it holds a v1 Pod, not a v1 Config"),
        ("apiVersion: v2", "it holds a v2 Config, not a v1 Config"),
        ("clusters: {a: 1}", "clusters must be a list of entries with a name and a cluster"),
        ("users: [7]", "users[0] of the kubeconfig"),
        ("users: [{user: {}}]", "it has no name"),
        ("users: [{name: 7, user: {}}]", "its name 7 is not a string"),
        ("users: [{name: a, user: [1]}]", "'a': user must be a mapping"),
        ("users: [{name: a}, {name: a}]", "there are two of that name"),
        ("current-context: 7", "current-context must be a string, not 7. Put it in quotes."),
        ("a: !!int x", "it is not YAML"),
        ("[" * 5000, "it is not YAML"),
        ("a: !!python/object/apply:os.system [true]", "it is not YAML"),
    ],
)
def test_what_is_no_kubeconfig_says_why(tmp_path: Path, text: str, problem: str) -> None:
    """The user wrote it by hand, or named the wrong file."""
    said = message(text, tmp_path / "config")

    assert problem in said
    assert str(tmp_path / "config") in said


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    """A certificate in DER is a common mix-up."""
    file = tmp_path / "config"
    file.write_bytes(b"\x30\x82\xff\xfe")

    with pytest.raises(ConfigError, match="it is not text in UTF-8"):
        read(file)


def test_a_folder_is_no_kubeconfig(tmp_path: Path) -> None:
    """``KUBECONFIG=~/.kube`` happens."""
    with pytest.raises(ConfigError, match="Is a directory"):
        read(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_file_is_an_error_and_not_skipped(tmp_path: Path) -> None:
    """Skipping it would use another cluster than the user meant."""
    file = write(tmp_path / "config", "")
    file.chmod(0)

    with pytest.raises(ConfigError, match="Permission denied"):
        read(file)


def test_the_first_to_define_a_name_wins_it_whole() -> None:
    """No field of the second file's entry slips into the first one's."""
    first = parse({"users": [{"name": "u", "user": {"token": "1"}}]})
    second = parse(
        {
            "current-context": "two",
            "users": [{"name": "u", "user": {"username": "x"}}, {"name": "v", "user": {}}],
        }
    )
    third = parse({"current-context": "three"})

    merged = merge([first, second, third])

    assert dict(merged.users["u"].body) == {"token": "1"}
    assert sorted(merged.users) == ["u", "v"]
    assert merged.current_context == "two"


def test_nothing_merged_is_nothing() -> None:
    """All the files of a list may be missing."""
    assert merge([]) == Kubeconfig()


def test_a_relative_path_is_that_of_its_own_file(tmp_path: Path) -> None:
    """Merged files lie in different folders."""
    entry = Entry("user", "u", {"client-key": "pki/key", "tokenFile": "/abs"}, tmp_path / "config")

    assert entry.path("client-key") == str(tmp_path / "pki/key")
    assert entry.path("tokenFile") == "/abs"
    assert entry.path("absent") is None


def test_base64_may_be_wrapped() -> None:
    """``base64`` without ``-w0`` breaks its lines."""
    assert Entry("user", "u", {"client-key-data": "YWJj\nZGVm\n"}).data("client-key-data") == (
        b"abcdef"
    )


@pytest.mark.parametrize("value", ["not base64!", "YWJ", "-----BEGIN"])
def test_bad_base64_names_the_field_and_not_the_value(value: str) -> None:
    """The value may be a key."""
    with pytest.raises(ConfigError) as caught:
        Entry("user", "dev", {"client-key-data": value}, Path("/k")).data("client-key-data")

    said = str(caught.value)
    assert said.startswith("cannot use the user 'dev' in /k: client-key-data is not valid base64")
    assert said.endswith(
        "Encode the PEM file with `base64 -w0`, or name it with client-key instead."
    )
    assert value not in said


def test_a_number_where_a_string_belongs_is_not_shown() -> None:
    """YAML reads an unquoted token of digits as a number; the message must not print it."""
    with pytest.raises(ConfigError) as caught:
        Entry("user", "dev", {"token": 123456}).text("token")

    assert str(caught.value) == (
        "cannot use the user 'dev' in the given kubeconfig: token must be a string, not int."
        " Put it in quotes."
    )


def test_the_repr_of_an_entry_hides_its_body() -> None:
    """It holds tokens and keys."""
    assert repr(Entry("user", "dev", {"token": "hunter2"}, Path("/k"))) == "<user 'dev' in /k>"


@pytest.mark.parametrize(
    "line", ['token: "s3cr3t\n   bad: [', "token: s3cr3t: oops", "token: !!int s3cr3t"]
)
def test_broken_yaml_does_not_show_its_secrets(tmp_path: Path, line: str) -> None:
    """PyYAML quotes the line where it stopped, and a traceback shows what PyYAML said."""
    file = write(tmp_path / "config", f"users:\n- name: u\n  user:\n    {line}\n")

    with pytest.raises(ConfigError) as caught:
        read(file)

    assert "s3cr3t" not in "".join(traceback.format_exception(caught.value))
