"""The console in a tab that stays open: a page that is left takes its elements, listeners and memory along."""

import pytest
import requests

from support.console import PAGES

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}

# Rounds until everything is loaded that is loaded once, and those that are measured.
WARM_UP, ROUNDS = 6, 30
# A page with little on it, to which each round returns.
ELSEWHERE = "messages/topics"
# The most that all measured rounds may leave: bytes of the heap, elements and text nodes, listeners. One leaked page has more nodes.
MOST = {"bytes": 1 << 20, "nodes": 60, "listeners": 30}
FAST = {"overview", "firestore/-default-/data/products", "users"}

GO = "history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))"
SHOWN = """const page = document.querySelector('main > .body, main > .data');
return location.pathname + location.search === arguments[0] && page !== null && page.innerText.trim().length > 0 && !document.querySelector('main > .body > p.muted:only-child')"""


def go(console, path):
    """Leads the open tab to another page, as its links do, and waits for it."""
    console.browser.run(GO, path)
    console.browser.wait(SHOWN, path)


def measure(console):
    """What the tab holds once its garbage is collected."""
    run = console.driver.execute_cdp_cmd
    # A collection runs what finishes objects, which frees others.
    for _ in range(3):
        run("HeapProfiler.collectGarbage", {})
    counters = run("Memory.getDOMCounters", {})
    return {"bytes": run("Runtime.getHeapUsage", {})["usedSize"], "nodes": counters["nodes"], "listeners": counters["jsEventListeners"]}


@pytest.mark.parametrize("path", [path if path in FAST else pytest.param(path, marks=pytest.mark.slow) for path in PAGES if path != ELSEWHERE])
def test_a_page_that_is_left_leaves_nothing_behind(console, server, project, path):
    root = f"{server.url}/v1/projects/{project}"
    for name in ("chair", "table"):
        fields = {"name": {"stringValue": "Cadeira"}, "price": {"integerValue": "100"}}
        requests.patch(f"{root}/databases/(default)/documents/products/{name}", json={"fields": fields}, headers=OWNER, timeout=30).raise_for_status()
    console.open(ELSEWHERE)
    here, there = (f"/console/{project}/{one}" for one in (path, ELSEWHERE))
    found = []
    for number in range(WARM_UP + ROUNDS):
        go(console, here)
        go(console, there)
        if number in (WARM_UP - 1, WARM_UP + ROUNDS - 1):
            found.append(measure(console))
    before, after = found
    growth = {name: after[name] - before[name] for name in MOST}
    assert all(growth[name] <= most for name, most in MOST.items()), f"{ROUNDS} rounds left {growth}"
