from tests.unit.apiserver.table.rows import row

POD = {"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]}}


def test_a_pod_template_shows_the_labels_of_its_pods() -> None:
    """They tell templates apart."""
    template = row("", "podtemplates", {"template": {**POD, "metadata": {"labels": {"a": "b"}}}})

    assert template["Pod Labels"] == "a=b"
