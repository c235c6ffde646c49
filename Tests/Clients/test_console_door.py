"""Coming into a production server's console in a browser: the set-up link, signing in, a session that ends meanwhile."""

import pytest
import requests

from support import axe, secrets, server as servers
from support.administrators import PASSWORD, administrator, come_in, invite, timed_code
from support.looks import LANGUAGES
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

PROJECT = servers.PROJECT
CHAIR = f"/v1/projects/{PROJECT}/databases/(default)/documents/products/chair"


@pytest.fixture(scope="module")
def owner(production):
    return administrator(production, "owner", "first@example.org")


@pytest.fixture
def console(owner, production_console):
    return production_console


def test_from_the_link_to_the_console_and_out_again(console, production):
    secret = come_in(console, invite(production, "ana@example.org", "editor"))
    console.click("button", "Account")
    console.sees("Editor")
    assert console.browser.run("return document.cookie") == ""
    assert console.browser.run("return JSON.stringify({ ...localStorage, ...sessionStorage })") == '{"brasa.language":"en"}'
    console.click("button", "Sign out")
    console.find("heading", "Sign in")
    console.fill("Email", "ana@example.org")
    console.fill("Password", "not the password")
    console.click("button", "Sign in")
    console.sees("Wrong email or password.")
    console.fill("Password", PASSWORD)
    console.click("button", "Sign in")
    console.fill("Authenticator code", timed_code(secret, 1))
    console.click("button", "Sign in")
    console.browser.wait("return document.querySelector('.shell main')")


def test_a_link_that_was_used_says_so_in_portuguese(console, production):
    link = invite(production, "bia@example.org", "viewer")
    come_in(console, link, "pt-BR")
    console.sees("Leitor")
    console.click("button", "Conta")
    console.click("button", "Sair")
    console.find("heading", "Entrar")
    console.driver.get(f"{production.url}/console?again#invitation={link.split('#invitation=')[1]}")
    console.find("alert")
    console.click("button", "Entrar")
    console.find("textbox", "Senha")


@LANGUAGES
def test_a_set_up_link_is_pasted_into_a_tab_that_is_open(console, production, language):
    words = Texts(language)
    console.driver.get(f"{production.url}/console")
    console.browser.run("localStorage.clear(); localStorage.setItem('brasa.language', arguments[0])", language)
    console.driver.get(f"{production.url}/console/")
    console.find("heading", words("signIn"))
    first, second = (invite(production, f"{name}-{language}@example.org", "viewer") for name in ("pasted", "signedin"))
    # No more than the end of the address changes.
    console.browser.run("location.hash = arguments[0]", first.split("#")[1])
    console.find("heading", words("setUp"))
    assert "invitation" not in console.driver.current_url
    come_in(console, first, language)
    console.browser.run("location.hash = arguments[0]", second.split("#")[1])
    console.find("heading", words("setUp"))
    assert "invitation" not in console.driver.current_url


def test_browsers_find_the_console_at_the_root_and_with_slashes(production):
    """`/` leads browsers to the console and says Ok to programs; a slash at the end makes no difference."""
    def get(path, **options):
        return requests.get(production.url + path, allow_redirects=False, verify=production.authority, timeout=30, **options)

    page = get("/console")
    for path in ("/console/", f"/console/{PROJECT}/", f"/project/{PROJECT}/", f"/console/{PROJECT}/users/"):
        assert get(path).content == page.content, path
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    found = get("/", headers=browser)
    assert (found.status_code, found.headers["location"], found.headers["vary"]) == (302, "/console", "Accept")
    for headers in ({}, {"accept": "application/json"}, browser | {"authorization": "Bearer nothing"}):
        other = get("/", headers=headers)
        assert (other.status_code, other.text) == (200, "Ok\n"), headers


