"""Forty tasks of the console's people, in Chromium and Firefox and in both languages; each says in how many clicks.

A click is a press on a control, a field that is gone to, or a chord of keys. `most` is what a task may take. Signing in, invitations,
the second factor, roles and the audit trail take a production server and are in `test_console_sign_in.py`, `_door.py`, `_owners.py`
and `_credentials.py`.
"""

import json
import shutil
import urllib.parse

import pytest
import requests

from support import secrets
from support.analytics import Analytics, batch, event
from support.hand import Hand
from support.index_links import index_parameter
from support.looks import LANGUAGES
from support.messaging import Device
from support.remote_config import RemoteConfig
from support.texts import Texts

pytestmark = [pytest.mark.brasa_only, pytest.mark.slow]

OWNER = {"authorization": "Bearer owner"}
DATA = "firestore/-default-/data"
OPEN = "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{d}/documents {\n    match /{p=**} { allow read: if request.auth != null; }\n  }\n}\n"
TASKS = []


def task(name, most):
    """Notes a task that takes so many clicks at most."""
    return lambda act: TASKS.append((name, most, act)) or act


class Shop:
    """The project of the tasks, past the console."""

    def __init__(self, server, project, folder):
        self.server, self.project, self.folder = server, project, folder
        self.root = f"{server.url}/v1/projects/{project}"
        self.documents = f"{self.root}/databases/(default)/documents"

    def call(self, method, path, **options):
        answer = requests.request(method, path if path.startswith("http") else f"{self.root}{path}", headers=OWNER, timeout=30, **options)
        assert answer.ok, (path, answer.text)
        return answer.json() if answer.content else {}

    def put(self, path, **fields):
        self.call("PATCH", f"{self.documents}/{path}", json={"fields": fields})

    def get(self, path):
        answer = requests.get(f"{self.documents}/{path}", headers=OWNER, timeout=30)
        return answer.json().get("fields", {}) if answer.ok else None

    def ids(self, collection):
        return [one["name"].rsplit("/", 1)[1] for one in self.call("GET", f"{self.documents}/{collection}").get("documents", [])]

    def user(self, email):
        found = self.call("POST", "/accounts:lookup", json={"email": [email]}).get("users")
        return found[0] if found else None


def text(value):
    return {"stringValue": value}


def number(value):
    return {"integerValue": str(value)}


def fill(shop, collection):
    for at in range(3):
        shop.put(f"{collection}/d{at}", name=text(f"Item {at}"), price=number(at * 10))


def cells(hand):
    return hand.run("() => [...document.querySelectorAll('.grid-row .type-id')].map((one) => one.textContent.trim()).filter(Boolean)")


# Data


@task("find documents by a field", 2)
def find_by_field(hand, shop, t):
    fill(shop, "found")
    hand.open(f"{DATA}/found")
    hand.fill(t("filter"), "price > 10")
    hand.enter(t("filter"))
    hand.until(lambda: cells(hand) == ["d2"], "not the one document")


@task("build a query by form", 7)
def build_query(hand, shop, t):
    fill(shop, "built")
    hand.open(f"{DATA}/built")
    hand.sees("Item 2")
    hand.click("button", t("builder"))
    hand.fill(t("field.name"), "name")
    hand.choose(t("builder.operator"), "GREATER_THAN")
    hand.fill(t("value"), "Item 0")
    hand.submit()
    hand.closes()
    hand.until(lambda: cells(hand) == ["d1", "d2"], "not the two documents")
    assert hand.value(t("filter")) == 'name > "Item 0"'


@task("read a query as code", 3)
def query_as_code(hand, shop, t):
    fill(shop, "coded")
    hand.open(f"{DATA}/coded?q=" + urllib.parse.quote("price >= 10 order by price desc limit 5"))
    hand.click("button", t("builder"))
    hand.sees('.order(by: "price", descending: true)')
    hand.choose(t("builder.code"), "Python")
    hand.sees('FieldFilter("price", ">=", 10)')


