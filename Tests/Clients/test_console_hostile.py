"""What somebody wrote is text in the console and edits back unchanged, and no other page frames it; files have their own file."""

import urllib.parse

import pytest
import requests

from support import browser as browsers, server as servers
from support.administrators import administrator, come_in, invite
from support.analytics import Analytics, batch, event
from support.remote_config import RemoteConfig

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
HOSTILE = "<img src=x onerror=\"document.title='run'\">\u202e{{constructor}}"
# What a line or a text of several lines cannot hold as it is.
LINES = "first\r\nsecond\rthird\nfourth"
QUIET = "return [document.title.includes('run'), document.querySelectorAll('main img[src^=x], dialog img, main script, a[href^=javascript]').length]"
SHOWN = "return [...document.querySelectorAll('main *')].some((one) => one.childElementCount === 0 && (one.value ?? one.textContent).includes(arguments[0]))"


@pytest.fixture
def everywhere(server, project):
    """A project whose parameters, messages and accounts have hostile texts."""
    root = f"{server.url}/v1/projects/{project}"
    message = {"topic": "news", "notification": {"title": HOSTILE, "body": HOSTILE}, "data": {HOSTILE: HOSTILE}}
    answer = requests.post(f"{root}/messages:send", json={"message": message}, headers=OWNER, timeout=30)
    assert answer.status_code == 200, answer.text
    person = {"displayName": HOSTILE, "photoUrl": "javascript:document.title='run'"}
    answer = requests.post(f"{root}/accounts", json=person, headers=OWNER, timeout=30)
    assert answer.status_code == 200, answer.text
    parameter = {"defaultValue": {"value": HOSTILE}, "description": HOSTILE}
    RemoteConfig(server, project).publish({"parameters": {"welcome": parameter}, "parameterGroups": {HOSTILE: {"description": HOSTILE, "parameters": {"other": parameter}}}})


@pytest.mark.parametrize("path", ["messages", "config", "users"])
def test_what_somebody_wrote_is_text(console, everywhere, path):
    console.open(path)
    console.browser.wait(SHOWN, HOSTILE)
    assert console.browser.run("return [document.title.includes('run'), document.querySelectorAll('main img, a[href^=javascript]').length]") == [False, 0]


def test_an_account_s_own_page_shows_text(console, everywhere):
    console.open("users")
    console.click("link", HOSTILE)
    console.find("heading", HOSTILE)
    assert console.read("Name") == HOSTILE
    assert console.browser.run("return [document.title === 'run', document.querySelectorAll('img[src^=x], a[href^=javascript]').length]") == [False, 0]


# Documents


def nested(depth, value):
    """Maps in maps, so many."""
    for _ in range(depth):
        value = {"mapValue": {"fields": {"a": value}}}
    return value


NAMES = [HOSTILE, "constructor", "toString", "a.b", "`", "$ref", "a/b", " ", "\u0000", LINES, "\u202e", "é", "e\u0301", "1", "n" * 1_500]
FIELDS = {
    "deep": nested(18, {"stringValue": HOSTILE}), "lines": {"stringValue": LINES}, "large": {"stringValue": "<b>" * 100_000},
    "numbers": {"arrayValue": {"values": [{"integerValue": str(number)} for number in (2**53 + 1, -(2**63), 2**63 - 1)] + [{"doubleValue": number} for number in ("NaN", "-Infinity", -0.0, 5e-324, 1e21, 0.1)]}},
    "names": {"mapValue": {"fields": {name: {"stringValue": name} for name in NAMES}}},
    "mark": {"mapValue": {"fields": {"$timestamp": {"stringValue": HOSTILE}}}},
}


@pytest.mark.parametrize("view", ["fields", "JSON"])
def test_a_document_edits_back_unchanged(console, server, project, view):
    identifier = urllib.parse.quote(HOSTILE.replace("/", ""), safe="")
    address = f"{server.url}/v1/projects/{project}/databases/(default)/documents/{identifier}/{identifier}"
    fields = FIELDS | {name: {"stringValue": HOSTILE} for name in NAMES} | {"touched": {"stringValue": "before"}}
    answer = requests.patch(address, json={"fields": fields}, headers=OWNER, timeout=30)
    assert answer.status_code == 200, answer.text
    before = requests.get(address, headers=OWNER, timeout=30).json()["fields"]
    console.open(f"firestore/-default-/data/{identifier}/{identifier}")
    console.find("complementary")
    if view == "JSON":
        console.click("tab", "JSON")
        written = console.browser.run("return arguments[0].value", console.find("textbox", "Document as JSON"))
        console.put("Document as JSON", written.replace('"touched": "before"', '"touched": "after"'))
    else:
        console.put("Value of touched", "after")
    console.click("button", "Save")
    console.sees("Saved")
    after = requests.get(address, headers=OWNER, timeout=30).json()["fields"]
    assert after == before | {"touched": {"stringValue": "after"}}
    assert "-0.0" in [str(one.get("doubleValue")) for one in after["numbers"]["arrayValue"]["values"]]
    console.open(f"firestore/-default-/data/{identifier}")
    console.browser.wait("return [...document.querySelectorAll('[role=gridcell]')].some((one) => one.textContent === arguments[0])", HOSTILE)
    assert console.browser.run(QUIET) == [False, 0]


