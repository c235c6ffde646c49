"""The console for everybody: what axe-core finds, keys alone, the palette."""

import pytest
import requests
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support import secrets
from support.administrators import administrator, come_in, invite
from support.axe import findings
from support.console import PAGES

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
OPEN = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{p=**} { allow read: if true; } } }"


@pytest.fixture
def console(console, server, project):
    """The console in a wider window, with documents and a user."""
    console.browser.show_as(1600, 900)
    fields = {
        "name": {"stringValue": "Cadeira"}, "price": {"integerValue": "100"}, "nothing": {"nullValue": None}, "yes": {"booleanValue": True},
        "tags": {"arrayValue": {"values": [{"stringValue": "a"}]}},
    }
    for name in ("chair", "table"):
        address = f"{server.url}/v1/projects/{project}/databases/(default)/documents/products/{name}"
        assert requests.patch(address, json={"fields": fields}, headers=OWNER, timeout=30).status_code == 200
    requests.post(f"{server.url}/v1/projects/{project}/accounts", json={"email": "ada@example.org"}, headers=OWNER, timeout=30)
    return console


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(console, path, scheme):
    console.browser.show_as(1600, 900, scheme)
    console.open(path, "pt-BR" if scheme == "dark" else "en")
    if "chair" in path:
        console.find("complementary")
    assert findings(console) == []


def test_axe_finds_nothing_on_a_phone(console):
    console.browser.show_as(360, 740)
    for path in ("firestore/-default-/data/products", "rules", "users"):
        console.open(path)
        assert findings(console) == [], path


# What opens each dialog of a page, by role and name; the page is opened anew for each.
DIALOGS = {
    "users": [["button Add user"], ["link ada@example.org"], ["link ada@example.org", "button Delete user"]],
    "files": [["link note.txt"], ["link note.txt", "button Delete"]],
    "config": [
        ["button Add parameter"], ["button welcome"], ["button Add condition"], ["button Brazil"], ["button Remove welcome", "button Publish changes"], ["button Compare"], ["button Roll back"],
    ],
    "config/experiments": [["button New experiment"]],
    "config/experiments/words": [["button Edit"], ["button Stop"], ["button Duplicate"], ["button End experiment"]],
    "firestore/-default-/indexes": [["button Create index"], ["button Delete the index of products"]],
    "firestore/-default-/data/products": [["button Add document"], ["button Change all"], ["button See as a user"]],
    "firestore/-default-/data/products/chair": [["button Delete document"], ["button Earlier versions"]],
    "rules": [["button Publish"], ["button Versions"], ["button Try on denials"], ["button Coverage"]],
    "messages/compose?topic=news": [["button Send a test"], ["button Review"]],
    "messages/credentials": [["button Add key"]],
    "analytics/audiences": [["button Add audience"], ["button Delete the audience buyers"]],
    "operations/jobs": [["button Export"]],
    "settings": [["button Register app"], ["button Create key"]],
}


@pytest.fixture
def full(console, server, project):
    """The same with something of every kind that a dialog is about."""
    root = f"{server.url}/v1/projects/{project}"
    variants = [{"variantId": name, "value": name} for name in "ab"]
    parameters = {
        "welcome": {"defaultValue": {"value": "Hi"}, "conditionalValues": {"Brazil": {"value": "Oi"}}},
        "word": {"defaultValue": {"experimentValue": {"experimentId": "words", "variantValue": variants, "goal": {"event": "purchase"}, "description": "Which sells?"}}},
    }
    template = {"conditions": [{"name": "Brazil", "expression": "device.country in ['BR']"}], "parameters": parameters}
    index = {"queryScope": "COLLECTION", "fields": [{"fieldPath": "name", "order": "ASCENDING"}, {"fieldPath": "price", "order": "DESCENDING"}]}
    rules = {"source": {"files": [{"name": "firestore.rules", "content": OPEN}]}}
    calls = [
        ("PUT", f"{root}/remoteConfig", {"parameters": {}}), ("PUT", f"{root}/remoteConfig", template), ("PUT", f"{root}/analytics/audiences/buyers", {"days": 7, "rule": {"event": "purchase"}}),
        ("POST", f"{root}/databases/(default)/collectionGroups/products/indexes", index), ("POST", f"{root}/rulesets", rules),
    ]
    for method, address, body in calls:
        answer = requests.request(method, address, json=body, headers=OWNER | {"if-match": "*"}, timeout=30)
        assert answer.ok or answer.status_code == 409, (address, answer.text)
        if address.endswith("rulesets"):
            release = {"name": f"projects/{project}/releases/cloud.firestore", "rulesetName": answer.json()["name"]}
            assert requests.post(f"{root}/releases", json=release, headers=OWNER, timeout=30).ok
    upload = f"{server.url}/upload/storage/v1/b/{project}.appspot.com/o?uploadType=media&name=note.txt"
    assert requests.post(upload, data=b"a note", headers=OWNER | {"content-type": "text/plain"}, timeout=30).ok
    return console


