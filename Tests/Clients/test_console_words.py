"""What the console says where a server refuses something, and of the state of a page: sentences, in the reader's language."""

import re

import pytest
import requests

from support.axe import findings
from support.looks import LANGUAGES
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
CODE = re.compile(r"[A-Z]{3,}_[A-Z]{2,}")


def alert(console):
    """What the dialog says went wrong, as soon as it does."""
    return console.until(lambda: console.browser.run("return document.querySelector('dialog[open] [role=alert]')?.textContent"), "no complaint")


@LANGUAGES
def test_refusals_of_accounts_are_sentences(console, server, project, language):
    text = Texts(language)
    users = f"{server.url}/v1/projects/{project}/accounts"
    for uid in ("ada", "grace"):
        requests.post(users, json={"localId": uid, "email": f"{uid}@example.org", "password": "correct horse battery"}, headers=OWNER, timeout=30).raise_for_status()
    console.open("users", language)
    assert text("provider.password") in console.text("row", None) or console.sees(text("provider.password")) is None
    console.click("link", "ada@example.org")
    console.find("heading", "ada@example.org")
    said = lambda: console.until(lambda: console.browser.run("return document.querySelector('main [role=alert]')?.textContent"), "no complaint")  # noqa: E731
    cases = [
        (text("users.claims"), "[1]", text("reason.INVALID_CLAIMS"), "{}"), (text("users.claims"), '{"sub": 1}', text("reason.FORBIDDEN_CLAIM", "sub"), "{}"),
        (text("users.claims"), '{"a": "%s"}' % ("x" * 1_000), text("reason.CLAIMS_TOO_LARGE"), "{}"), (text("users.newPassword"), "short", {"en": "at least 6", "pt-BR": "pelo menos 6"}[language], ""),
        (text("users.email"), "grace@example.org", text("reason.EMAIL_EXISTS"), "ada@example.org"), (text("users.email"), "no address", text("reason.INVALID_EMAIL"), "ada@example.org"),
        (text("users.phone"), "12", text("reason.INVALID_PHONE_NUMBER"), ""),
    ]
    for name, typed, sentence, before in cases:
        console.put(name, typed)
        console.click("button", text("save"))
        console.until(lambda: sentence in said(), f"{typed[:20]}: not {sentence!r}")
        assert not CODE.search(said()), said()
        console.put(name, before)
    assert findings(console) == []


@LANGUAGES
def test_refusals_of_templates_are_sentences(console, language):
    text = Texts(language)
    console.open("config", language)
    console.click("tab", f"{text('config.conditions')} 0")
    console.click("button", text("analytics.addCondition"))
    console.fill(text("name"), "wrong")
    console.put(text("config.expression"), "device.country inn ['BR']")
    console.click("button", text("config.take"))
    said = alert(console)
    assert not CODE.search(said) and said.startswith(text("reason.INVALID_CONDITION", "").strip()), said


@LANGUAGES
def test_only_pages_that_listen_say_that_they_do_not(console, server, project, language):
    text = Texts(language)
    requests.patch(f"{server.url}/v1/projects/{project}/databases/(default)/documents/products/chair", json={"fields": {}}, headers=OWNER, timeout=30).raise_for_status()
    for page in ("overview", "requests", "requests/all", "analytics/debugview", "operations", "operations/log", "messages", "users", "rules", "firestore/-default-/indexes"):
        console.open(page, language)
        assert console.browser.run("const light = document.querySelector('.light'); return light.hidden || light.dataset.state"), page
        assert not console.browser.run("return document.body.innerText.includes(arguments[0])", text("connection.idle")), page
    console.open("firestore/-default-/data", language)
    console.sees(text("connection.idle"))
    console.open("firestore/-default-/data/products", language)
    console.sees(text("connection.live"))


def test_pills_stand_on_the_line_of_their_row(console, server, project):
    requests.post(f"{server.url}/v1/projects/{project}/messages:send", json={"message": {"topic": "news", "notification": {"title": "Cadeira"}}}, headers=OWNER, timeout=30).raise_for_status()
    console.open("messages")
    console.find("link", "Cadeira")
    bottoms = """
        const bottom = (node) => { const range = document.createRange(); range.selectNodeContents(node); return [...range.getClientRects()].at(-1).bottom; };
        const row = document.querySelector("main tbody tr"), text = (one) => [...one.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
        return [bottom(text(row.querySelector(".badge"))), bottom(text(row.cells[2]))];"""
    pill, plain = console.browser.run(bottoms)
    # A pill's text is a pixel smaller.
    assert abs(pill - plain) <= 1.5


def test_the_focus_stays_when_what_had_it_is_drawn_anew_or_goes(console, server, project):
    for uid in ("ada", "grace"):
        requests.post(f"{server.url}/v1/projects/{project}/accounts", json={"localId": uid, "email": f"{uid}@example.org"}, headers=OWNER, timeout=30).raise_for_status()
    console.open("users")
    console.click("link", "ada@example.org")
    console.click("button", "Delete user")
    console.click("button", "Delete ada@example.org")
    console.sees("User deleted")
    console.sees_not("ada@example.org")
    # The row is gone; the focus is on the page, from where Tab goes on.
    console.browser.wait("return document.activeElement !== document.body && Boolean(document.activeElement.closest('main'))")
