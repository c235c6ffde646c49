"""The console for everybody: what axe-core finds, keys alone, the palette."""

import importlib.util
import pathlib

import pytest
import requests
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support.console import PAGES

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
RULESETS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


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


@pytest.fixture(scope="module")
def axe():
    """The source of axe-core, out of the package that has it."""
    [folder] = importlib.util.find_spec("axe_playwright_python").submodule_search_locations
    return (pathlib.Path(folder) / "axe.min.js").read_text()


def findings(console, axe):
    console.browser.run(axe)
    return console.driver.execute_async_script(
        "const [rules, done] = arguments; axe.run(document, { runOnly: rules }).then("
        " (result) => done(result.violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 200))])), (error) => done([String(error)]))",
        RULESETS,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(console, axe, path, scheme):
    console.browser.show_as(1600, 900, scheme)
    console.open(path, "pt-BR" if scheme == "dark" else "en")
    if "chair" in path:
        console.find("complementary")
    assert findings(console, axe) == []


def test_axe_finds_nothing_on_a_phone(console, axe):
    console.browser.show_as(360, 740)
    for path in ("firestore/-default-/data/products", "rules", "users"):
        console.open(path)
        assert findings(console, axe) == [], path


@pytest.mark.parametrize("button, page", [("Add user", "users"), ("Create index", "firestore/-default-/indexes"), ("Add document", "firestore/-default-/data/products")])
def test_axe_finds_nothing_in_dialogs(console, axe, button, page):
    console.open(page)
    console.click("button", button)
    console.find("dialog")
    assert findings(console, axe) == []


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
