"""The console in Firefox: the main flows, as the suite has them in Chromium."""

import shutil

import pytest
import requests

from support import secrets
from support.administrators import PASSWORD, invite, timed_code

# Firefox is large, and so installed for the slow run alone.
LOOKS = [("en", 1024, "light"), ("pt-BR", 1600, "dark"), ("en", 360, "dark"), ("pt-BR", 360, "light")]
pytestmark = [pytest.mark.brasa_only, pytest.mark.slow, pytest.mark.parametrize("language, width, scheme", LOOKS)]

OWNER = {"authorization": "Bearer owner"}
RULES = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{p=**} { allow read: if true; } } }"
WORDS = {
    "en": {
        "finish": "Finish", "code": "Authenticator code", "kept": "I have saved them", "account": "Account", "out": "Sign out", "in": "Sign in", "email": "Email", "data": "Data",
        "value": "Value of name", "save": "Save", "saved": "Saved", "source": "Source of the rules", "publish": "Publish", "published": "The rules are in force",
        "add": "Add user", "added": "User added", "empty": "This folder is empty.",
    },
    "pt-BR": {
        "finish": "Concluir", "code": "Código do app autenticador", "kept": "Já os guardei", "account": "Conta", "out": "Sair", "in": "Entrar", "email": "E-mail", "data": "Dados",
        "value": "Valor de name", "save": "Salvar", "saved": "Salvo", "source": "Código das regras", "publish": "Publicar", "published": "Regras publicadas",
        "add": "Adicionar usuário", "added": "Usuário adicionado", "empty": "Esta pasta está vazia.",
    },
}


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    if not shutil.which("firefox-esr"):
        pytest.skip("needs Firefox")
    from support.firefox import Firefox

    made = Firefox(tmp_path_factory.mktemp("firefox") / "profile")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def look(firefox, width, scheme):
    """A tab of that width, light or dark; where the flow ends nothing goes beyond its edge."""
    firefox.show_as(width, scheme)
    yield
    brightness = firefox.run("() => Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number))")
    assert (brightness < 64) == (scheme == "dark")
    assert firefox.run("() => document.documentElement.scrollWidth") <= width


@pytest.fixture
def words(language):
    return WORDS[language]


@pytest.fixture
def console(firefox, server, project, language):
    """Opens a view of the development server's console in the test's project."""
    def open_view(path):
        firefox.open(f"{server.url}/console/{project}/{path}", language)
        return firefox

    yield open_view
    assert firefox.violations() == []


def test_signing_in_by_link_password_and_code(firefox, production, words, language, width):
    email = f"{language.lower()}-{width}@example.org"
    firefox.open(invite(production, email, "editor"), language)
    firefox.find("button", words["finish"])
    secret = secrets.note(firefox.run("() => document.querySelector('.secret').textContent").replace(" ", ""), "secret of a second factor")
    firefox.type_into(firefox.select("input[type=password]"), PASSWORD)
    firefox.fill(words["code"], timed_code(secret))
    firefox.click("button", words["finish"])
    firefox.select(".codes li:nth-child(10)")
    for code in firefox.run("() => [...document.querySelectorAll('.codes li')].map((one) => one.textContent)"):
        secrets.note(code["value"], "recovery code")
    firefox.click("button", words["kept"])
    firefox.click("button", words["account"])
    firefox.sees("Editor")
    firefox.click("button", words["out"])
    firefox.find("heading", words["in"])
    firefox.fill(words["email"], email)
    firefox.type_into(firefox.select("input[type=password]"), PASSWORD)
    firefox.click("button", words["in"])
    firefox.fill(words["code"], timed_code(secret, 1))
    firefox.click("button", words["in"])
    if width < 900:
        firefox.until(lambda: firefox.run("() => location.pathname").endswith("/overview"), "no overview")
        firefox.click("button", "Menu")
    firefox.find("link", words["data"])
    assert firefox.run("() => document.cookie") == ""
    assert firefox.violations() == []


def test_a_document_changes_by_hand_and_by_itself(console, server, project, words):
    address = f"{server.url}/v1/projects/{project}/databases/(default)/documents/products/chair"

    def write(text):
        return requests.patch(address, json={"fields": {"name": {"stringValue": text}}}, headers=OWNER, timeout=30)

    assert write("Cadeira").status_code == 200
    firefox = console("firestore/-default-/data/products/chair")
    firefox.fill(words["value"], "Cadeira azul")
    firefox.click("button", words["save"])
    firefox.sees(words["saved"])
    assert requests.get(address, headers=OWNER, timeout=30).json()["fields"]["name"] == {"stringValue": "Cadeira azul"}
    # The table listens.
    firefox = console("firestore/-default-/data/products")
    firefox.sees("Cadeira azul")
    assert write("Mesa").status_code == 200
    firefox.sees("Mesa")


def test_rules_are_published(console, server, project, words):
    firefox = console("rules")
    firefox.fill(words["source"], RULES)
    firefox.click("button", words["publish"])
    firefox.find("dialog", words["publish"])
    firefox.click("button", words["publish"])
    firefox.sees(words["published"])
    release = requests.get(f"{server.url}/v1/projects/{project}/releases/cloud.firestore", headers=OWNER, timeout=30).json()
    ruleset = requests.get(f"{server.url}/v1/{release['rulesetName']}", headers=OWNER, timeout=30).json()
    assert ruleset["source"]["files"][0]["content"] == RULES


def test_a_user_is_added_and_found(console, server, project, words):
    firefox = console("users")
    firefox.click("button", words["add"])
    firefox.find("dialog", words["add"])
    firefox.fill(words["email"], "ada@example.org")
    firefox.type_into(firefox.select("dialog input[type=password]"), "a long password")
    firefox.click("button", words["save"])
    firefox.sees(words["added"])
    firefox.find("link", "ada@example.org")
    found = requests.post(f"{server.url}/v1/projects/{project}/accounts:lookup", json={"email": ["ada@example.org"]}, headers=OWNER, timeout=30).json()
    assert found["users"][0]["email"] == "ada@example.org"


def test_a_file_is_uploaded_and_shown(console, server, project, words, tmp_path):
    local = tmp_path / "note.txt"
    local.write_text("of a file")
    firefox = console("files")
    firefox.sees(words["empty"])
    firefox.choose_files("main input[type=file]", local)
    firefox.click("link", "note.txt")
    firefox.sees("of a file")
    content = requests.get(f"{server.url}/storage/v1/b/{project}.appspot.com/o/note.txt?alt=media", headers=OWNER, timeout=30)
    assert content.text == "of a file"
