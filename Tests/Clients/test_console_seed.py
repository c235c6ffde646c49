"""What an app's author does in a console, from the database to a message: in both languages, at three widths, light and dark.

`BRASA_PICTURES` names a folder for a picture of where each flow ends.
"""

import base64
import os
import pathlib

import pytest
import requests

from support.analytics import Analytics, batch, event
from support.index_links import index_parameter
from support.looks import FAST, cut_off, looks
from support.messaging import Device
from support.remote_config import RemoteConfig
from support.texts import Texts

# Telephones are what other tests look at least.
pytestmark = [pytest.mark.brasa_only, looks(FAST[0])]

OWNER = {"authorization": "Bearer owner"}
RULES = "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{d}/documents {\n    match /{p=**} { allow read: if request.auth != null; }\n  }\n}\n"
# One red pixel, whose name has no extension.
PICTURE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")


@pytest.fixture
def text(language):
    return Texts(language)


@pytest.fixture
def tab(console, width, scheme, language, request, tmp_path):
    """A tab of that look before the overview; where the flow ends nothing is cut off, and a picture is taken."""
    console.browser.show_as(width, 800, scheme)
    console.open("overview", language)
    yield console
    brightness = console.browser.run("return Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number))")
    assert (brightness < 64) == (scheme == "dark")
    folder = pathlib.Path(os.environ.get("BRASA_PICTURES") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    name = request.node.originalname.removeprefix("test_")
    picture = console.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    (folder / f"{name}-{width}-{scheme}-{language}.png").write_bytes(base64.b64decode(picture))
    assert cut_off(console.browser) == [0, []]


@pytest.fixture
def ask(server, project):
    """A call of the project's APIs as an administrator's; the answer's JSON."""
    def ask(method, path, **options):
        answer = requests.request(method, f"{server.url}/v1/projects/{project}{path}", headers=OWNER, timeout=30, **options)
        assert answer.ok, answer.text
        return answer.json()

    return ask


def go_to(tab, text, page, width):
    """Opens a page by the rail, which is behind a button where there is little room."""
    if width < 900:
        tab.click("button", text("menu"))
    tab.click("link", text(f"page.{page}"))


def rules_in_force(ask):
    ruleset = ask("GET", "/releases/cloud.firestore")["rulesetName"].rsplit("/", 1)[1]
    return ask("GET", f"/rulesets/{ruleset}")["source"]["files"][0]["content"]


def test_a_database_is_created_with_its_rules(tab, text, ask, width):
    go_to(tab, text, "data", width)
    tab.find("heading", text("database.create"))
    next(one for one in tab.all("radio") if one.accessible_name.startswith(text("database.test"))).click()
    tab.sees("allow read, write: if request.time < timestamp.date(")
    tab.click("button", text("database.create"))
    tab.find("button", text("collection.start"))
    assert "allow read, write: if request.time" in rules_in_force(ask)
    assert [one["name"].rsplit("/", 1)[1] for one in ask("GET", "/databases")["databases"]] == ["(default)"]


def test_a_document_is_added_and_changes_by_itself(tab, text, ask, width):
    ask("PATCH", "/databases/(default)/documents/products/table", json={"fields": {"name": {"stringValue": "Mesa"}}})
    tab.open("overview", text.language)
    go_to(tab, text, "data", width)
    tab.click("link", "products")
    tab.click("button", text("document.add"))
    tab.fill(text("document.id"), "chair")
    tab.fill(text("field.name"), "name")
    tab.fill(text("field.valueOf", "name"), "Cadeira")
    tab.click("button", text("save"))
    tab.find("complementary")
    assert ask("GET", "/databases/(default)/documents/products/chair")["fields"] == {"name": {"stringValue": "Cadeira"}}
    ask("PATCH", "/databases/(default)/documents/products/chair", json={"fields": {"name": {"stringValue": "Poltrona"}}})
    tab.until(lambda: tab.read(text("field.valueOf", "name")) == "Poltrona", "the document does not change by itself")


def test_rules_are_published(tab, text, ask, width):
    ask("POST", "/databases?databaseId=(default)", json={"type": "FIRESTORE_NATIVE", "locationId": "eur3"})
    go_to(tab, text, "rules", width)
    tab.put(text("rules.source"), RULES)
    tab.click("button", text("rules.publish"))
    tab.find("dialog", text("rules.publish"))
    tab.click("button", text("rules.publish"))
    tab.sees(text("rules.published"))
    assert rules_in_force(ask) == RULES


def test_an_index_is_created_by_the_link_of_an_error(tab, text, ask, server, project):
    tab.driver.get(f"{server.url}/v1/r/project/{project}/firestore/indexes?create_composite={index_parameter(project)}")
    tab.find("dialog")
    tab.sees(text("index.DESCENDING"))
    tab.click("button", text("index.create"))
    tab.browser.wait("return !document.querySelector('dialog')")
    tab.sees(text("index.READY"))
    [index] = ask("GET", "/databases/(default)/collectionGroups/products/indexes")["indexes"]
    assert [(field["fieldPath"], field["order"]) for field in index["fields"][:2]] == [("userId", "ASCENDING"), ("price", "DESCENDING")]


def test_a_user_is_added_and_opened(tab, text, ask, width):
    go_to(tab, text, "users", width)
    tab.click("button", text("users.add"))
    tab.fill(text("users.email"), "ada@example.org")
    tab.fill(text("users.password"), "correct horse battery")
    tab.click("button", text("save"))
    tab.sees(text("users.added"))
    assert ask("POST", "/accounts:lookup", json={"email": ["ada@example.org"]})["users"][0]["email"] == "ada@example.org"
    tab.click("link", "ada@example.org")
    tab.find("textbox", text("users.claims"))


def test_a_photo_without_an_extension_is_uploaded_and_shown(tab, text, server, project, width, tmp_path):
    go_to(tab, text, "files", width)
    tab.sees(text("files.none"))
    local = tmp_path / "8F3A-photo"
    local.write_bytes(PICTURE)
    tab.browser.run("return document.querySelector('main input[type=file]')").send_keys(str(local))
    tab.find("link", "8F3A-photo")
    tab.browser.wait("return [...document.querySelectorAll('.thumbnail img')].some((one) => one.naturalWidth === 1)")
    tab.click("link", "8F3A-photo")
    tab.browser.wait("return document.querySelector('main .preview img')?.naturalWidth === 1")
    content = requests.get(f"{server.url}/storage/v1/b/{project}.appspot.com/o/8F3A-photo?alt=media", headers=OWNER, timeout=30)
    assert content.content == PICTURE


def test_a_parameter_is_published(tab, text, server, project, width):
    go_to(tab, text, "config", width)
    tab.click("button", text("config.addParameter"))
    tab.fill(text("name"), "welcome")
    tab.fill(text("config.default"), "Olá")
    tab.click("button", text("config.take"))
    tab.sees(text("config.unpublished"))
    tab.click("button", text("config.publish"))
    tab.find("dialog", text("config.publish"))
    tab.click("button", text("config.publish"))
    tab.sees(text("config.published"))
    template, _ = RemoteConfig(server, project).get()
    assert template["parameters"]["welcome"]["defaultValue"] == {"value": "Olá"}


def test_events_show_in_the_debug_view_as_they_come(tab, text, server, project, width):
    go_to(tab, text, "analytics", width)
    tab.click("link", text("analytics.debugview"))
    tab.sees(text("analytics.noDevice"))
    sent = batch("cAbc-efghijklmnopqrst_", event("select_item", {"item_id": "SKU_1", "price": 9.5}), debug=True, userProperties={"level": {"value": "12"}})
    Analytics(server, project).accepted(sent)
    tab.browser.wait("return document.querySelector('main ol summary b')?.textContent === 'select_item'")
    tab.browser.run("document.querySelector('main ol summary').click()")
    tab.sees("SKU_1")
    tab.sees("level")


def test_a_message_is_sent_to_a_topic(tab, text, server, project, width):
    device = Device(server, project).register()
    device.post(f"registrations/{device.token}/topicSubscriptions/news:subscribe", {})
    go_to(tab, text, "messages", width)
    tab.click("button", text("messages.new"))
    tab.fill(text("messages.title"), "A Cadeira voltou")
    tab.fill(text("messages.body"), "De novo em estoque")
    tab.fill(text("messages.targetValue"), "news")
    tab.click("button", text("messages.review"))
    tab.find("dialog")
    tab.click("button", text("messages.send"))
    tab.browser.wait("return location.pathname.includes('/messages/sent/')")
    with device.connect() as stream:
        line = stream.line()
        assert line["message"]["notification"] == {"title": "A Cadeira voltou", "body": "De novo em estoque"}
        device.acknowledge(line["sequence"], opened=[line["messageId"]])
    tab.sees(text("delivery.opened"))
