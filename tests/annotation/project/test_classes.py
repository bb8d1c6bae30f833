"""Files of classes."""

import pytest
from PIL import Image

from oneof.annotation.project.classes import (
    Class,
    ProjectError,
    adopt_examples,
    dump_classes,
    load_classes,
    read_classes,
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.txt", "cat\n\ndog, big\n"),
        ("c.csv", 'name,definition\ncat,\n"dog, big",\n'),
        ("c.csv", 'cat\n"dog, big"\n'),
        ("c.csv", 'label,definition\ncat,\n"dog, big",\n'),
        ("c.csv", "\ufeffname;definition\ncat;\ndog, big;\n"),
        ("c.json", '["cat", {"name": "dog, big"}]'),
    ],
)
def test_every_format_reads_the_same(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    found = read_classes(tmp_path / name)
    assert found == [Class("cat"), Class("dog, big")]
    assert load_classes(dump_classes(found)) == found


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("c.txt", "cat\n", "1 classes, expected at least 2"),
        ("c.txt", "cat\ndog\ncat\n", "line 3: class 'cat' stands already at line 1"),
        ("c.txt", "a|b\nc\n", "line 1: class 'a|b' may not hold |"),
        ("c.csv", "name,colour\ncat,red\n", "line 2: unknown field 'colour'"),
        ("c.csv", "item,label\n1.png,cat\n2.png,dog\n", "line 2: unknown field 'item'"),
        ("c.csv", "name,label\na,cat\n", "two columns of names"),
        ("c.csv", "name\ncat,red\n", "line 2: more than 1 columns"),
        ("c.csv", "name,example\ncat,/etc/passwd\ndog,\n", "line 2: example '/etc/passwd' is not a picture"),
        ("c.json", '{"cat": 1}', "expected a list of names"),
        ("c.json", "[", "cannot be read"),
        ("c.yaml", "", "expected a .txt, .csv or .json"),
    ],
)
def test_a_bad_file_is_explained(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(ProjectError) as caught:
        read_classes(tmp_path / name)
    assert message in str(caught.value)


def test_item_04_examples_are_copied_into_the_project_and_served(make_world, tmp_path):
    Image.new("RGB", (4, 4), (9, 9, 9)).save(tmp_path / "cat.png")
    (tmp_path / "c.csv").write_text("name,definition,example\ncat,meows,cat.png\ndog,barks,\nemu,runs,\n")
    world = make_world(4, classes=tmp_path / "c.csv")
    ann = world.annotator("ann")
    labels = {label["name"]: label for _ in range(4) for label in world.claim(ann)["labels"]}
    assert labels["dog"]["example_url"] is None
    (tmp_path / "cat.png").unlink()
    reply = ann.get(labels["cat"]["example_url"])
    assert (reply.status_code, reply.headers["content-type"]) == (200, "image/png")
    assert world.browser().get(labels["cat"]["example_url"]).status_code == 401


def test_examples_keep_only_their_number(tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "hostile name; rm.PNG")
    adopted = adopt_examples([Class("a"), Class("b", None, "hostile name; rm.PNG")], tmp_path, tmp_path / "examples")
    assert adopted[1].example == "1.png"


def test_parents_are_read_and_kept(tmp_path):
    (tmp_path / "c.csv").write_text("name,parent\ncrow,animal/bird\nsaw,\n")
    found = read_classes(tmp_path / "c.csv")
    assert [one.parent for one in found] == ["animal/bird", None]
    assert adopt_examples(found, tmp_path, tmp_path / "examples") == found
    assert load_classes(dump_classes(found)) == found
