"""Files of some kinds in a folder."""

from oneof.files.finding import find_files


def test_files_are_found_in_a_fixed_order_without_hidden_ones(tmp_path):
    for name in ("b.PNG", "a/z.webp", ".hidden/x.png", "a/.y.png", "notes.txt", "_macosx.tiff"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "a" / "round").symlink_to(tmp_path)
    found = find_files(tmp_path, (".png", ".webp", ".tiff"))
    assert [path.relative_to(tmp_path).as_posix() for path in found] == ["_macosx.tiff", "b.PNG", "a/z.webp"]