@task("sort a table", 1)
def sort(hand, shop, t):
    fill(shop, "sorted")
    hand.open(f"{DATA}/sorted")
    hand.sees("Item 2")
    hand.run("() => { [...document.querySelectorAll('.grid-sort')].find((one) => one.textContent.includes('price')).click(); }")
    hand.clicks += 1
    hand.until(lambda: "order by price" in (hand.value(t("filter")) or ""), "not sorted")


@task("count documents", 1)
def count(hand, shop, t):
    fill(shop, "counted")
    hand.open(f"{DATA}/counted")
    hand.click("button", t("count"))
    hand.sees(t("count.result", "3"))


@task("add a document", 6)
def add_document(hand, shop, t):
    fill(shop, "added")
    hand.open(f"{DATA}/added")
    hand.click("button", t("document.add"))
    hand.fill(t("document.id"), "chair")
    hand.fill(t("field.name"), "name")
    hand.fill(t("field.valueOf", "name"), "Cadeira")
    hand.click("button", t("save"))
    hand.until(lambda: shop.get("added/chair") == {"name": text("Cadeira")}, "not added")


@task("change a value", 2)
def change_value(hand, shop, t):
    fill(shop, "changed")
    hand.open(f"{DATA}/changed/d0")
    hand.fill(t("field.valueOf", "name"), "Mesa")
    hand.click("button", t("save"))
    hand.until(lambda: shop.get("changed/d0")["name"] == text("Mesa"), "not changed")


@task("edit a nested map", 3)
def nested(hand, shop, t):
    shop.put("nested/a", address={"mapValue": {"fields": {"city": text("Recife")}}})
    hand.open(f"{DATA}/nested/a")
    hand.click("tab", t("view.json"))
    hand.until(lambda: "Recife" in (hand.value(t("document.json")) or ""), "no JSON")
    hand.fill(t("document.json"), '{"address": {"city": "Olinda", "zip": 53000}}')
    hand.click("button", t("save"))
    hand.until(lambda: shop.get("nested/a")["address"]["mapValue"]["fields"] == {"city": text("Olinda"), "zip": number(53000)}, "not changed")


@task("set a timestamp", 2)
def timestamp(hand, shop, t):
    shop.put("times/a", at={"timestampValue": "2026-03-01T12:00:00Z"})
    hand.open(f"{DATA}/times/a")
    hand.fill(t("field.valueOf", "at"), "2027-01-02T03:04:05Z")
    hand.click("button", t("save"))
    hand.until(lambda: shop.get("times/a")["at"]["timestampValue"] == "2027-01-02T03:04:05Z", "not changed")


@task("open a subcollection", 1)
def subcollection(hand, shop, t):
    shop.put("parents/a", n=number(1))
    shop.put("parents/a/children/b", n=number(2))
    hand.open(f"{DATA}/parents/a")
    hand.click("link", "children")
    hand.until(lambda: cells(hand) == ["b"], "not the subcollection")


@task("open a document as a page", 1)
def wide(hand, shop, t):
    shop.put("wide/a", n=number(1))
    hand.open(f"{DATA}/wide/a")
    hand.click("button", t("document.wide"))
    hand.until(lambda: hand.run("() => new URLSearchParams(location.search).get('wide') === '1' && document.querySelector('.as-document') !== null"), "no page of its own")


@task("delete a document with what is below it", 2)
def delete_below(hand, shop, t):
    shop.put("gone/a", n=number(1))
    shop.put("gone/a/below/b", n=number(2))
    hand.open(f"{DATA}/gone/a")
    hand.click("button", t("document.delete"))
    hand.sees("below (1 ")
    hand.click("button", t("document.deleteIt", "a"))
    hand.until(lambda: shop.get("gone/a") is None and shop.get("gone/a/below/b") is None, "not deleted")


@task("take a deletion back", 3)
def undo(hand, shop, t):
    shop.put("back/a", n=number(1))
    hand.open(f"{DATA}/back/a")
    hand.click("button", t("document.delete"))
    hand.click("button", t("document.deleteIt", "a"))
    hand.until(lambda: shop.get("back/a") is None, "not deleted")
    hand.click("button", t("undo"))
    hand.until(lambda: shop.get("back/a") == {"n": number(1)}, "not back")


