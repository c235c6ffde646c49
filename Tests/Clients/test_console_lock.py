"""The lock against writing: every page as who may change nothing."""

import pytest
import requests

from support.console import PAGES

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}

# What a person does on a page without changing anything on the server, by the names of the buttons.
READING = {
    "1 day", "1 element", "7 days", "28 days", "30 days", "90 days", "Add", "Add step", "Apply", "Export CSV", "As of…", "Build a query", "Export JSON lines", "Cancel", "Close", "Columns", "Conditions 0", "Connect an app", "Copy the path", "Count", "Earlier versions", "Fields", "Find", "JSON", "Open as a page", "Pause", "Reload", "Remove step", "Run",
    # The heads of columns sort.
    "id", "name", "tags", "yes",
    "Parameters 0", "See as a user", "Show", "Show more", "Show older", "Show these days", "Table", "Tree", "Test on denials", "Versions",
}


@pytest.fixture(scope="module")
def server(own_server):
    return own_server


@pytest.fixture
def locked(console, server, project):
    """A browser with the lock on, before a project that has some of everything."""
    console.browser.show_as(1600, 900)
    root = f"{server.url}/v1/projects/{project}"
    fields = {"name": {"stringValue": "Cadeira"}, "tags": {"arrayValue": {"values": [{"stringValue": "a"}]}}, "yes": {"booleanValue": True}}
    for name in ("chair", "table"):
        requests.patch(f"{root}/databases/(default)/documents/products/{name}", json={"fields": fields}, headers=OWNER, timeout=30)
    requests.post(f"{root}/accounts", json={"email": "ada@example.org"}, headers=OWNER, timeout=30)
    console.is_locked = True
    return console


def enabled(console):
    """The names of the buttons in sight that can be pressed, but for those of the bar."""
    console.browser.wait("return !document.body.innerText.includes('Loading…')")
    return set(console.browser.run(
        "return [...document.querySelectorAll('main button, dialog button, aside button')].filter((one) => one.offsetParent && !one.disabled)"
        ".map((one) => (one.getAttribute('aria-label') ?? one.textContent).trim()).filter((name) => !name.startsWith('Copy '))"
    ))


@pytest.mark.parametrize("path", PAGES)
def test_nothing_that_writes_can_be_pressed(locked, path):
    locked.open(path)
    if path.endswith("chair"):
        locked.find("complementary")
    assert enabled(locked) - READING == set()


def test_a_documents_fields_are_read_and_not_edited(locked):
    locked.open("firestore/-default-/data/products/chair")
    locked.find("textbox", "Value of name")
    controls = "return [...document.querySelectorAll('aside.drawer :is(input, select, textarea)')].filter((one) => !one.disabled && !one.readOnly).length"
    assert locked.browser.run(controls) == 0
    locked.click("tab", "JSON")
    assert locked.browser.run(controls) == 0
    assert '"Cadeira"' in locked.read("Document as JSON")


def test_pages_of_one_thing_and_dialogs_show_and_do_not_save(locked):
    locked.open("users")
    locked.click("link", "ada@example.org")
    locked.find("heading", "ada@example.org")
    assert enabled(locked) - READING == set()
    locked.open("firestore/-default-/data/products/chair")
    locked.click("button", "Earlier versions")
    locked.find("dialog")
    locked.click("button", "Earlier")
    locked.sees("The history does not go back further")
    assert not locked.is_enabled("Restore this version")


def test_commands_that_write_are_not_offered(locked):
    locked.open("firestore/-default-/data/products")
    locked.click("button", "Search and commands")
    locked.find("dialog")
    options = locked.browser.run("return [...document.querySelectorAll('[role=option]')].map((one) => one.textContent)")
    assert any("Users" in one for one in options) and not any("Add document" in one or "Undo" in one for one in options)


def test_the_lock_is_opened_where_one_is(locked):
    locked.open("users")
    assert not locked.is_enabled("Add user")
    locked.click("button", "Read only")
    locked.until(lambda: locked.is_enabled("Add user"), "the page is still locked")
