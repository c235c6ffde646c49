"""docs/guide and docs/guia: their commands, run in the order of the pages; their words of the console; their pictures and links.

The pages of the examples' services (`sh guide sales` and its like) are run by `Examples/Tests/Browser/test_guide.py`.
"""

import os
import pathlib
import re
import sys

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from support import console_words, guide, server as servers
from support.messaging import Device

pytestmark = pytest.mark.brasa_only

CHAPTERS = ["start", "chapter-08", "chapter-09", "chapter-10", "chapter-11", "chapter-12", "chapter-13", "codable"]
EXAMPLES = ["chapter-06", "chapter-07", "vollmed-mvvm", "vollmed-errors", "ponto"]
# The pages in Portuguese, each beside the English one.
PAIRS = {
    "README": "README", "start": "preparo", "iphone": "iphone", "codable": "codable", "ponto": "ponto",
    "vollmed-mvvm": "vollmed-mvvm", "vollmed-errors": "vollmed-erros",
} | {f"chapter-{number:02}": f"capitulo-{number:02}" for number in range(6, 14)}
PHOTO = bytes.fromhex("89504e470d0a1a0a0000000d49484452")
FLAGS = {"--host 0.0.0.0": "--host 127.0.0.1"}


class Reader:
    """Somebody with the pages, an empty folder and a terminal."""

    def __init__(self, folder):
        self.folder = folder
        self.server = None
        programs = folder / "bin"
        programs.mkdir()
        (programs / "brasa").symlink_to(servers.binary())
        path = os.pathsep.join([str(programs), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
        self.environment = servers.clean_environment({"PATH": path})
        # What the texts have their readers bring along.
        (folder / "brasa").symlink_to(guide.ROOT)
        (folder / "AuthKey_ABC1234567.p8").write_text(apple_key())
        (folder / "photo.png").write_bytes(PHOTO)

    def start(self, page):
        """Starts the page's server, on a free port."""
        [sample] = [one for one in guide.samples(page) if "server" in one.words]
        command = sample.text.replace("\\\n", " ")
        # An address that the server itself is told has to be known before.
        port = servers.free_port() if ":8080" in command else 0
        for before, after in (FLAGS | {":8080": f":{port}"}).items():
            command = command.replace(before, after)
        words = command.split()
        assert words[0] == "brasa"
        at_folder = [str(self.folder / word) if word == "firebase" or word.startswith("certs/") else word for word in words[1:]]
        self.server = servers.Process(
            [servers.binary(), *at_folder, "--port", str(port)], servers.clean_environment({})
        )
        self.server.start()

    def follow(self, page):
        return guide.run(page, self.environment, self.folder, {":8080": f":{self.server.port}"})

    def close(self):
        if self.server:
            self.server.kill()


def apple_key():
    """A key as Apple's site gives it."""
    made = ec.generate_private_key(ec.SECP256R1())
    forms = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return made.private_bytes(*forms).decode()


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    made = Reader(tmp_path_factory.mktemp("reader"))
    made.start(guide.ENGLISH / "start.md")
    yield made
    made.close()


class Address:
    """Where a device finds the server."""

    authority = None

    def __init__(self, process):
        self.url = f"http://127.0.0.1:{process.port}"


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_commands_of_a_chapter(reader, name):
    if name == "chapter-08":
        # The app on the phone has asked for its token.
        reader.environment["TOKEN"] = Device(Address(reader.server), "ios-swiftui-fcm").register().token
    reader.follow(guide.ENGLISH / f"{name}.md")


def test_the_server_for_a_phone(tmp_path):
    reader = Reader(tmp_path)
    page = guide.ENGLISH / "iphone.md"
    try:
        servers.run("certs", "--directory", tmp_path / "certs", "--host", "brasa.local", "--host", "192.168.1.20")
        reader.start(page)
        reader.follow(page)
    finally:
        reader.close()


def test_no_page_is_left_out():
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