@task("delete a collection", 2)
def delete_collection(hand, shop, t):
    fill(shop, "whole")
    hand.open(f"{DATA}/whole")
    hand.click("button", t("collection.delete"))
    hand.clicks += 1
    hand.until(lambda: hand.run("() => { const one = document.querySelector('dialog[open] button.danger:enabled'); one?.click(); return one !== null; }"), "nothing to press")
    hand.until(lambda: shop.ids("whole") == [], "not deleted")


@task("import a file", 3)
def import_file(hand, shop, t):
    path = shop.folder / "in.jsonl"
    path.write_text('{"name": "one"}\n{"name": "two"}\n')
    fill(shop, "imported")
    hand.open(f"{DATA}/imported")
    hand.find("button", t("transfer.import"))
    hand.files(path)
    hand.sees("two")
    hand.submit()
    hand.until(lambda: len(shop.ids("imported")) == 5, "not imported")


@task("change many documents after a trial", 8)
def bulk(hand, shop, t):
    fill(shop, "many")
    hand.open(f"{DATA}/many")
    hand.click("button", t("bulk"))
    hand.choose(t("bulk.action"), "set")
    hand.fill(t("field.name"), "seen")
    hand.fill(t("value"), "true")
    hand.click("button", t("bulk.try"))
    hand.sees('"seen": true')
    hand.click("button", t("bulk.run", "3"))
    hand.until(lambda: shop.get("many/d0").get("seen") == {"booleanValue": True}, "not changed")


@task("restore an earlier version", 3)
def restore(hand, shop, t):
    for value in (1, 2):
        shop.put("versions/a", n=number(value))
    hand.open(f"{DATA}/versions/a")
    hand.find("textbox", t("field.valueOf", "n"))
    hand.click("button", t("history.title"))
    hand.click("button", t("history.earlier"))
    hand.click("button", t("history.restore"))
    hand.until(lambda: shop.get("versions/a")["n"] == number(1), "not restored")


@task("look at data as a tree", 1)
def as_tree(hand, shop, t):
    shop.put("trees/a", n=number(1))
    hand.open(f"{DATA}/trees")
    hand.click("button", t("view.tree"))
    hand.find("link", "a")


@task("create an index by a link", 1)
def index_link(hand, shop, t):
    parameter = index_parameter(shop.project)
    hand.open(f"firestore/-default-/indexes?create_composite={parameter}")
    hand.submit()
    hand.until(lambda: shop.call("GET", "/databases/(default)/collectionGroups/products/indexes").get("indexes"), "no index")


@task("open a path by the palette", 3)
def palette(hand, shop, t):
    shop.put("pages/a", n=number(1))
    hand.open("overview")
    hand.press("k", control=True)
    hand.fill(t("palette.search"), "pages/a")
    hand.clicks += 1
    hand.run("() => document.querySelector('dialog[open] input').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))")
    hand.find("complementary", t("document.of", "a"))


# Rules


@task("see a mistake in rules", 1)
def rules_error(hand, shop, t):
    hand.open("rules")
    hand.fill(t("rules.source"), OPEN.replace("if request", "iff request"))
    hand.until(lambda: hand.run("() => document.querySelector('.issues li') !== null"), "no mistake is shown")


@task("publish rules", 3)
def publish_rules(hand, shop, t):
    hand.open("rules")
    hand.fill(t("rules.source"), OPEN)
    hand.click("button", t("rules.publish"))
    hand.sees("+ ")
    hand.submit()
    hand.sees(t("rules.published"))


@task("try a request in the playground", 3)
def playground(hand, shop, t):
    hand.open("rules")
    hand.fill(t("playground.path"), "users/ada")
    hand.click("button", t("playground.run"))
    hand.sees(t("playground.denied"))