@LANGUAGES
def test_a_query_without_its_index_says_which_and_leads_there(console, production, owner, language):
    words = Texts(language)
    assert owner.renew().call("PATCH", CHAIR, json={"fields": {"kind": {"stringValue": "a"}, "price": {"integerValue": "1"}}}).status_code == 200
    come_in(console, invite(production, f"index-{language}@example.org", "editor"), language)
    for width in (1440, 390):
        console.browser.show_as(width, 844)
        console.driver.get(f"{production.url}/console/{PROJECT}/firestore/-default-/data/products?q=kind+%3D%3D+%22a%22+order+by+price+desc")
        console.sees(words("index.needed"))
        console.sees("products: kind ↑, price ↓")
        assert "console.firebase.google.com" not in console.browser.run("return document.body.innerText")
        assert console.browser.run("return document.querySelector('main [role=alert]').scrollWidth <= document.querySelector('main [role=alert]').clientWidth")
        assert axe.findings(console, "main") == []
    console.click("button", words("count"))
    console.browser.wait("return document.querySelector('.toast')?.innerText.includes(arguments[0])", words("index.needed"))
    console.click("link", words("index.create"))
    console.find("button", words("index.create"))
    assert console.driver.current_url.split("?")[0].endswith("/firestore/-default-/indexes")
    assert "kind" in console.text("dialog")


def test_nothing_typed_is_lost_when_the_session_ends(console, production, owner):
    fields = {"fields": {"name": {"stringValue": "Cadeira"}}}
    assert owner.renew().call("PATCH", CHAIR, json=fields).status_code == 200
    secret = come_in(console, invite(production, "editing@example.org", "editor"))
    console.driver.get(f"{production.url}/console/{PROJECT}/firestore/-default-/data/products/chair")
    console.fill("Value of name", "typed meanwhile")
    # Another role ends the session on the server.
    change = owner.renew().call("PATCH", "/console/api/administrators/editing@example.org", json={"role": "owner"})
    assert change.status_code == 200
    # The page listens to the document, and so hears of it by itself.
    console.find("dialog", "Sign in again")
    console.fill("Password", PASSWORD)
    console.click("button", "Sign in")
    console.fill("Authenticator code", timed_code(secret, 1))
    console.click("button", "Sign in")
    console.click("button", "Save")
    console.sees("Saved")
    assert owner.call("GET", CHAIR).json()["fields"]["name"] == {"stringValue": "typed meanwhile"}


def test_a_viewer_reads_and_edits_nothing(console, production, owner):
    fields = {"fields": {"name": {"stringValue": "Mesa"}}}
    assert owner.renew().call("PATCH", CHAIR, json=fields).status_code == 200
    come_in(console, invite(production, "looking@example.org", "viewer"))
    console.driver.get(f"{production.url}/console/{PROJECT}/firestore/-default-/data/products/chair")
    assert console.read("Value of name", "readOnly") == "true"
    assert not console.is_enabled("Save") and not console.is_enabled("Delete document")
    assert not console.is_enabled("Add document")
    assert owner.call("GET", CHAIR).json()["fields"]["name"] == {"stringValue": "Mesa"}


# The page hears from the server that its session ends soon, as after almost twelve hours.
SOON = """
const real = window.fetch;
window.fetch = async (...request) => {
  const response = await real(...request);
  if (!String(request[0]).endsWith("/session/token") || !response.ok || window.isRenewed) return response;
  return new Response(JSON.stringify({ ...(await response.json()), sessionEndsIn: 240 }), { status: 200, headers: { "content-type": "application/json" } });
};
"""


def test_the_console_says_before_a_session_ends_and_goes_on(console, production):
    script = console.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SOON})
    try:
        secret = come_in(console, invite(production, "late@example.org", "editor"))
        console.sees("Your session ends in 4 minutes.")
        console.browser.run("window.isRenewed = true")
        console.click("button", "Sign in again")
        console.find("dialog", "Sign in again")
        console.fill("Password", PASSWORD)
        console.click("button", "Sign in")
        console.fill("Authenticator code", timed_code(secret, 1))
        console.click("button", "Sign in")
        console.sees_not("Your session ends")
        console.browser.wait("return !document.querySelector('dialog')")
    finally:
        console.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script["identifier"]})


def test_a_token_says_how_long_the_session_lasts(production, owner):
    left = owner.post("token").json()
    secrets.note(left["token"], "administrator's token")
    assert 12 * 3600 - 600 < left["sessionEndsIn"] <= 12 * 3600


def test_a_viewer_composes_nothing(console, production):
    come_in(console, invite(production, "reader@example.org", "viewer"))
    console.driver.get(f"{production.url}/console/{PROJECT}/messages/compose")
    console.sees("Read only")
    for name in ("Review", "Send a test", "Check only"):
        assert not console.is_enabled(name), name
    console.driver.get(f"{production.url}/console/{PROJECT}/operations")
    console.sees("Everything is fine.")
    # The log is for who may change something, jobs for owners.
    assert console.all("link", "Log") == [] and console.all("link", "Jobs and exports") == []
