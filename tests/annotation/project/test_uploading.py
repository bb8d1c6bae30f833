"""Files from the browser: kept inside the project, whatever their names say."""

import io
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from PIL import Image

from oneof.annotation.project import uploading
from oneof.annotation.project.classes import Class, ProjectError
from oneof.annotation.project.folder import Settings, create_project
from oneof.annotation.project.importing import import_items
from oneof.annotation.project.uploading import Sent, keep, safe_name
from oneof.annotation.store.upgrading import upgrade


@pytest.fixture
def project(tmp_path):
    return create_project(tmp_path / "project", Settings(name="pets", size=1), [Class("cat"), Class("dog")])


def sent(name, content=b"bytes"):
    return Sent(name, io.BytesIO(content))


def zipped(**files):
    out = io.BytesIO()
    with ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def damaged():
    """A zip file whose compressed bytes are not what they were."""
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.writestr("a.png", bytes(range(256)) * 40)
    content = bytearray(out.getvalue())
    content[40:60] = b"\xff" * 20
    return bytes(content)


def left(project):
    return list((project.folder / "uploads").glob("*"))


def test_pictures_and_zip_files_become_one_folder(project):
    archive = zipped(**{"more/b.jpg": b"two", "notes.txt": b"no", "../c.png": b"out", "__MACOSX/d.png": b"no"})
    found = keep(project, [sent("a.png", b"one"), sent("pack.zip", archive)], sent("gold.csv", b"item,label\n"))
    kept = {path.relative_to(found.path).as_posix(): path.read_bytes() for path in found.path.rglob("*.*")}
    assert kept == {"a.png": b"one", "more/b.jpg": b"two"}
    assert found.count == 2
    assert found.gold.read_bytes() == b"item,label\n"
    assert found.path.is_relative_to(project.folder)


def test_pictures_that_browsers_do_not_show_are_named_and_the_others_taken(project):
    picture = io.BytesIO()
    Image.new("L", (2, 2)).save(picture, "PNG")
    archive = zipped(**{"scan.tiff": b"two", "logo.svg": b"three", "readme.txt": b"no"})
    found = keep(project, [sent("a.png", picture.getvalue()), sent("phone.HEIC"), sent("pack.zip", archive)])
    database = project.database()
    upgrade(database)
    done = import_items(database, project, found.path)
    database.close()
    assert done.added == 1
    named = [line.split("'")[1] for line in done.left_out]
    assert named == ["logo.svg", "phone.HEIC", "scan.tiff"]
    assert "browsers do not show .heic files" in done.left_out[1]


def test_files_that_are_hidden_or_lead_outside_are_no_pictures(project):
    archive = zipped(**{"../c.png": b"out", "__MACOSX/d.png": b"no"})
    with pytest.raises(ProjectError, match="no pictures or sounds in it"):
        keep(project, [sent("pack.zip", archive), sent(".hidden.png")])
    assert left(project) == []


def test_a_table_is_kept_as_it_is(project):
    found = keep(project, [sent("Texts.CSV", b"id,text\n")])
    assert (found.path.name, found.path.read_bytes()) == ("items.csv", b"id,text\n")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "no file"),
        ([("program.exe", b"")], "program.exe: expected pictures"),
        ([("a.csv", b""), ("b.png", b"")], "send a table alone"),
        ([("a.zip", b"not a zip")], "a.zip: cannot be unpacked"),
        ([("a.zip", zipped(**{"readme.txt": b""}))], "no pictures"),
        ([("a.png", b"1"), ("a.png", b"2")], "two files of this name"),
        ([("a.zip", zipped(**{"a.png": b"1", "a.png/b.png": b"2"}))], "a.png/b.png: cannot be stored"),
        ([("x" * 300 + ".png", b"1")], "cannot be stored: File name too long"),
        ([("a.zip", damaged())], "a.zip: cannot be unpacked"),
    ],
)
def test_a_mistake_is_named_and_leaves_nothing_behind(project, files, words):
    with pytest.raises(ProjectError, match=words):
        keep(project, [sent(*one) for one in files])
    assert left(project) == []


def test_a_zip_file_that_grows_too_large_is_stopped(project, monkeypatch):
    monkeypatch.setattr(uploading, "LARGEST_UNPACKED", 1000)
    with pytest.raises(ProjectError, match="more than 1000 bytes"):
        keep(project, [sent("bomb.zip", zipped(**{"a.png": b"0" * 900, "b.png": b"0" * 200}))])
    assert left(project) == []


def test_no_upload_takes_the_last_of_the_disk(project, monkeypatch):
    monkeypatch.setattr(uploading, "LEFT_FREE", 2**60)
    with pytest.raises(ProjectError, match="the disk of the server has no room"):
        keep(project, [sent("a.png")])
    assert left(project) == []


def test_a_link_in_a_zip_file_is_no_link_afterwards(project):
    out = io.BytesIO()
    with ZipFile(out, "w") as archive:
        entry = ZipInfo("passwd.png")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    found = keep(project, [sent("a.zip", out.getvalue())])
    assert not (found.path / "passwd.png").is_symlink()
    assert (found.path / "passwd.png").read_bytes() == b"/etc/passwd"


@pytest.mark.parametrize("name", ["/etc/a.png", "C:\\a.png", "..\\a.png", "a/../b.png", "x/.a.png", "a\0.png", ""])
def test_names_that_lead_outside_are_refused(name):
    assert safe_name(name) is None