@task("follow a denial from the log to the playground", 3)
def denial(hand, shop, t):
    answer = requests.get(f"{shop.documents}/users/ada", timeout=30)
    assert answer.status_code == 403
    hand.open("requests/log")
    hand.fill(t("log.search"), answer.headers["x-request-id"])
    hand.until(lambda: hand.run("() => document.querySelectorAll('main tbody tr').length === 1"), "not the one request")
    hand.clicks += 1
    hand.run("() => document.querySelector('main tbody a').click()")
    hand.click("link", t("requests.again"))
    hand.until(lambda: hand.value(t("playground.path")) == "users/ada", "not the request's path")


@task("see what rules decided by day", 1)
def monitor(hand, shop, t):
    assert requests.get(f"{shop.documents}/users/ada", timeout=30).status_code == 403
    hand.open("overview")
    hand.click("link", t("page.rules"))
    hand.find("heading", t("monitor"))


# Users, files


@task("add a user", 4)
def add_user(hand, shop, t):
    hand.open("users")
    hand.click("button", t("users.add"))
    hand.fill(t("users.email"), "ada@example.org")
    hand.fill(t("users.password"), "correct horse battery")
    hand.submit()
    hand.until(lambda: shop.user("ada@example.org"), "not added")


@task("find a user by a part and set claims", 4)
def claims(hand, shop, t):
    hand.open("users")
    hand.fill(t("users.search"), "da@exam")
    hand.click("link", "ada@example.org")
    hand.fill(t("users.claims"), '{"admin":true}')
    hand.click("button", t("save"))
    hand.until(lambda: shop.user("ada@example.org").get("customAttributes") == '{"admin":true}', "no claims")


@task("disable a user", 3)
def disable(hand, shop, t):
    hand.open("users")
    hand.click("link", "ada@example.org")
    hand.click("checkbox", t("users.disabled"))
    hand.click("button", t("save"))
    hand.until(lambda: shop.user("ada@example.org").get("disabled"), "not disabled")


@task("delete a user", 3)
def delete_user(hand, shop, t):
    hand.open("users")
    hand.click("link", "ada@example.org")
    hand.click("button", t("users.delete"))
    hand.click("button", t("users.deleteIt", "ada@example.org"))
    hand.until(lambda: shop.user("ada@example.org") is None, "not deleted")


@task("upload fifty files", 2)
def fifty(hand, shop, t):
    paths = [shop.folder / f"f{at:02}.txt" for at in range(50)]
    for path in paths:
        path.write_text(path.name)
    hand.open("files")
    hand.sees(t("files.none"))
    hand.files(*paths)
    bucket = f"{shop.server.url}/storage/v1/b/{shop.project}.appspot.com/o"
    hand.until(lambda: len(shop.call("GET", bucket).get("items", [])) == 50, "not all fifty")


@task("make a download URL", 2)
def download_url(hand, shop, t):
    hand.open("files")
    hand.click("link", "f00.txt")
    hand.click("button", t("files.makeURL"))
    hand.until(lambda: "token=" in (hand.value(t("files.url")) or ""), "no URL")
    assert requests.get(hand.value(t("files.url")), timeout=30).text == "f00.txt"


# Messages, parameters, analytics


@task("send a message and read its report", 6)
def message(hand, shop, t):
    device = Device(shop.server, shop.project).register()
    device.post(f"registrations/{device.token}/topicSubscriptions/news:subscribe", {})
    hand.open("messages/compose")
    hand.fill(t("messages.title"), "Cadeira")
    hand.fill(t("messages.body"), "De novo em estoque")
    hand.fill(t("messages.targetValue"), "news")
    hand.click("button", t("messages.review"))
    hand.find("button", t("messages.send"))
    hand.click("button", t("messages.send"))
    with device.connect() as stream:
        line = stream.line()
        device.acknowledge(line["sequence"], opened=[line["messageId"]])
    hand.sees(t("delivery.opened"))


@task("publish a parameter", 6)
def parameter(hand, shop, t):
    hand.open("config")
    hand.click("button", t("config.addParameter"))
    hand.fill(t("name"), "welcome")
    hand.fill(t("config.default"), "Olá")
    hand.click("button", t("config.take"))
    hand.click("button", t("config.publish"))
    hand.submit()
    hand.until(lambda: RemoteConfig(shop.server, shop.project).get()[0].get("parameters", {}).get("welcome"), "not published")


