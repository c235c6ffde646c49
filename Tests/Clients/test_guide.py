"""docs/guide and docs/guia, and the openings of docs: their commands, run in the order of the pages; their words of the console; their pictures and links.

The pages of the examples' services (`sh guide sales` and its like) are run by `Examples/Tests/Browser/test_guide.py`.
"""

import re

import pytest

from support import console_words, guide, server as servers
from support.guide_reader import CHAPTERS, PHOTO, Reader

pytestmark = pytest.mark.brasa_only

EXAMPLES = ["chapter-06", "chapter-07", "vollmed-mvvm", "vollmed-errors", "ponto"]
# The pages in Portuguese, each beside the English one.
PAIRS = {
    "README": "README", "start": "preparo", "iphone": "iphone", "codable": "codable", "ponto": "ponto",
    "vollmed-mvvm": "vollmed-mvvm", "vollmed-errors": "vollmed-erros",
} | {f"chapter-{number:02}": f"capitulo-{number:02}" for number in range(6, 14)}

@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    made = Reader(tmp_path_factory.mktemp("reader"))
    made.start("start")
    yield made
    made.close()


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_commands_of_a_chapter(reader, name):
    reader.follow(name)


def test_the_server_for_a_phone(tmp_path):
    reader = Reader(tmp_path)
    try:
        servers.run("certs", "--directory", tmp_path / "certs", "--host", "brasa.local", "--host", "192.168.1.20")
        reader.start("iphone")
        reader.follow("iphone")
    finally:
        reader.close()


OPENINGS = sorted(page for page in (guide.ROOT / "docs").glob("*.md") if "```sh opening" in page.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def operator(tmp_path_factory):
    """Somebody beside a development server, with the files that the pages name."""
    made = Reader(tmp_path_factory.mktemp("operator"), data="data")
    (made.folder / "firestore.rules").write_text("service cloud.firestore { match /databases/{d}/documents { match /{p=**} { allow read; } } }")
    (made.folder / "1.jpg").write_bytes(PHOTO.read_bytes())
    made.environment["BRASA_DATA"] = "data"
    made.serve(["serve", "--dev", "--data", made.data])
    yield made
    made.close()


@pytest.mark.parametrize("page", OPENINGS, ids=lambda page: page.stem)
def test_the_commands_that_open_a_page(operator, page):
    operator.type(page)


def test_no_page_is_left_out():
    assert len(OPENINGS) >= 11
    assert {page.stem for page in guide.ENGLISH.glob("*.md")} == set(PAIRS) == {"README", "iphone", *CHAPTERS, *EXAMPLES}
    assert {page.stem for page in guide.PORTUGUESE.glob("*.md")} == set(PAIRS.values())
    known = {"sh", "text", "guide", "server", "sales", "vollmed", "ponto"}
    for page in guide.ENGLISH.glob("*.md"):
        for sample in guide.samples(page):
            is_known = len(sample.words) >= 2 and set(sample.words) <= known
            assert is_known or page.stem == "README" and sample.text == start_of_the_server(), f"{page}: {sample.words}"


def start_of_the_server():
    [sample] = [one for one in guide.samples(guide.ENGLISH / "start.md") if "server" in one.words]
    return sample.text


@pytest.mark.parametrize(("english", "portuguese"), PAIRS.items())
def test_both_languages_have_the_same_samples_and_parts(english, portuguese):
    pages = guide.ENGLISH / f"{english}.md", guide.PORTUGUESE / f"{portuguese}.md"
    assert guide.samples(pages[0]) == guide.samples(pages[1])
    parts = [re.findall(r"^(#+|\|---)", page.read_text(encoding="utf-8"), re.MULTILINE) for page in pages]
    assert parts[0] == parts[1]
    rows = [len(re.findall(r"^\|", page.read_text(encoding="utf-8"), re.MULTILINE)) for page in pages]
    assert rows[0] == rows[1]


@pytest.mark.parametrize(("language", "folder"), [("en", guide.ENGLISH), ("pt-BR", guide.PORTUGUESE)])
def test_words_in_bold_are_words_of_the_console(language, folder):
    known = console_words.all_texts(language) | EXAMPLES_WORDS[language]
    for page in folder.glob("*.md"):
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        bold = set(re.findall(r"\*\*([^*]+)\*\*", text)) - {"bold", "negrito"}
        assert bold <= known, f"{page.name}: {sorted(bold - known)}"


# A button of an example's page, whose screens are in English.
EXAMPLES_WORDS = {language: {"Sign in with the trial provider"} for language in ("en", "pt-BR")}


@pytest.mark.parametrize("folder", [guide.ENGLISH, guide.PORTUGUESE])
def test_links_and_pictures_lead_somewhere(folder):
    for page in folder.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert target.startswith("http") or (page.parent / target).exists(), f"{page.name} leads to {target}"
