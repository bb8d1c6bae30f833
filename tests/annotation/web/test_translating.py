"""The words of the annotators' pages: every language says all that English says, and the right one is chosen."""

import re
from typing import get_args

import pytest
from starlette.requests import Request

from oneof.annotation.project.folder import GUIDELINES, QUESTION, Settings
from oneof.annotation.web.translating import (
    PLURALS,
    Language,
    Refusal,
    context,
    english,
    language_of,
    languages,
    message_of,
    number,
    preferred,
)

FORMS = {"ar": {"zero", "one", "two", "few", "many", "other"}, "zh": {"other"}}


def patterns(text):
    return [text] if isinstance(text, str) else list(text.values())


def placeholders(pattern):
    return sorted(re.findall(r"\{(\w*)\}", pattern))


def request(**headers):
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": named})


def test_every_language_has_the_texts_and_placeholders_of_english():
    assert set(get_args(Settings.model_fields["language"].annotation)) == {"auto", *languages()}
    assert next(iter(languages())) == "en"
    for code, language in languages().items():
        assert list(language.texts) == list(english().texts), code
        assert language.direction == ("rtl" if code == "ar" else "ltr")
        for key, text in language.texts.items():
            if not isinstance(text, str):
                assert set(text) == FORMS.get(code, {"one", "other"}), (code, key)
            expected = placeholders(patterns(english().texts[key])[0])
            for pattern in patterns(text):
                assert placeholders(pattern) == expected, (code, key)
                assert bool(pattern) == (key != "message.loading.text"), (code, key)
                assert not set(pattern) & set('<>&"'), (code, key)


def test_nothing_is_left_in_english_by_mistake():
    same = {"direction", "message.loading.text", "ok", "zoom.group", "zoom.fit", "no", "save.offline"}
    same |= {"guidelines.version", "page.image", "own.pages", "own.questions", "own.goal_size", "own.classes"}
    for code, language in languages().items():
        if code != "en":
            equal = {key for key, text in language.texts.items() if text == english().texts[key]}
            assert equal <= same, (code, equal - same)


def test_arabic_has_six_forms_and_french_counts_nothing_as_one():
    arabic = [PLURALS["ar"](n) for n in (0, 1, 2, 3, 10, 11, 99, 100, 102, 103, 111, 200, 1000)]
    few, many = ["few", "few"], ["many", "many"]
    assert arabic == ["zero", "one", "two", *few, *many, "other", "other", "few", "many", "other", "other"]
    assert languages()["fr"].text("page.mine", n=0) == "0 répondue"
    assert languages()["es"].text("page.mine", n=0) == "0 respondidas"


@pytest.mark.parametrize(
    ("setting", "cookie", "accepted", "expected"),
    [
        ("auto", "", "", "en"),
        ("auto", "", "de-CH,en;q=0.9", "de"),
        ("auto", "", "sv, fr;q=0.3, es;q=0.7", "es"),
        ("auto", "", "zh-Hans-CN", "zh"),
        ("auto", "oneof_language=ar", "de", "ar"),
        ("auto", "oneof_language=nonsense", "de", "de"),
        ("fr", "oneof_language=ar", "de", "fr"),
    ],
)
def test_the_project_decides_then_the_person_then_the_browser(setting, cookie, accepted, expected):
    found = language_of(request(cookie=cookie, accept_language=accepted), setting)
    assert found.code == expected
    assert bool(found.choices) == (setting == "auto")


def test_odd_headers_choose_nothing():
    assert preferred("de;q=much, ;q=1, ,fr;q=0.0") == []
    assert language_of(request(accept_language="x" * 5000)).code == "en"


def test_values_are_escaped_and_numbers_are_marked():
    german = languages()["de"]
    assert german.markup("page.example", label="<b>") == "Beispiel für &lt;b&gt;"
    assert german.markup("page.mine", n=1234) == '<data value="1234">1234</data> beantwortet'
    assert german.text("page.model", label="{n}") == "Das Modell vermutet: {n}"
    assert number(1.25, "second") == '<data value="1.25" data-unit="second">1.2 s</data>'


def test_what_every_project_says_is_translated_and_what_one_wrote_is_not():
    german = languages()["de"]
    assert german.question(Settings(name="a", size=1)) == "Ist es eines davon?"
    assert german.question(Settings(name="a", size=1, question="Is it alive?")) == "Is it alive?"
    assert german.guidelines(GUIDELINES).startswith("Sehen Sie")
    assert german.guidelines("Be careful.") == "Be careful."
    # The same words in the files and in the settings, or the default would not be known again.
    assert (english().text("question"), english().text("guidelines.default")) == (QUESTION, GUIDELINES)


def test_a_refusal_speaks_english_to_programs_and_the_language_of_the_person():
    error = Refusal(403, "not_invited", user="'eve'")
    assert error.detail == "You are signed in as 'eve'; ask the manager to invite this name."
    assert "'eve'" in message_of(error, languages()["ar"])
    assert message_of(error, languages()["ar"]) != error.detail
    assert context(languages()["ar"], "/label")["language_path"] == "/label/"


def test_scripts_get_the_texts_that_they_write():
    sent = Language("en", english().texts).for_scripts()
    assert "message.done" in sent
    assert not [key for key in sent if key.startswith(("refused.", "private."))]


@pytest.mark.parametrize("backend", ["sqlite"])
def test_pages_come_in_the_language_of_the_browser(make_world):
    world = make_world(3)
    ann = world.annotator("ann")
    arabic = ann.get("/", headers={"Accept-Language": "ar"}).text
    assert '<html lang="ar" dir="rtl">' in arabic
    assert "هل هو واحد من هذه؟" in arabic
    assert "Meine Antworten" in ann.get("/me", headers={"Accept-Language": "de"}).text
    assert "Les 5" in re.sub("<.*?>", "", ann.get("/classes", headers={"Accept-Language": "fr"}).text)
    lost = world.browser().get("/", headers={"Accept-Language": "zh", "Accept": "text/html"})
    assert (lost.status_code, "请打开您收到的个人链接" in lost.text) == (401, True)
    wrong = world.browser().get("/nowhere", headers={"Accept-Language": "es", "Accept": "text/html"})
    assert (wrong.status_code, "Aquí no hay nada" in wrong.text) == (404, True)
    assert '<html lang="en" dir="ltr">' in world.admin().get("/admin", headers={"Accept-Language": "ar"}).text
    fixed = make_world(3, language="de")
    ann = fixed.annotator("ann")
    page = ann.get(
        "/", headers={"Accept-Language": "ar", "Cookie": "; ".join(f"{k}={v}" for k, v in ann.cookies.items())}
    )
    assert '<html lang="de" dir="ltr">' in page.text
    assert 'id="language"' not in page.text
