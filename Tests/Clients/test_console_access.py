"""The console for everybody: what axe-core finds, keys alone, the palette."""

import pytest
import requests
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support import secrets, server as servers
from support.administrators import PASSWORD, administrator, come_in, invite, timed_code
from support.analytics import Analytics, batch, event
from support.axe import findings
from support.console import PAGES
from support.looks import FAST, cut_off, looks
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
OPEN = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{p=**} { allow read: if true; } } }"


@pytest.fixture(scope="module")
def server(own_server):
    return own_server


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


# Whether a page shows more than that it loads.
LOADED = """const page = document.querySelector('main > .body, main > .data');
return page && page.innerText.trim().length > 20 && ![...page.querySelectorAll('p.muted')].some((one) => one.textContent === arguments[0])"""

# The log of requests first, while it is short: axe takes half a minute for a thousand rows.
@looks(FAST[0])
@pytest.mark.parametrize("path", sorted(PAGES, key=lambda path: path != "requests/log"))
def test_axe_finds_nothing(console, path, width, scheme, language):
    console.browser.show_as(width, 800, scheme)
    console.open(path, language)
    console.browser.wait(LOADED, Texts(language)("loading"))
    if "chair" in path:
        console.find("complementary")
    assert findings(console) == []
    assert cut_off(console.browser) == [0, []]


