"""Whoever edits while the session ends, or the server goes away, loses nothing: the work goes on where it was."""

import random

import pytest
import requests
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support import server as servers
from support.administrators import PASSWORD, administrator
from support.console import Console
from support.remote_config import RemoteConfig

pytestmark = pytest.mark.brasa_only

PROJECT = servers.PROJECT
ROOT = f"/v1/projects/{PROJECT}"
DOCUMENTS = f"{ROOT}/databases/(default)/documents"
OWNER = {"authorization": "Bearer owner"}
RULES = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{p=**} { allow read: if true; } } }"
EMAIL = "editing@example.org"
# An upload in more than one part.
LARGE = random.Random(17).randbytes(9 << 20)
# The second part of an upload waits until it is let go.
HOLD = """
const send = window.fetch, gate = new Promise((resolve) => { window.release = resolve; });
window.fetch = async (address, options) => {
  if (options?.headers?.["content-range"]?.startsWith("bytes 8388608-") && !window.isHeld) { window.isHeld = true; await gate; }
  return send(address, options);
};"""


@pytest.fixture(scope="module")
def owner(production):
    made = administrator(production, "owner", "owner@example.org")
    assert made.call("PATCH", f"{DOCUMENTS}/products/chair", json={"fields": {"name": {"stringValue": "Cadeira"}}}).status_code == 200
    return made


class Editor(Console):
    """A tab of an administrator whose sessions somebody ends."""

    def __init__(self, browser, production, owner):
        super().__init__(browser, production, PROJECT)
        self.owner = owner
        self.codes = iter(administrator(production, "editor", EMAIL).recovery_codes)
        self.roles = iter(["owner", "editor"] * 5)

    def sign_in(self):
        self.fill("Password", PASSWORD)
        self.click("button", "Sign in")
        self.fill("Authenticator code", next(self.codes))
        self.click("button", "Sign in")

    def come_in(self):
        self.driver.get(f"{self.server.url}/console")
        self.fill("Email", EMAIL)
        self.sign_in()
        self.browser.wait("return document.querySelector('.shell main')")

    def end_session(self):
        """Another role ends the session on the server."""
        answer = self.owner.renew().call("PATCH", f"/console/api/administrators/{EMAIL}", json={"role": next(self.roles)})
        assert answer.status_code == 200, answer.text

    def sign_in_again(self):
        self.find("dialog", "Sign in again")
        self.sign_in()
        self.browser.wait("return !document.querySelector('dialog.door-dialog')")


@pytest.fixture(scope="module")
def signed_in(browser, production, owner):
    browser.driver.delete_all_cookies()
    browser.driver.get(f"{production.url}/__/console/none/none")
    browser.run("localStorage.clear(); localStorage.setItem('brasa.language', 'en')")
    tab = Editor(browser, production, owner)
    tab.come_in()
    return tab


@pytest.fixture
def editor(signed_in):
    signed_in.browser.show_as(1280, 900)
    signed_in.browser.complaints()
    yield signed_in
    assert signed_in.violations() == []


def choose_file(tab, path):
    tab.browser.run("return document.querySelector('main input[type=file]')").send_keys(str(path))


# The session ends


def test_rules_are_published_by_the_next_session(editor, owner):
    editor.open("rules")
    editor.find("textbox", "Source of the rules")
    editor.end_session()
    # What is typed is checked by the server, which asks for the session; what it finds shows that the check has gone on.
    editor.put("Source of the rules", "rules_version = '2'; service")
    editor.find("dialog", "Sign in again")
    # Nothing can be done without a session, so there is no way past it.
    for _ in range(3):
        ActionChains(editor.driver).send_keys(Keys.ESCAPE).perform()
    editor.sign_in_again()
    assert editor.read("Source of the rules") == "rules_version = '2'; service"
    editor.browser.wait("return document.querySelector('ul.issues li')")
    editor.put("Source of the rules", RULES)
    editor.browser.wait("return !document.querySelector('ul.issues li')")
    editor.end_session()
    # They are checked before the question, and published after it: either asks for the session.
    editor.click("button", "Publish")
    editor.sign_in_again()
    editor.find("dialog", "Publish")
    editor.end_session()
    editor.click("button", "Publish")
    editor.sign_in_again()
    editor.sees("The rules are in force")
    name = owner.renew().call("GET", f"{ROOT}/releases/cloud.firestore").json()["rulesetName"]
    assert owner.call("GET", f"/v1/{name}").json()["source"]["files"][0]["content"] == RULES


