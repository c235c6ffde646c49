"""The console as somebody new to it goes: from an empty server to a document, a rule, a user and a file, by what the pages say alone."""

import pytest
import requests

from support import server as servers
from support.axe import findings
from support.console import Console
from support.looks import LANGUAGES

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
WORDS = {
    "en": {
        "data": "Data", "test": "Test mode", "create": "Create database", "start": "Start a collection", "collection": "Collection id", "document": "Document id", "steps": ["Create a database", "Add a document", "Decide who can read and write", "Register an app", "Add a user", "Upload a file"], "field": "Field", "value": "Value of name",
        "save": "Save", "added": "Document added", "noName": "A field needs a name.", "rules": "Rules", "source": "Source of the rules", "publish": "Publish", "published": "The rules are in force", "users": "Users", "addUser": "Add user", "apple": "iOS (Swift) App", "bundle": "Bundle id or package name", "register": "Register app", "registered": "Registered", "waiting": "Waiting for the app's first request…", "connected": "Connected", "close": "Close",
        "email": "Email", "password": "Password", "userAdded": "User added", "files": "Files", "empty": "This folder is empty.",
    },
    "pt-BR": {
        "data": "Dados", "test": "Modo de teste", "create": "Criar banco de dados", "start": "Iniciar coleção", "collection": "ID da coleção", "document": "ID do documento", "steps": ["Criar um banco de dados", "Adicionar um documento", "Definir quem pode ler e gravar", "Registrar um app", "Adicionar um usuário", "Enviar um arquivo"], "field": "Campo", "value": "Valor de name",
        "save": "Salvar", "added": "Documento adicionado", "noName": "Um campo precisa de um nome.", "rules": "Regras", "source": "Código das regras", "publish": "Publicar", "published": "Regras publicadas", "users": "Usuários", "addUser": "Adicionar usuário", "apple": "iOS (Swift) App", "bundle": "ID do pacote", "register": "Registrar app", "registered": "Registrado", "waiting": "Aguardando a primeira requisição do app…", "connected": "Conectado", "close": "Fechar",
        "email": "E-mail", "password": "Senha", "userAdded": "Usuário adicionado", "files": "Arquivos", "empty": "Esta pasta está vazia.",
    },
}


@pytest.fixture
def empty(tmp_path):
    """A development server that has nothing yet."""
    running = servers.Brasa(tmp_path / "data").start()
    yield running
    running.kill()


@LANGUAGES
def test_from_an_empty_server_to_a_document_a_rule_a_user_and_a_file(browser, empty, tmp_path, language):
    words = WORDS[language]
    browser.show_as(1280, 800)
    browser.driver.get(f"{empty.url}/__/console/none/none")
    browser.run("localStorage.clear(); localStorage.setItem('brasa.language', arguments[0])", language)
    # The address that the server prints when it starts.
    browser.driver.get(f"{empty.url}/console")
    project = browser.wait("return location.pathname.endsWith('/overview') && location.pathname.split('/')[2]")
    console = Console(browser, empty, project)
    root = f"{empty.url}/v1/projects/{project}"

    def ask(method, path, **options):
        return requests.request(method, root + path, headers=OWNER, timeout=30, **options).json()

    console.click("link", next_step(console, words, 0))
    console.find("button", words["create"])
    next(one for one in console.all("radio") if one.accessible_name.startswith(words["test"])).click()
    console.click("button", words["create"])
    console.find("button", words["start"])
    console.click("link", next_step(console, words, 1))
    console.click("button", words["start"])
    console.fill(words["collection"], "products")
    console.fill(words["document"], "chair")
    # Nobody is told off before anything was typed.
    assert words["noName"] not in console.text("dialog")
    console.fill(words["field"], "name")
    console.fill(words["value"], "Cadeira")
    console.click("button", words["save"])
    console.sees(words["added"])
    console.find("complementary")
    assert ask("GET", "/databases/(default)/documents/products/chair")["fields"] == {"name": {"stringValue": "Cadeira"}}

    console.click("link", next_step(console, words, 2))
    source = console.read(words["source"])
    assert "request.time < timestamp.date(" in source
    console.put(words["source"], source.replace("read, write", "read"))
    console.click("button", words["publish"])
    console.find("dialog", words["publish"])
    console.click("button", words["publish"])
    console.sees(words["published"])
    ruleset = ask("GET", "/releases/cloud.firestore")["rulesetName"].rsplit("/", 1)[1]
    assert "allow read: if" in ask("GET", f"/rulesets/{ruleset}")["source"]["files"][0]["content"]

    # The wizard registers the app, shows the lines that reach this server, and waits for the first request.
    console.click("link", next_step(console, words, 3))
    console.click("button", words["apple"])
    console.fill(words["bundle"], "org.example.shop")
    console.click("button", words["register"])
    console.sees(words["registered"])
    console.sees(f'settings.host = "{empty.host}"')
    console.sees(words["waiting"])
    requests.get(f"{root}/databases/(default)/documents/products/chair", timeout=30)
    console.sees(words["connected"])
    console.sees("get products/chair")
    assert findings(console, "dialog[open]") == []
    console.click("button", words["close"])

    console.click("link", next_step(console, words, 4))
    console.click("button", words["addUser"])
    console.fill(words["email"], "ada@example.org")
    console.fill(words["password"], "correct horse")
    console.click("button", words["save"])
    console.sees(words["userAdded"])
    assert ask("POST", "/accounts:lookup", json={"email": ["ada@example.org"]})["users"][0]["email"] == "ada@example.org"

    console.click("link", next_step(console, words, 5))
    console.sees(words["empty"])
    local = tmp_path / "note.txt"
    local.write_text("of a file")
    browser.run("return document.querySelector('main input[type=file]')").send_keys(str(local))
    console.find("link", "note.txt")
    content = requests.get(f"{empty.url}/storage/v1/b/{project}.appspot.com/o/note.txt?alt=media", headers=OWNER, timeout=30)
    assert content.text == "of a file"
    # All is done, so nothing speaks of first steps any more.
    open_overview(console)
    console.browser.wait("return localStorage.getItem(`brasa.steps.${arguments[0]}`)", project)
    assert not console.all("link", words["steps"][0])
    assert console.violations() == []


def open_overview(console):
    console.driver.get(f"{console.server.url}/console/{console.project}/overview")


def next_step(console, words, index):
    """The name of a step, which the overview marks as the next one; those before it are done."""
    open_overview(console)
    marked = "return [...document.querySelectorAll('main li[aria-current=step] a')].map((one) => one.innerText)"
    console.until(lambda: console.browser.run(marked) == [words["steps"][index]], f"the next step is not {words['steps'][index]!r}")
    return words["steps"][index]


def test_first_steps_are_hidden_for_good(console):
    console.open("overview")
    console.find("link", "Create a database")
    console.click("button", "Hide")
    assert not console.all("link", "Create a database")
    open_overview(console)
    console.sees("Needs attention")
    assert not console.all("heading", "First steps")
