from pathlib import Path

import pytest

from oneof.files.suffixes import checked_suffix, suffix_to_write


def test_capitals_mean_the_same() -> None:
    assert checked_suffix(Path("A.CSV"), (".csv",)) == ".csv"


@pytest.mark.parametrize(
    ("suffixes", "expected"),
    [((".html",), r"expected \.html$"), ((".png", ".pdf", ".svg"), r"expected \.png, \.pdf or \.svg$")],
)
@pytest.mark.parametrize("name", ["plan.gif", "plan"])
def test_another_kind_is_refused(name: str, suffixes: tuple[str, ...], expected: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: unknown kind of file '{Path(name).suffix}', {expected}"):
        checked_suffix(Path(name), suffixes)


def test_a_file_is_written_only_into_a_folder_that_is_there(tmp_path: Path) -> None:
    assert suffix_to_write(tmp_path / "a.csv", (".csv",)) == ".csv"
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        suffix_to_write(tmp_path / "nowhere" / "a.csv", (".csv",))
