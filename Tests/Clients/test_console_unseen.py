"""A console that nobody looks at costs the server nothing: no listeners, no requests."""

import re

import pytest
import requests

from support import server as servers
from support.administrators import come_in, invite

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
# What the page waits seconds or minutes for takes a part of a second, and what waits is counted; so are requests.
HASTE = """
window.asked = []; window.inFlight = 0; window.plans = 0; window.late = new Set();
const wait = window.setTimeout, stop = window.clearTimeout, send = window.fetch;
window.setTimeout = (act, milliseconds = 0, ...values) => {
  window.plans += milliseconds >= 1_000 && milliseconds <= 20_000;
  if (milliseconds < 1_000 || milliseconds > 600_000) return wait(act, milliseconds, ...values);
  if (milliseconds <= 20_000) return wait(act, milliseconds / 20, ...values);
  const timer = wait(() => { window.late.delete(timer); act(...values); }, milliseconds / 200);
  window.late.add(timer);
  return timer;
};
window.clearTimeout = (timer) => { window.late.delete(timer); stop(timer); };
// Headless browsers hide no tab.
window.isUnseen = false;
Object.defineProperty(document, "hidden", { get: () => window.isUnseen });
window.fetch = (address, ...rest) => {
  window.asked.push(String(address));
  window.inFlight += 1;
  return send(address, ...rest).finally(() => { window.inFlight -= 1; });
};
"""
# Pages that ask again and again while somebody looks.
LIVE = ["requests", "requests/all", "messages", "analytics/live", "analytics/debugview", "operations", "operations/jobs"]


@pytest.fixture
def hasty(browser):
    """Has the pages of the tab hurry."""
    script = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HASTE})
    yield browser
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script["identifier"]})


def listeners(server, headers=OWNER):
    """The streams of listeners that the server has, by its metrics."""
    text = requests.get(f"{server.url}/metrics", headers=headers, verify=server.authority, timeout=30).text
    return int(re.search(r"^brasa_listen_streams (\d+)", text, re.MULTILINE)[1])


def look(browser, is_away):
    """Hides the tab, or shows it again."""
    browser.run("window.isUnseen = arguments[0]; document.dispatchEvent(new Event('visibilitychange'))", is_away)


def asked(browser):
    """How many requests the page has made."""
    return browser.run("return window.asked.length")


# The server gives up a session whose end it did not hear of after 45 seconds.
@pytest.mark.slow
def test_a_hidden_tab_listens_to_nothing_and_asks_for_nothing(hasty, tmp_path, project):
    from support.console import Console

    own = servers.Brasa(tmp_path / "data").start()
    chair = f"{own.url}/v1/projects/{project}/databases/(default)/documents/products/chair"
    try:
        requests.patch(chair, json={"fields": {}}, headers=OWNER, timeout=30)
        hasty.show_as(1280, 900)
        tab = Console(hasty, own, project).open("firestore/-default-/data/products")
        tab.find("gridcell", "chair")
        assert listeners(own) == 1
        look(hasty, True)
        servers.wait_for(lambda: listeners(own) == 0, "no listener")
        before = asked(hasty)
        requests.patch(chair, json={"fields": {"n": {"integerValue": "1"}}}, headers=OWNER, timeout=30)
        assert listeners(own) == 0 and asked(hasty) == before
        # Whoever comes back sees what is so now.
        look(hasty, False)
        tab.find("gridcell", "1")
        hasty.driver.get("about:blank")
        servers.wait_for(lambda: listeners(own) == 0, "no listener of a page that was left")
    finally:
        own.kill()


def test_pages_that_ask_again_do_not_while_they_are_hidden(console, hasty):
    for path in LIVE:
        console.open(path)
        # Asked once, a page plans to ask again.
        hasty.wait("return window.plans > 0")
        look(hasty, True)
        hasty.wait("return window.inFlight === 0")
        # The longest that such a page waits passes once: timers end in the order of their times.
        hasty.run("window.isOver = false; window.setTimeout(() => { window.isOver = true; }, 20_000)")
        hasty.run("window.plans = 0; document.dispatchEvent(new Event('visibilitychange'))")
        before = asked(hasty)
        hasty.wait("return window.isOver")
        assert hasty.run("return window.plans") == 0 and asked(hasty) == before, path
        look(hasty, False)
        hasty.wait("return window.asked.length > arguments[0]", before)


def test_a_hidden_tab_buys_no_tokens(hasty, production, production_console):
    come_in(production_console, invite(production, "away@example.org", "viewer"))
    production_console.open("users")
    production_console.sees("No users yet.")
    # A token is bought some minutes after the last one, as long as somebody looks. Between two scripts a timer may end.
    hide = "if (window.late.size === 0) return null; window.isUnseen = true; document.dispatchEvent(new Event('visibilitychange')); return window.asked.length"
    before = hasty.wait(hide)
    bought = "return window.asked.slice(arguments[0]).filter((address) => address.includes('/session/token'))"
    hasty.wait("return window.late.size === 0")
    assert hasty.run(bought, before) == []
    look(hasty, False)
    hasty.wait(f"{bought}.length > 0", before)
