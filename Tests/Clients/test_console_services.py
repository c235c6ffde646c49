"""The console's pages of functions, hosting and backups, on one server that has all three; and who may do what there."""

import gzip
import hashlib
import json
import pathlib

import pytest
import requests

from support import server as servers
from support.administrators import administrator
from support.axe import findings
from support.looks import FAST, cut_off, looks
from support.texts import Texts
from test_functions import environment
from test_hosting import Site

pytestmark = pytest.mark.brasa_only

CODEBASE = pathlib.Path(__file__).parent / "codebases" / "console"
PROJECT = "shop"
OWNER = {"authorization": "Bearer owner"}
VIEWS = [
    "functions", "functions/list/greet", "functions/logs", "functions/events", "functions/schedules", "functions/releases",
    "hosting", "hosting/channels", "hosting/domains", "backups",
]
# Whether a view shows more than that it loads.
LOADED = "return document.querySelector('main > .body')?.innerText.trim().length > 40 && ![...document.querySelectorAll('main p.muted')].some((one) => one.textContent === arguments[0])"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A development server with functions, a site of two releases and a backup; its console."""
    folder = tmp_path_factory.mktemp("services")
    server = servers.Brasa(
        folder / "data", "--functions", "--project", PROJECT, "--backup", folder / "backup", "--allow-plain",
        environment=environment(tmp_path_factory),
    ).start()
    servers.run("functions", "deploy", CODEBASE, "--project", PROJECT, "--data", server.data, timeout=600)
    site = Site(server, PROJECT)
    site.deploy({"/index.html": b"one"})
    site.deploy({"/index.html": b"two"})
    server.site = site
    yield server
    assert server.is_running, server.output[-4000:]
    server.stop()


@pytest.fixture
def page(browser, shop):
    """A tab of that console, whose policy nothing may violate."""
    from support.console import Console

    browser.show_as(1280, 900)
    made = Console(browser, shop, PROJECT)
    yield made
    assert made.violations() == []


def greet(shop, name):
    return requests.post(f"{shop.url}/{PROJECT}/us-central1/greet", json={"data": {"name": name}}, timeout=120)


def list_of(shop, path):
    answer = requests.get(f"{shop.url}/v1/projects/{PROJECT}/{path}", headers=OWNER, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def dead(shop):
    return list_of(shop, "triggerEvents?dead=true")["events"]


def press(page):
    """Presses the button that a dialog is for."""
    page.find("dialog")
    page.browser.run("document.querySelector('dialog button[type=submit]').click()")


def test_functions_are_counted_their_lines_searched_their_events_replayed(shop, page):
    assert greet(shop, "Ada").json() == {"result": {"text": "Bom dia Ada"}}
    assert greet(shop, "").status_code == 500
    address = f"{shop.url}/v1/projects/{PROJECT}/databases/(default)/documents/orders/o1"
    assert requests.patch(address, json={"fields": {"total": {"integerValue": "9"}}}, headers=OWNER, timeout=30).status_code == 200
    servers.wait_for(lambda: dead(shop), "a dead letter", 120)
    [found] = [one for one in list_of(shop, "functions")["functions"] if one["name"] == "greet"]
    assert sum(found["hour"]["calls"]) == 2 and sum(found["hour"]["errors"]) == 1
    assert found["instances"] == 1 and 0 < found["hour"]["p50"] <= found["hour"]["p99"]
    page.open("functions")
    page.sees("Some events could not be delivered.")
    page.click("link", "greet")
    page.sees("Call from an app")
    page.sees("greeting Ada")
    page.open("functions/logs")
    page.sees("greeting Ada")
    page.fill("Search in messages", "CARD was")
    page.sees("the card was refused")
    page.sees_not("greeting Ada")
    # The event's data, then its delivery again, which fails again.
    page.open("functions/events")
    page.click("button", "Show the event of orders/o1")
    page.sees('"integerValue": "9"')
    page.click("button", "Close")
    page.click("button", "Replay")
    page.sees("1 event will be delivered again")
    servers.wait_for(lambda: [one for one in dead(shop) if one["subject"].endswith("o1")], "the dead letter again", 120)
    page.click("button", "Discard all")
    press(page)
    page.sees("All events were delivered")
    assert dead(shop) == []


def test_a_schedule_runs_when_somebody_says_so(shop, page):
    page.open("functions/schedules", "pt-BR")
    page.sees("America/Sao_Paulo")
    page.click("button", "Executar sweep agora")
    page.sees("sweep foi iniciada")
    servers.wait_for(lambda: "swept the floor" in json.dumps(list_of(shop, "functionLogs?function=sweep")), "the run", 120)
    page.open("functions/releases", "pt-BR")
    page.sees("No ar")
    [release] = list_of(shop, "functions")["releases"]
    page.sees(release["digest"][:12])


def test_a_site_is_rolled_back_previewed_and_named(shop, page):
    assert shop.site.get("/").text == "two"
    page.open("hosting")
    page.browser.wait("return [...document.querySelectorAll('main button')].some((one) => one.textContent === 'Roll back')")
    page.browser.run("[...document.querySelectorAll('main button')].find((one) => one.textContent === 'Roll back').click()")
    press(page)
    page.sees("is live again")
    assert shop.site.get("/").text == "one"
    page.open("hosting/channels")
    page.click("button", "New channel")
    page.fill("Name", "next")
    press(page)
    page.sees("in 7 days")
    page.click("button", "Extend the channel next")
    page.choose("Expires, from now on, in", "3600")
    press(page)
    page.browser.wait("return [...document.querySelectorAll('main time')].some((one) => /in (59|60) minutes|in 1 hour/.test(one.textContent))")
    page.click("button", "Delete the channel next")
    press(page)
    page.sees("No previews")
    page.open("hosting/domains")
    page.click("button", "Connect domain")
    page.fill("Domain", "Shop.Example.com")
    press(page)
    page.sees("shop.example.com")
    page.sees("No certificate")
    page.click("button", "Disconnect shop.example.com")
    press(page)
    page.sees("No domains yet")


def test_the_backup_says_how_it_fares_and_how_to_restore(shop, page):
    servers.wait_for(lambda: requests.get(f"{shop.url}/console/api/backup", headers=OWNER, timeout=30).json()["backup"]["base"], "a base", 60)
    page.open("backups")
    page.sees("The backup is up to date")
    page.sees("None: anyone who can reach the target can read it")
    page.put("Point in time", "2026-11-27T15:00:00")
    page.browser.wait("return [...document.querySelectorAll('main code')].some((one) => /brasa restore --from \\S+ --to restored --at 2026-11-2\\d\\S+Z$/.test(one.textContent))")


@looks(FAST[0])
def test_axe_finds_nothing_and_nothing_is_cut_off(shop, page, width, scheme, language):
    page.browser.show_as(width, 800, scheme)
    for view in VIEWS:
        page.open(view, language)
        page.browser.wait(LOADED, Texts(language)("loading"))
        assert findings(page) == [], view
        assert cut_off(page.browser) == [0, []], view


def test_pages_of_what_a_server_lacks_say_how_to_get_it(console):
    console.open("functions")
    console.sees("brasa serve --functions")
    console.open("backups")
    console.sees("brasa backup key > backup.key")


# The rights, in production.


@pytest.fixture(scope="module")
def people(production):
    """Administrators of the project alone, and an owner of another one."""
    made = {role: administrator(production, role, f"{role}-services@example.org", [PROJECT]) for role in ("viewer", "editor", "owner")}
    made["stranger"] = administrator(production, "owner", "other-services@example.org", ["bank"])
    version = made["editor"].call("POST", f"/v1beta1/projects/-/sites/{PROJECT}/versions", json={}).json()["name"]
    packed = gzip.compress(b"x", mtime=0)
    digest = hashlib.sha256(packed).hexdigest()
    upload = made["editor"].call("POST", f"/v1beta1/{version}:populateFiles", json={"files": {"/a": digest}}).json()["uploadUrl"].split("/upload/")[1]
    assert made["editor"].call("POST", f"/upload/{upload}/{digest}", data=packed).status_code == 200
    assert made["editor"].call("PATCH", f"/v1beta1/{version}?updateMask=status", json={"status": "FINALIZED"}).status_code == 200
    made["version"] = version
    return made


def test_viewers_look_editors_act_and_nobody_else(people):
    root, site = f"/v1/projects/{PROJECT}", f"/v1beta1/projects/{PROJECT}/sites/{PROJECT}"
    version = people["version"].split("/sites/")[1]
    looks = [f"{root}/triggerEvents?dead=true", f"{root}/schedules", f"{site}/channels", f"{site}/channels/live/releases", f"{site}/customDomains"]
    acts = [
        ("POST", f"{root}/triggerEvents:replay", {}, 200), ("POST", f"{root}/triggerEvents:discard", {}, 200), ("POST", f"{root}/schedules:run", {"codebase": "default", "name": "none"}, 404),
        ("POST", f"{site}/channels/live/releases?versionName=sites/{version}", {"type": "ROLLBACK"}, 200), ("POST", f"{site}/channels?channelId=next", {"ttl": "3600s"}, 200),
        ("PATCH", f"{site}/channels/next", {"ttl": "7200s"}, 200), ("DELETE", f"{site}/channels/next", None, 200),
    ]
    for path in looks:
        for role in ("viewer", "editor", "owner"):
            assert people[role].call("GET", path).status_code == 200, (role, path)
        assert people["stranger"].call("GET", path).status_code in (403, 404), path
    for method, path, body, status in acts:
        for role in ("viewer", "stranger"):
            assert people[role].call(method, path, json=body).status_code in (403, 404), (role, path)
        answer = people["editor"].call(method, path, json=body)
        assert answer.status_code == status, (path, answer.text)
    # Domains are the server's, and so is the backup: owners of one project have neither.
    assert people["owner"].call("POST", f"{site}/customDomains?customDomainId=a.example.com", json={}).status_code == 403
    for role in ("viewer", "editor", "owner", "stranger"):
        assert people[role].call("GET", "/console/api/backup").status_code == 403


def test_each_act_is_in_the_audit_trail(production, people):
    first = administrator(production, "owner", "audit-services@example.org")
    entries = first.call("GET", "/console/api/audit").json()["entries"]
    done = [(one["action"], one["target"].split("?")[0], one["status"]) for one in entries if one["administrator"] == "editor-services@example.org"]
    for method, path in [("POST", f"/v1/projects/{PROJECT}/triggerEvents:replay"), ("POST", f"/v1beta1/projects/{PROJECT}/sites/{PROJECT}/channels/live/releases"), ("DELETE", f"/v1beta1/projects/{PROJECT}/sites/{PROJECT}/channels/next")]:
        assert (method, path, 200) in done, path
    refused = [(one["action"], one["target"], one["status"]) for one in entries if one["administrator"] == "viewer-services@example.org"]
    assert ("POST", f"/v1/projects/{PROJECT}/triggerEvents:replay", 403) in refused