# What opens each dialog of a page, by role and name; the page is opened anew for each.
DIALOGS = {
    "users": [["button Add user"], ["link ada@example.org", "button Delete user"]],
    "files": [["link note.txt", "button Delete"]],
    "config": [
        ["button Add parameter"], ["button welcome"], ["tab Conditions 1", "button Add condition"], ["tab Conditions 1", "button Brazil"], ["button Remove welcome", "button Publish changes"], ["tab Versions", "button Compare"], ["tab Versions", "button Roll back"],
    ],
    "config/experiments": [["button New experiment"]],
    "config/experiments/words": [["button Edit"], ["button Stop"], ["button Duplicate"], ["button End experiment"]],
    "firestore/-default-/indexes": [["button Create index"], ["button Delete the index on products"]],
    "firestore/-default-/data/products": [["button Add document"], ["button Bulk edit"], ["button See as a user"]],
    "firestore/-default-/data/products/chair": [["button Delete document"], ["button Earlier versions"]],
    "rules": [["button Publish"], ["button Versions"], ["button Test on denials"], ["button Coverage"]],
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
    Analytics(server, project).accepted(batch("cAbc-efghijklmnopqrst_", event("purchase", {"item_id": "SKU_1"}), userId="ada"))
    message = {"topic": "news", "notification": {"title": "News", "body": "of the day"}}
    console.uid = requests.post(f"{root}/accounts:lookup", json={"email": ["ada@example.org"]}, headers=OWNER, timeout=30).json()["users"][0]["localId"]
    console.instant = requests.get(f"{root}/databases/(default)/documents/products/table", headers=OWNER, timeout=30).json()["updateTime"]
    console.message = requests.post(f"{root}/messages:send", json={"message": message}, headers=OWNER, timeout=30).json()["name"].rsplit("/", 1)[1]
    return console


# Pages of one thing: a user, a file, a message, an event, an experiment, rules of a bucket, a user's events, data as of an instant.
DETAILS = ["users/{uid}", "files/{project}.appspot.com?file=note.txt", "messages/sent/{message}", "messages/compose?from={message}", "analytics/events/purchase", "config/experiments/words", "rules/-storage-/{project}.appspot.com", "analytics/timeline?user=ada", "firestore/-default-/data/products?at={instant}"]


@looks(FAST[0])
def test_axe_finds_nothing_on_pages_of_one_thing(full, width, scheme, language):
    full.browser.show_as(width, 800, scheme)
    for path in DETAILS:
        full.open(path.format(uid=full.uid, message=full.message, project=full.project, instant=full.instant), language)
        full.browser.wait(LOADED, Texts(language)("loading"))
        assert findings(full) == [], path
        assert cut_off(full.browser) == [0, []], path


@pytest.mark.parametrize("width, scheme", [(1024, "light")] + [pytest.param(*look, marks=pytest.mark.slow) for look in ((360, "light"), (360, "dark"), (1024, "dark"), (1600, "light"))])
@pytest.mark.parametrize("page", DIALOGS)
def test_axe_finds_nothing_in_dialogs(full, page, width, scheme):
    full.browser.show_as(width, 800, scheme)
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


@looks(FAST[0])
def test_axe_finds_nothing_at_the_door(production, production_console, width, scheme, language):
    """From the link by password, code and recovery codes to the own account, out, in again by both factors, and over the page."""
    text, tab = Texts(language), production_console

    def look(what):
        assert findings(tab) == [], what
        assert cut_off(tab.browser) == [0, []], what

    tab.browser.show_as(width, 800, scheme)
    email = f"door-{width}-{scheme}-{language}@example.org".lower()
    secret = come_in(tab, invite(production, email, "editor"), language, look)
    tab.open("settings/me", language)
    look("the own account")
    tab.click("button", text("account"))
    look("the menu of the account")
    tab.click("button", text("signOut"))
    tab.find("heading", text("signIn"))
    look("signing in")
    tab.fill(text("users.email"), email)
    tab.fill(text("users.password"), "not the password")
    tab.click("button", text("signIn"))
    tab.sees(text("signIn.wrong"))
    look("a wrong password")
    tab.fill(text("users.password"), PASSWORD)
    tab.click("button", text("signIn"))
    tab.find("textbox", text("signIn.code"))
    look("the second factor")
    tab.fill(text("signIn.code"), timed_code(secret, 1))
    tab.click("button", text("signIn"))
    tab.browser.wait("return document.querySelector('.shell main')")
    # Whoever is removed has no session any more; what the page asks next tells it so.
    servers.run("console", "remove", email, "--data", production.data)
    tab.driver.execute_script("history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))", f"/console/{tab.project}/users")
    tab.find("dialog", text("signIn.again"))
    look("signing in over the page")


def test_every_page_is_among_them(production, production_console):
    """What the rail leads to, and the rows of views on those pages, for an owner, who sees all of them."""
    tab = production_console
    come_in(tab, invite(production, "all@example.org", "owner"))
    tab.open("overview")
    addresses = "return [...document.querySelectorAll(arguments[0])].map((one) => one.pathname.split('/').slice(3).join('/'))"
    found = set(tab.browser.run(addresses, "nav.rail a"))
    assert len(found) > 10
    for path in sorted(found):
        tab.open(path)
        # The first of a page's views is the page itself.
        found |= set(tab.browser.run(addresses, "main .body > nav:first-of-type a.button")[1:])
    assert found - {path.split("?")[0] for path in PAGES} == {"settings/me"}


def test_axe_finds_nothing_in_dialogs_of_administrators(production, production_console):
    administrator(production, "viewer", "bia@example.org")
    come_in(production_console, invite(production, "ana@example.org", "owner"))
    ways = {
        "settings/administrators": [["button Role of bia@example.org"], ["button Remove bia@example.org"], ["button Invite"]],
        "settings/me": [["button Add passkey"], ["button Create new codes"]],
    }
    for page, step in [(page, step) for page, steps in ways.items() for [step] in steps]:
        production_console.open(page)
        production_console.click(*step.split(" ", 1))
        production_console.find("dialog")
        assert findings(production_console, "dialog[open]") == [], step
        if step.endswith("Invite"):
            production_console.fill("Email", "caio@example.org")
            production_console.browser.run("document.querySelector('dialog button[type=submit]').click()")
            address = production_console.read("Setup link")
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
    console.click("checkbox", "Use single-key shortcuts and chords")
    console.click("button", "Close")
    console.browser.wait("return !document.querySelector('dialog')")
    press(console, "g", "u")
    assert "/overview" in console.driver.current_url


def test_nothing_typed_is_lost_by_leaving(console):
    console.open("firestore/-default-/data/products/chair")
    console.fill("Value of name", "typed")
    console.click("link", "Users")
    console.dismiss_question()
    assert console.read("Value of name") == "typed"
    console.click("button", "Cancel")
    console.click("link", "Users")
    console.find("heading", "Users")