# What one form shows and another person wrote


def test_lines_that_no_field_holds_stay_as_they_are(console, server, project):
    """A form saves what was typed into it, and nothing else of what it shows."""
    root = f"{server.url}/v1/projects/{project}"
    person = {"localId": "ada", "displayName": LINES}
    assert requests.post(f"{root}/accounts", json=person, headers=OWNER, timeout=30).status_code == 200
    console.open("users/ada")
    console.find("button", "Save")
    console.put("Custom claims, as JSON", '{"admin":true}')
    console.click("button", "Save")
    console.sees("User saved")
    found = requests.post(f"{root}/accounts:lookup", json={"localId": ["ada"]}, headers=OWNER, timeout=30).json()["users"][0]
    assert found["displayName"] == LINES and found["customAttributes"] == '{"admin":true}'
    config = RemoteConfig(server, project)
    config.publish({"parameters": {"welcome": {"defaultValue": {"value": LINES}, "description": "before"}}})
    console.open("config")
    console.click("button", "welcome")
    console.fill("Description", "after")
    console.click("button", "Save to draft")
    console.click("button", "Publish changes")
    console.find("dialog", "Publish changes")
    console.click("button", "Publish changes")
    console.sees("Published")
    assert config.get()[0]["parameters"]["welcome"] == {"defaultValue": {"value": LINES}, "description": "after", "valueType": "STRING"}
    bucket = f"{server.url}/storage/v1/b/{project}.appspot.com/o/note"
    upload = f"{server.url}/upload/storage/v1/b/{project}.appspot.com/o?uploadType=media&name=note"
    assert requests.post(upload, data=b"x", headers=OWNER, timeout=30).ok
    assert requests.patch(bucket, json={"metadata": {"lines": LINES, "hostile": HOSTILE}}, headers=OWNER, timeout=30).ok
    console.open("files")
    console.click("link", "note")
    console.fill("Type", "text/plain")
    console.click("button", "Save")
    console.sees("File saved")
    kept = requests.get(bucket, headers=OWNER, timeout=30).json()
    assert kept["contentType"] == "text/plain" and kept["metadata"] == {"lines": LINES, "hostile": HOSTILE}


def test_apps_and_what_devices_send_are_text(console, server, project):
    app = {"platform": "web", "displayName": HOSTILE}
    assert requests.post(f"{server.url}/console/api/projects/{project}/apps", json=app, headers=OWNER, timeout=30).ok
    console.open("settings")
    console.browser.wait(SHOWN, HOSTILE)
    console.click("button", f"Remove {HOSTILE}")
    console.find("dialog")
    assert console.browser.run(QUIET) == [False, 0]
    analytics = Analytics(server, project)
    for name, debug in (("seen", False), (HOSTILE, True)):
        sent = batch("cAbc-efghijklmnopqrst_", event("seen", {"name": HOSTILE}), event(name), debug=debug, userId=HOSTILE, userProperties={"level": {"value": HOSTILE[:36]}})
        sent["device"]["model"] = HOSTILE
        analytics.accepted(sent)
    for path, text in (("analytics/debugview", HOSTILE[:36]), (f"analytics/timeline?user={urllib.parse.quote(HOSTILE)}", "seen"), ("analytics/events/seen", HOSTILE)):
        console.open(path)
        console.until(lambda: console.browser.run("return document.querySelector('main').textContent.includes(arguments[0])", text), f"no {text!r}")
        assert console.browser.run(QUIET) == [False, 0], path


def test_the_trail_shows_what_was_asked_for_as_text(production, production_console):
    owner = administrator(production, "owner", "hostile@example.org")
    path = f"/v1/projects/{servers.PROJECT}/databases/(default)/documents/{urllib.parse.quote('<img src=x onerror=run>', safe='')}/x"
    assert owner.call("PATCH", path, json={"fields": {}}).status_code == 200
    come_in(production_console, invite(production, "reading@example.org", "owner"))
    production_console.open("settings/audit")
    production_console.sees("img")
    assert production_console.browser.run(QUIET) == [False, 0]


def test_no_other_page_frames_the_console(browser, server):
    pages = browsers.Pages()
    try:
        browser.driver.get(f"{pages.url}/webchannel.html")
        browser.complaints()
        browser.run("const frame = document.createElement('iframe'); frame.src = arguments[0]; document.body.append(frame)", f"{server.url}/console")
        found = []

        def is_refused():
            found.extend(entry["message"] for entry in browser.complaints())
            return any("frame-ancestors" in message for message in found)

        browsers.WebDriverWait(browser.driver, 30, poll_frequency=0.05).until(lambda _: is_refused())
    finally:
        browser.driver.get("about:blank")
        pages.close()