@task("follow an event in DebugView", 1)
def debug_view(hand, shop, t):
    Analytics(shop.server, shop.project).accepted(batch("cAbc-efghijklmnopqrst_", event("select_item", {"item_id": "SKU_1"}), debug=True))
    hand.open("analytics/debugview")
    hand.sees("select_item")
    hand.clicks += 1
    hand.run("() => document.querySelector('main ol summary').click()")
    hand.sees("SKU_1")


@task("look at an event's parameters", 1)
def event_page(hand, shop, t):
    Analytics(shop.server, shop.project).accepted(batch("cDef-efghijklmnopqrst_", event("select_item", {"item_id": "SKU_2"})))
    hand.open("analytics/events")
    hand.click("link", "select_item")
    hand.until(lambda: hand.run("() => location.pathname.endsWith('/events/select_item')"), "not the event")


# The server


@task("register an app", 3)
def register_app(hand, shop, t):
    hand.open("settings")
    hand.click("button", t("apps.add"))
    hand.fill(t("apps.bundle"), "com.example.shop")
    hand.submit()
    hand.sees("com.example.shop")


@task("create a server key", 3)
def server_key(hand, shop, t):
    hand.open("settings")
    hand.click("button", t("serverKeys.add"))
    hand.fill(t("name"), "back-end")
    hand.submit()
    hand.until(lambda: secrets.note(hand.value(t("serverKeys.made")) or "", "server key").startswith("BRSA"), "no key")


@task("verify the data", 2)
def verify(hand, shop, t):
    hand.open("operations/jobs")
    hand.click("button", t("operations.verify"))
    hand.submit()
    hand.until(lambda: hand.run("() => /differences|diferença/.test(document.body.innerText)"), "no result")


@task("create a project", 3)
def create_project(hand, shop, t):
    hand.open("overview?new=project")
    hand.fill(t("project.name"), f"New {shop.project[-8:]}")
    hand.submit()
    hand.until(lambda: f"/console/{shop.project}/" not in hand.run("() => location.pathname"), "not the new project")


@task("choose another language and theme", 5)
def language_and_theme(hand, shop, t):
    hand.open("overview")
    hand.click("button", t("account"))
    hand.choose(t("theme"), "dark")
    hand.until(lambda: hand.run("() => Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)) < 64"), "not dark")


def in_chromium(tmp_path_factory, server, project):
    from support import browser as browsers
    from support.console import Console

    browser = browsers.Browser()
    browser.show_as(1600, 900)
    return Console(browser, server, project), browser.close


def in_firefox(tmp_path_factory, server, project):
    if not shutil.which("firefox-esr"):
        pytest.skip("needs Firefox: apt-get install firefox-esr")
    from support.firefox import Firefox

    firefox = Firefox(tmp_path_factory.mktemp("firefox") / "profile")
    firefox.show_as(1600, "light")
    return firefox, firefox.close


@LANGUAGES
@pytest.mark.parametrize("browser_of", [in_chromium, in_firefox], ids=["chromium", "firefox"])
def test_forty_tasks(server, project, browser_of, language, tmp_path, tmp_path_factory, capsys):
    assert len(TASKS) >= 40
    words = Texts(language)
    shop = Shop(server, project, tmp_path)
    shop.call("POST", "/databases?databaseId=(default)", json={"type": "FIRESTORE_NATIVE", "locationId": "eur3"})
    tab, close = browser_of(tmp_path_factory, server, project)
    found, failed = {}, {}
    try:
        for name, most, act in TASKS:
            hand = Hand(tab, server, project, words)
            try:
                act(hand, shop, words)
                found[name] = hand.clicks
                if hand.clicks > most:
                    failed[name] = f"{hand.clicks} clicks instead of {most}"
            except Exception as error:  # noqa: BLE001: every task is tried, and all that fail are told
                failed[name] = f"{type(error).__name__}: {str(error)[:400]}"
        violations = tab.violations()
    finally:
        close()
    with capsys.disabled():
        print(f"\nclicks, {browser_of.__name__} {language}: {json.dumps(found)}")
    assert failed == {} and violations == []
