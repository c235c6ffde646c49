"""The log of all requests: what the server keeps of them, and how the console shows it."""

import pytest
import requests

from support import secrets
from support.axe import findings
from support.looks import LANGUAGES

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
RULES = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /users/{u} { allow read: if request.auth.uid == u; } } }"
WORDS = {
    "en": {"search": "Search: a word, or a filter", "request": "Request", "again": "Test in the playground", "path": "Path of the document", "none": "No requests match", "close": "Close", "product": "Product", "older": "Show older"},
    "pt-BR": {"search": "Buscar: uma palavra ou um filtro", "request": "Requisição", "again": "Testar no simulador", "path": "Caminho do documento", "none": "Nenhuma requisição encontrada", "close": "Fechar", "product": "Produto", "older": "Mostrar anteriores"},
}
ROWS = "return [...document.querySelectorAll('main tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"


@pytest.fixture(scope="module")
def server(own_server):
    return own_server


@pytest.fixture
def denied(server, project):
    """A read that the rules of the project denied: its path and the id that the server gave it."""
    rules = {"rules": {"files": [{"name": "firestore.rules", "content": RULES}]}}
    assert requests.put(f"{server.url}/emulator/v1/projects/{project}:securityRules", json=rules, headers=OWNER, timeout=30).status_code == 200
    path = f"/v1/projects/{project}/databases/(default)/documents/users/ada"
    answer = requests.get(f"{server.url}{path}?mask.fieldPaths=secretOfAQuery", timeout=30)
    assert answer.status_code == 403, answer.text
    return path, answer.headers["x-request-id"]


def log(server, **query):
    answer = requests.get(f"{server.url}/console/api/requests", params=query, headers=OWNER, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()["requests"]


def test_every_request_is_kept_without_its_query_and_credentials(server, denied, client, names):
    path, number = denied
    [one] = [one for one in log(server) if one["request"] == number]
    assert (one["method"], one["path"], one["status"], one["weight"]) == ("GET", path, 403, 1)
    assert one["address"] == "127.0.0.1" and one["microseconds"] >= 0 and "caller" not in one
    # gRPC is there too, with what its code is in HTTP, and who called.
    client.document("users/ada").set({"a": 1})
    found = [one for one in log(server) if one["path"] == "/google.firestore.v1.Firestore/Commit"]
    assert found and found[-1]["method"] == "gRPC" and found[-1]["status"] == 200 and found[-1]["caller"] == "administrator"
    # A token of a registration, which is a part of a path, is cut.
    token = secrets.note("t" * 140, "registration token")
    requests.get(f"{server.url}/iid/v1/{token}?details=true", headers=OWNER, timeout=30)
    text = requests.get(f"{server.url}/console/api/requests", headers=OWNER, timeout=30).text
    assert "secretOfAQuery" not in text and token not in text and "/iid/v1/tttttttt…" in text


def test_pages_of_the_log_follow_one_another(server):
    for _ in range(3):
        requests.get(f"{server.url}/healthz", timeout=30)
    first, *rest = log(server, limit=3)
    assert [one["number"] for one in rest] == [first["number"] + 1, first["number"] + 2]
    assert [one["number"] for one in log(server, before=rest[1]["number"], limit=1)] == [rest[0]["number"]]
    assert log(server, after=rest[1]["number"])[0]["number"] == rest[1]["number"] + 1
    assert log(server, after=10**12) == []


@LANGUAGES
def test_a_denial_leads_to_the_playground(console, server, denied, language):
    words = WORDS[language]
    path, number = denied
    console.open("requests/log", language)
    console.fill(words["search"], 'status == 403 and path contains "users"')
    # The log follows by itself; an older denial of another project may be there too.
    console.until(lambda: any(path in row for row in console.browser.run(ROWS)), "no row of the request")
    assert all(row[1] == "403" for row in console.browser.run(ROWS))
    console.fill(words["search"], number)
    console.until(lambda: [row[3] for row in console.browser.run(ROWS)] == [path], "not the one row")
    console.browser.run("document.querySelector('main tbody a').click()")
    console.find("complementary", words["request"])
    console.sees(number)
    address = console.driver.current_url
    assert number in address
    console.find("link", words["again"])
    assert findings(console) == []
    # The address opens the same request again.
    console.driver.get(address)
    console.click("link", words["again"])
    console.until(lambda: console.read(words["path"]) == "users/ada", "not the request's path")
    assert console.violations() == []


@LANGUAGES
def test_the_log_is_filtered_and_the_address_says_how(console, server, denied, language):
    words = WORDS[language]
    console.open("requests/log", language)
    console.sees(denied[0])
    # The console's own requests are only shown to who asks for them.
    assert "/console/api/requests" not in console.browser.run("return document.querySelector('main table').innerText")
    console.choose(words["product"], "console")
    console.sees("/console/api/requests")
    assert "product=console" in console.driver.current_url
    console.choose(words["product"], "")
    console.fill(words["search"], "status >")
    console.find("textbox", words["search"])
    console.browser.wait("return document.querySelector('main input[type=search]').getAttribute('aria-invalid') === 'true'")
    console.fill(words["search"], 'nothing == 1')
    console.sees("status, method, path")
    console.fill(words["search"], "never-in-any-path")
    console.sees(words["none"])
    assert console.violations() == []