@pytest.mark.parametrize("page", DIALOGS)
def test_axe_finds_nothing_in_dialogs(full, page):
    for way in DIALOGS[page]:
        full.open(page)
        if page.startswith("messages/compose"):
            full.fill("Title", "News")
        if way == ["button Publish"]:
            full.put("Source of the rules", OPEN.replace("true", "false"))
        for step in way:
            full.click(*step.split(" ", 1))
        full.browser.wait("return document.querySelectorAll('dialog[open]').length > 0 && !document.querySelector('dialog p.muted:only-child')")
        assert findings(full, "dialog[open]") == [], way


def test_axe_finds_nothing_in_dialogs_of_administrators(production, production_console):
    administrator(production, "viewer", "bia@example.org")
    come_in(production_console, invite(production, "ana@example.org", "owner"))
    ways = {
        "settings/administrators": [["button Role of bia@example.org"], ["button Remove bia@example.org"], ["button Invite"]],
        "settings/me": [["button Add passkey"], ["button Make new codes"]],
    }
    for page, step in [(page, step) for page, steps in ways.items() for [step] in steps]:
        production_console.open(page)
        production_console.click(*step.split(" ", 1))
        production_console.find("dialog")
        assert findings(production_console, "dialog[open]") == [], step
        if step.endswith("Invite"):
            production_console.fill("Email", "caio@example.org")
            production_console.browser.run("document.querySelector('dialog button[type=submit]').click()")
            address = production_console.find("textbox", "Set-up link").get_attribute("value")
            secrets.note(address.split("#invitation=")[1], "invitation")
            assert findings(production_console, "dialog[open]") == [], "the link"


def press(console, *keys):
    ActionChains(console.driver).send_keys(*keys).perform()


def test_a_document_is_reached_and_changed_with_keys_alone(console, server, project):
    console.open("overview")
    press(console, "g", "d")
    console.sees("Choose a collection")
    ActionChains(console.driver).key_down(Keys.CONTROL).send_keys("k").key_up(Keys.CONTROL).perform()
    console.find("dialog")
    press(console, "products/chair", Keys.ENTER)
    console.find("complementary")
    console.browser.run("arguments[0].focus()", console.find("textbox", "Value of price"))
    press(console, Keys.END, "5", Keys.TAB)
    console.browser.run("arguments[0].focus()", console.find("button", "Save"))
    press(console, Keys.ENTER)
    console.sees("Saved")
    address = f"{server.url}/v1/projects/{project}/databases/(default)/documents/products/chair"
    assert requests.get(address, headers=OWNER, timeout=30).json()["fields"]["price"] == {"integerValue": "1005"}
    console.browser.run("document.activeElement.blur()")
    ActionChains(console.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    console.sees("Undone")
    assert requests.get(address, headers=OWNER, timeout=30).json()["fields"]["price"] == {"integerValue": "100"}


def test_the_table_has_one_tab_stop_and_arrows(console):
    console.open("firestore/-default-/data/products")
    console.browser.wait(
        "return [...document.querySelectorAll('[role=grid] [role=gridcell]')].some((cell) => cell.textContent === 'table')"
    )
    console.browser.run("document.querySelector('[role=grid]').focus()")
    press(console, Keys.ARROW_DOWN)
    # The row is drawn some time after the key.
    console.browser.wait(
        "const grid = document.querySelector('[role=grid]');"
        "return document.getElementById(grid.getAttribute('aria-activedescendant'))?.textContent === 'table'"
    )
    press(console, " ")
    console.sees("1 selected")
    press(console, Keys.ENTER)
    console.find("complementary", "Document table")


def test_single_keys_can_be_turned_off(console):
    console.open("overview")
    press(console, "?")
    console.find("dialog")
    console.click("checkbox", "Use single keys and chords")
    console.click("button", "Close")
    console.browser.wait("return !document.querySelector('dialog')")
    press(console, "g", "u")
    assert "/overview" in console.driver.current_url


def test_nothing_typed_is_lost_by_leaving(console):
    console.open("firestore/-default-/data/products/chair")
    console.fill("Value of name", "typed")
    console.click("link", "Users")
    console.dismiss_question()
    assert console.find("textbox", "Value of name").get_attribute("value") == "typed"
    console.click("button", "Cancel")
    console.click("link", "Users")
    console.find("heading", "Users")
