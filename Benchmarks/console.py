"""What the console costs a browser: a long collection that is opened and scrolled, and changes that arrive.

    BRASA_BINARY=.build/release/brasa .venv/bin/python Benchmarks/console.py --documents 1000000 --rate 1000 --seconds 30

Starts a server of its own in a new directory and headless Chromium on the same machine, and fills a collection. `first page` is the
overview in a browser that has nothing yet, until its heading is there: requests, bytes as they come over the wire, time. `open` is
from the navigation to the first rows in sight, in a browser that has the console's files; `scroll` from a jump by five thousand
pixels to rows there; long tasks are the browser's own reports of tasks beyond 50 ms while the writer changes what is in sight, and the
heap is measured after a collection of garbage, before the changes, each minute and at their end. Budgets: the first page in 500 ms with at most 40 requests and
60 KB, the collection opened in 500 ms, no task beyond 50 ms at the 99th percentile of frames.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile
import threading
import time

import requests

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "Clients"))

from support import server as servers  # noqa: E402
from support.browser import Browser  # noqa: E402
from support.console import Console  # noqa: E402

OWNER = {"authorization": "Bearer owner"}
PROJECT = "load-console"
BATCH = 500
ROWS = "return [...document.querySelectorAll('.grid-row')].filter((row) => row.getBoundingClientRect().bottom > 0).length > 5"
OBSERVE = """
window.tasks = []; window.frames = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: "longtask" });
let before = performance.now();
const frame = (now) => { window.frames.push(now - before); before = now; requestAnimationFrame(frame); };
requestAnimationFrame(frame);
"""


def write(session, root, names, number):
    """Writes a batch of documents."""
    database = root.split("/v1/")[1]
    writes = [{"update": {"name": f"{database}/many/{name}", "fields": {"n": {"integerValue": str(number)}, "name": {"stringValue": f"Item {name}"}}}} for name in names]
    answer = session.post(f"{root}:batchWrite", json={"writes": writes}, headers=OWNER, timeout=120)
    assert answer.status_code == 200, answer.text


def fill(root, count):
    session = requests.Session()
    for start in range(0, count, BATCH):
        write(session, root, [f"d{number:07}" for number in range(start, min(count, start + BATCH))], 0)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def heap(browser):
    """Bytes of the page's heap without what is garbage."""
    browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    return browser.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]


def first_page(console, rounds):
    """Milliseconds until the overview is there in a browser that has nothing yet, with its requests and their bytes."""
    times = []
    for _ in range(rounds):
        console.driver.get("about:blank")
        console.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
        start = time.monotonic()
        console.driver.get(f"{console.server.url}/console/{PROJECT}/overview")
        console.browser.wait("return document.querySelector('.shell main h1')")
        times.append((time.monotonic() - start) * 1000)
    count, size = console.browser.run(
        "const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];"
        "return [all.length, all.reduce((sum, one) => sum + one.encodedBodySize, 0)]"
    )
    return times, count, size


def opening(console, rounds):
    """Milliseconds from the navigation to the first rows."""
    times = []
    for _ in range(rounds):
        start = time.monotonic()
        console.driver.get(f"{console.server.url}/console/{PROJECT}/firestore/-default-/data/many")
        console.browser.wait(ROWS)
        times.append((time.monotonic() - start) * 1000)
    return times


def scrolling(browser, jumps):
    """Milliseconds from a jump to rows in sight."""
    times = []
    for jump in range(1, jumps + 1):
        start = time.monotonic()
        browser.run("document.querySelector('.grid').scrollTop = arguments[0]", jump * 5_000)
        browser.wait(ROWS)
        times.append((time.monotonic() - start) * 1000)
    return times


def changing(root, rate, seconds):
    """Changes the first three hundred documents at a rate, in batches of twenty."""
    session, size = requests.Session(), 20
    begin, done = time.monotonic(), 0
    while time.monotonic() - begin < seconds:
        write(session, root, [f"d{(done + number) % 300:07}" for number in range(size)], done)
        done += size
        time.sleep(max(0.0, begin + done / rate - time.monotonic()))
    return done / (time.monotonic() - begin)


def measure(browser, server, arguments):
    root = f"{server.url}/v1/projects/{PROJECT}/databases/(default)/documents"
    fill(root, arguments.documents)
    console = Console(browser, server, PROJECT)
    console.open("overview")
    times, count, size = first_page(console, arguments.rounds)
    print(f"first page: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms of {len(times)}; {count} requests, {size} bytes")
    times = opening(console, arguments.rounds)
    print(f"open: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms of {len(times)}")
    times = scrolling(browser, 20)
    print(f"scroll: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms of {len(times)}")
    browser.run("document.querySelector('.grid').scrollTop = 0")
    browser.wait(ROWS)
    sizes = [heap(browser)]
    browser.run(OBSERVE)
    reached = []
    writer = threading.Thread(target=lambda: reached.append(changing(root, arguments.rate, arguments.seconds)))
    writer.start()
    while writer.is_alive():
        writer.join(60)
        sizes.append(heap(browser))
    tasks, frames = browser.run("return [window.tasks, window.frames]")
    print(f"changes: {reached[0]:.0f} a second for {arguments.seconds} s; frames {len(frames)}, p99 {quantile(frames, 0.99):.0f} ms; "
          f"long tasks {len(tasks)}, p99 {quantile(tasks, 0.99):.0f} ms, longest {max(tasks, default=0):.0f} ms")
    print(f"heap: {sizes[0] / 1e6:.1f} MB before, then {', '.join(f'{size / 1e6:.1f}' for size in sizes[1:])} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--rate", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        server = servers.Brasa(pathlib.Path(directory) / "data").start()
        browser = Browser()
        try:
            measure(browser, server, arguments)
        finally:
            browser.close()
            server.kill()


if __name__ == "__main__":
    main()
