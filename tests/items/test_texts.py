"""Texts from tables, lines and folders; bad rows have a place and a problem, and end nothing."""

import pandas as pd
import pytest

from oneof.items.texts import LONGEST_TEXT, columns, read_texts, text_hash

SCRIPTS = ["Guten Morgen, Welt", "доброе утро", "صباح الخير", "早上好世界", "สวัสดีชาวโลก", "🦊 fox", "नमस्ते दुनिया"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_script_in_every_table(suffix, tmp_path):
    path = tmp_path / f"t{suffix}"
    frame = pd.DataFrame({"id": [f"n°{n}" for n in range(len(SCRIPTS))], "section": 3, "text": SCRIPTS})
    if suffix == ".parquet":
        frame.to_parquet(path)
    elif suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, sep="\t" if suffix == ".tsv" else ",", index=False)
    found = list(read_texts(path))
    assert [(one.name, one.text, one.problem) for one in found] == [(f"n°{n}", t, None) for n, t in enumerate(SCRIPTS)]
    assert columns(path) == ["id", "section", "text"]


def test_a_spreadsheets_utf16(tmp_path):
    (tmp_path / "t.tsv").write_bytes("id\ttext\n1\tприем\n".encode("utf-16"))
    assert [one.text for one in read_texts(tmp_path / "t.tsv")] == ["прием"]
    assert columns(tmp_path / "t.tsv") == ["id", "text"]


def test_a_text_a_line(tmp_path):
    (tmp_path / "t.txt").write_bytes("\ufeffone\r\n\r\n three \n".encode())
    assert [(one.name, one.text) for one in read_texts(tmp_path / "t.txt")] == [("1", "one"), ("3", " three ")]


def test_a_folder_of_texts(tmp_path):
    for name, text in {"b.txt": b"bee", "a/z.TXT": b"zed\nof two lines", ".x.txt": b"-", "empty.txt": b" "}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text)
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    found = {one.name or one.place: one.text or one.problem for one in read_texts(tmp_path)}
    assert found == {
        "a/z.TXT": "zed\nof two lines",
        "b.txt": "bee",
        "empty.txt": "`text` is empty",
        "file 'latin.txt'": "not UTF-8: unexpected end of data",
    }


def test_bad_rows_have_a_place_and_a_problem(tmp_path):
    long = "x" * (LONGEST_TEXT + 1)
    (tmp_path / "t.csv").write_text(f'id,text\n,a\n1\n2,\n3,"a\n\n",c,d\n4,{long}\n5,fine\n6,"x"y\n7,lost\n')
    found = [(one.place, one.name, one.problem) for one in read_texts(tmp_path / "t.csv")]
    assert found[:-1] == [
        ("line 2", "", "`id` is empty"),
        ("line 3", "1", "no `text`"),
        ("line 4", "2", "`text` is empty"),
        ("line 7", "", "more cells than columns"),
        ("line 8", "4", f"`text` is longer than {LONGEST_TEXT} characters"),
        ("line 9", "5", None),
    ]
    assert found[-1][0] == "line 10"
    assert found[-1][2].startswith("not proper CSV")


def test_what_holds_no_texts(tmp_path):
    (tmp_path / "t.csv").write_text("id,words\n1,a\n")
    with pytest.raises(ValueError, match=r"t\.csv: expected one column `text`, found columns id, words"):
        list(read_texts(tmp_path / "t.csv"))
    with pytest.raises(FileNotFoundError, match=r"u\.csv: no such file"):
        list(read_texts(tmp_path / "u.csv"))
    (tmp_path / "t.md").write_text("a")
    with pytest.raises(ValueError, match=r"t\.md: expected texts in \.csv"):
        list(read_texts(tmp_path / "t.md"))
    (tmp_path / "t.jsonl").write_text("{nothing}\n")
    with pytest.raises(ValueError, match=r"t\.jsonl: not a table"):
        columns(tmp_path / "t.jsonl")


def test_content_is_told_by_the_text_alone():
    assert text_hash("a") == text_hash("a") != text_hash("b")
    assert len(text_hash("")) == 32


def test_a_bad_first_line_hides_no_columns(tmp_path):
    (tmp_path / "t.jsonl").write_text('{bad\n[1]\n{"id": "a", "text": "one"}\n')
    assert columns(tmp_path / "t.jsonl") == ["id", "text"]
    assert [text.problem is None for text in read_texts(tmp_path / "t.jsonl")] == [False, False, True]


def test_where_the_encoding_changes_reading_ends_and_says_so(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"id,text\na,one\n" * 1 + b"b,two\n" + "c,grün\nd,four\n".encode("cp1252"))
    *_, last = read_texts(tmp_path / "t.csv")
    assert last.problem is not None
    assert "not UTF-8" in last.problem
    assert "nothing after it was read" in last.problem