def test_a_template_is_published_by_the_next_session(editor, owner):
    editor.open("config")
    editor.click("button", "Add parameter")
    editor.fill("Name", "welcome")
    editor.fill("Default", "typed before")
    editor.end_session()
    editor.click("button", "Save to draft")
    # The draft asks the server for nothing; the list of versions beside it does.
    editor.click("tab", "Versions")
    editor.sign_in_again()
    editor.click("button", "Publish changes")
    editor.find("dialog", "Publish changes")
    editor.end_session()
    editor.fill("Version note", "of two sessions")
    editor.click("button", "Publish changes")
    editor.sign_in_again()
    editor.sees("Published")
    template = owner.renew().call("GET", f"{ROOT}/remoteConfig").json()
    assert template["parameters"]["welcome"]["defaultValue"] == {"value": "typed before"} and template["version"]["description"] == "of two sessions"


def test_a_message_stays_in_the_composer(editor):
    editor.open("messages/compose?topic=news")
    editor.fill("Title", "typed before")
    editor.fill("Text", "and not lost")
    editor.end_session()
    editor.click("button", "Check only")
    editor.sign_in_again()
    editor.sees("The message is valid.")
    assert [editor.read(name) for name in ("Title", "Text")] == ["typed before", "and not lost"]


def test_a_user_is_added_by_the_next_session(editor, owner):
    editor.open("users")
    editor.click("button", "Add user")
    editor.fill("Email", "typed@example.org")
    editor.fill("Name", "typed before")
    editor.end_session()
    editor.click("button", "Save")
    editor.sign_in_again()
    editor.sees("User added")
    found = owner.renew().call("POST", f"{ROOT}/accounts:lookup", json={"email": ["typed@example.org"]}).json()
    assert found["users"][0]["displayName"] == "typed before"


def test_an_upload_begins_again_in_the_next_session(editor, owner, tmp_path):
    """It ends with the credentials that began it, which the new role took back."""
    local = tmp_path / "film.bin"
    local.write_bytes(LARGE)
    editor.open("files")
    editor.sees("This folder is empty.")
    editor.browser.run(HOLD)
    choose_file(editor, local)
    editor.browser.wait("return window.isHeld")
    editor.end_session()
    editor.browser.run("window.release()")
    editor.sign_in_again()
    editor.click("button", "Try again")
    editor.find("link", "film.bin")
    answer = owner.renew().call("GET", f"/storage/v1/b/{PROJECT}.appspot.com/o/film.bin?alt=media")
    assert answer.content == LARGE


# The server goes away and comes back


def test_what_was_typed_waits_for_the_server(browser, tmp_path, project):
    """The composer, a template's draft and rules; documents, uploads and listeners have their tests beside their pages."""
    own = servers.Brasa(tmp_path / "data", "--port", servers.free_port()).start()
    try:
        browser.show_as(1280, 900)
        browser.complaints()
        tab = Console(browser, own, project)
        away(tab, own, "messages/compose?topic=news", lambda: tab.fill("Title", "typed"), ["Check only"])
        tab.sees("The message is valid.")
        assert tab.read("Title") == "typed"
        tab.put("Title", "")
        away(tab, own, "config", lambda: add_parameter(tab), ["Publish changes", "Publish changes"])
        tab.sees("Published")
        assert RemoteConfig(own, project).get()[0]["parameters"]["welcome"]["defaultValue"] == {"value": "typed"}
        away(tab, own, "rules", lambda: tab.put("Source of the rules", RULES), ["Publish"])
        # The rules are checked before the question is asked.
        tab.find("dialog", "Publish")
        tab.click("button", "Publish")
        tab.sees("The rules are in force")
        release = requests.get(f"{own.url}/v1/projects/{project}/releases/cloud.firestore", headers=OWNER, timeout=30).json()
        ruleset = requests.get(f"{own.url}/v1/{release['rulesetName']}", headers=OWNER, timeout=30).json()
        assert ruleset["source"]["files"][0]["content"] == RULES
        assert tab.violations() == []
    finally:
        own.kill()


def add_parameter(tab):
    tab.click("button", "Add parameter")
    tab.fill("Name", "welcome")
    tab.fill("Default", "typed")
    tab.click("button", "Save to draft")


def away(tab, server, path, write, buttons):
    """Writes on a page, presses the buttons while the server is away, which is said, and again once it is back."""
    tab.open(path)
    write()
    server.kill()
    for button in buttons:
        tab.click("button", button)
    tab.sees("Can't reach the server.")
    server.start()
    for button in buttons:
        tab.click("button", button)
