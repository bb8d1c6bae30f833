"""Groups of classes on the page, in a real browser: one label, which unfolds; the answer is about its members."""

import csv
from pathlib import Path

from oneof.annotation.learning.exporting import export_answers
from oneof.annotation.project.classes import Class
from oneof.annotation.project.folder import Settings, create_project
from oneof.annotation.project.importing import import_items
from oneof.annotation.store.upgrading import upgrade

from .browser import Open, Served, chromium, driver, open_page

__all__ = ["chromium", "driver", "open_page"]


def test_a_group_is_one_label_that_unfolds(tmp_path: Path, open_page: Open) -> None:
    birds = [Class(name, f"the {name}", parent="bird") for name in ("crow", "owl")]
    kinds = [*birds, Class("oak"), Class("elm")]
    project = create_project(tmp_path / "project", Settings(name="Kinds", size=3, seed=3, gold_share=0.0), kinds)
    (tmp_path / "texts.csv").write_text("id,text\n" + "".join(f"{n},text {n}\n" for n in range(12)))
    database = project.database()
    upgrade(database)
    import_items(database, project, tmp_path / "texts.csv")
    site = Served(project)
    site.start()
    try:
        ada = open_page(site, viewport={"width": 360, "height": 640})
        ada.ready()
        while "bird" not in ada.labels:
            ada.press("n")
        page, group = ada.page, ada.page.locator("#labels [data-group]")
        assert len(ada.labels) == 2, "crow and owl are one label"
        assert sorted(group.locator("em").all_inner_texts()) == ["crow", "owl"]
        group.locator("button.words").click()
        assert sorted(group.locator("em").all_inner_texts()) == ["crow: the crow", "owl: the owl"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        ada.keep("group")
        ada.press("y")
        ada.saved()
    finally:
        site.stop()
    export_answers(database, project, tmp_path / "answers.csv")
    database.close()
    with (tmp_path / "answers.csv").open(newline="") as stream:
        asked = [set(row["subset"].split("|")) for row in csv.DictReader(stream) if row["answer"] == "yes"]
    assert [len(one) for one in asked] == [3]
    assert asked[0] > {"crow", "owl"}
