"""Remote Config and events: what the server does a second, and reports beside SQLite and DuckDB over the same events.

    Benchmarks/run-analytics                  (builds the release, installs DuckDB)
    .venv-benchmarks/bin/python Benchmarks/analytics.py --programs .build/release
    ... --quick                               (a minute or two: shows that it works, measures nothing)

Fetches of Remote Config and news of publishes, intake over HTTP and document gets beside it are asked of a server. Reports
are asked in one process: `brasa-load events` takes the events, SQLite has the same in the same order of keys and DuckDB
the same rows; all three are asked the same, and an answer that differs fails the run. SQLite is asked what a dashboard
counts alone: retention and funnels take it minutes.
"""

import argparse
import contextlib
import json
import os
import pathlib
import platform
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

import peers

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST_DAY = 20_000
DAY = 86_400_000_000
DURABLE = 100_000
WINDOW = 7 * DAY
# Events a second.
OFFERED = 50_000

COUNTS = {
    "events, all days": "SELECT name, count(*), count(DISTINCT user) FROM e GROUP BY 1",
    "countries, all days": "SELECT country, count(*), count(DISTINCT user) FROM e GROUP BY 1",
    "item_id of select_item, all days":
        "SELECT item, count(*), count(DISTINCT user) FROM e WHERE name = 'select_item' GROUP BY 1",
}


def text(day):
    return time.strftime("%Y-%m-%d", time.gmtime(day * 86_400))


def timed(ask, repeats=3):
    best, answer = float("inf"), None
    for _ in range(repeats):
        begin = time.perf_counter()
        answer = ask()
        best = min(best, time.perf_counter() - begin)
    return best, answer


def brasa(options, rows, directory):
    command = [
        options.programs / "brasa-load", "events", "--events", options.events, "--users", options.users, "--days", options.days,
        "--rows", rows, "--directory", directory,
    ]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    lines = done.stdout.strip().splitlines()
    print("\n".join(lines[:-1]), flush=True)
    said = dict(line.split(": ", 1) for line in lines[:-1])
    return json.loads(lines[-1]), said


def duckdb_answers(rows, days):
    import duckdb

    base = duckdb.connect()
    base.execute("SET threads = 2")
    base.execute(
        f"""CREATE TABLE e AS SELECT *, (time // {DAY}) AS day, time * 64 + sequence AS place FROM
        read_csv('{rows}', header=false, columns={{'user': 'VARCHAR', 'time': 'BIGINT', 'sequence': 'BIGINT',
        'name': 'VARCHAR', 'country': 'VARCHAR', 'item': 'VARCHAR', 'engagement': 'BIGINT'}})"""
    )
    answers = {name: counts(base.execute, query) for name, query in COUNTS.items()}
    last = FIRST_DAY + days - 1
    answers["a day's dashboard"] = counts(
        base.execute,
        f"SELECT name, count(*), count(DISTINCT user) FROM e WHERE day = {last - 1} GROUP BY 1",
    )
    base.execute("CREATE VIEW active AS SELECT DISTINCT day, user FROM e WHERE engagement > 0 OR name = 'first_open'")
    base.execute("CREATE VIEW fresh AS SELECT DISTINCT day, user FROM e WHERE name = 'first_open'")
    answers["users by day, all days"] = timed(lambda: users(base, days))
    month = max(FIRST_DAY, last - 29)
    answers["retention, 30 days"] = timed(lambda: retention(base, month, last))
    answers["funnel of three steps, 30 days"] = timed(lambda: funnel(base, month, last))
    return answers


def counts(execute, query):
    return timed(lambda: {row[0]: list(row[1:]) for row in execute(query).fetchall()})


def users(base, days):
    rows = base.execute(
        f"""SELECT d.day,
          (SELECT count(*) FROM active a WHERE a.day = d.day),
          (SELECT count(DISTINCT user) FROM active a WHERE a.day BETWEEN d.day - 6 AND d.day),
          (SELECT count(DISTINCT user) FROM active a WHERE a.day BETWEEN d.day - 27 AND d.day),
          (SELECT count(*) FROM fresh f WHERE f.day = d.day)
        FROM range({FIRST_DAY}, {FIRST_DAY + days}) d(day)"""
    ).fetchall()
    return {text(row[0]): list(row[1:]) for row in rows}


def retention(base, first, last):
    found = {
        (day, later): count
        for day, later, count in base.execute(
            f"""SELECT f.day, a.day - f.day, count(*) FROM fresh f JOIN active a ON a.user = f.user
            WHERE f.day BETWEEN {first} AND {last} AND a.day BETWEEN f.day AND f.day + 28 GROUP BY 1, 2"""
        ).fetchall()
    }
    new = dict(base.execute("SELECT day, count(*) FROM fresh GROUP BY 1").fetchall())
    return {
        text(day): [new.get(day, 0)] + [found.get((day, n), 0) for n in range(min(28, last - day) + 1)]
        for day in range(first, last + 1)
    }


def funnel(base, first, last):
    def step(name):
        return f"(SELECT user, place, time FROM e WHERE name = '{name}' AND day BETWEEN {first} AND {last})"

    row = base.execute(
        f"""WITH b AS (
          SELECT b.user, b.place, a.time AS start FROM {step('add_to_cart')} b
          ASOF JOIN {step('view_item')} a ON a.user = b.user AND a.place < b.place
          WHERE b.time - a.time <= {WINDOW}),
        c AS (
          SELECT c.user FROM {step('purchase')} c ASOF JOIN b ON b.user = c.user AND b.place < c.place
          WHERE c.time - b.start <= {WINDOW})
        SELECT (SELECT count(DISTINCT user) FROM {step('view_item')}),
          (SELECT count(DISTINCT user) FROM b), (SELECT count(DISTINCT user) FROM c)"""
    ).fetchone()
    return {"steps": list(row)}


def sqlite_answers(rows, path):
    base = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = WAL", "synchronous = FULL", "cache_size = -65536"):
        base.execute(f"PRAGMA {setting}")
    base.execute(
        """CREATE TABLE e (day INTEGER, user TEXT, time INTEGER, sequence INTEGER, name TEXT, country TEXT,
        item TEXT, engagement INTEGER, number INTEGER, PRIMARY KEY (day, user, time, sequence, number)) WITHOUT ROWID"""
    )
    durable = fill_sqlite(base, rows)
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    answers = {name: counts(base.execute, query) for name, query in COUNTS.items()}
    return durable, path.stat().st_size, answers


def fill_sqlite(base, rows):
    """Batches of 25 durable ones first, whose rate counts, the rest at once."""
    begin = time.perf_counter()
    rate = 0
    insert = "INSERT INTO e VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    pending, seen = [], 0
    with open(rows) as file:
        for line in file:
            user, moment, sequence, name, country, item, engagement = line.rstrip("\n").split(",")
            moment = int(moment)
            seen += 1
            pending.append((moment // DAY, user, moment, int(sequence), name, country, item, int(engagement), seen))
            if len(pending) == (25 if seen <= DURABLE else 50_000):
                base.execute("BEGIN")
                base.executemany(insert, pending)
                base.execute("COMMIT")
                pending = []
            if seen == DURABLE:
                rate = DURABLE / (time.perf_counter() - begin)
    base.execute("BEGIN")
    base.executemany(insert, pending)
    base.execute("COMMIT")
    return rate


# The server's rows


class Table:
    def __init__(self):
        self.lines = ["| Measure | Brasa | DuckDB | SQLite | Asked |", "|---|---|---|---|---|"]

    def add(self, measure, own, asked="", duck="", lite=""):
        line = f"| {measure} | {own} | {duck} | {lite} | {asked} |"
        print(line, flush=True)
        self.lines.append(line)


def loaded(peer, *arguments):
    """Runs brasa-load on a server; gives its report."""
    command = [peer.programs / "brasa-load", *arguments, "--port", peer.port]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=3600)
    failed = re.search(r"^errors: [1-9]", done.stdout, re.MULTILINE)
    if done.returncode or failed:
        raise RuntimeError(f"{command}\n{done.stdout}{done.stderr}")
    return done.stdout


def figure(report, pattern):
    return float(re.search(pattern, report, re.MULTILINE)[1])


def quantile(report, name, line="latency"):
    """A latency as the report spells it."""
    return re.search(rf"^{line}: .*?{name} ([\d.]+ ?[a-z]+)", report, re.MULTILINE)[1]


@contextlib.contextmanager
def served(options, directory, name):
    folder = directory / name
    folder.mkdir()
    peer = peers.Brasa(options.programs, folder)
    peer.start()
    try:
        yield peer
    finally:
        peer.stop()
        shutil.rmtree(folder, ignore_errors=True)


def config(options, directory, table):
    with served(options, directory, "config") as peer:
        report = loaded(peer, "config", "fetch", "--connections", 16, "--seconds", options.seconds, "--pid", peer.process.pid)
        micros = figure(report, r"([\d.]+) us each")
        table.add(
            "fetch, 200 parameters, 50 conditions",
            f"{figure(report, r'^throughput: ([0-9.]+)/s'):,.0f}/s, {1e6 / micros:,.0f} a second of processor time, "
            f"p99 {quantile(report, 'p99')}",
            "5,000/s a core, p99 10 ms; further 20,000/s",
        )
        report = loaded(peer, "config", "streams", "--streams", options.streams, "--publishes", options.publishes)
        table.add(
            f"publish to the last of {options.streams:,} streams",
            f"p50 {quantile(report, 'p50', 'publish to last stream')}, longest {quantile(report, 'longest', 'publish to last stream')}",
            "1 s; further 200 ms",
        )


def intake(options, directory, table):
    with served(options, directory, "intake") as peer:
        # More than this for long is refused from one address.
        report = loaded(
            peer, "intake", "--connections", 64, "--rate", OFFERED, "--seconds", options.seconds, "--pid", peer.process.pid,
        )
        each = figure(report, r"([\d.]+) us each") / 25
        table.add(
            f"intake over HTTP, durable, batches of 25, {OFFERED:,} events/s offered",
            f"{figure(report, r'^objects: ([0-9.]+)/s'):,.0f} events/s, {1e6 / each:,.0f} a second of processor time, "
            f"p99 {quantile(report, 'p99')}",
            "25,000 events/s; further 40,000",
        )


def gets(options, directory, table):
    """Document gets, 2,000 a second, beside a flood of events, and without, in turn."""
    with served(options, directory, "gets") as peer:
        loaded(peer, "fill", "--documents", options.documents, "--connections", 4)
        measured = [
            "get", "--documents", options.documents, "--connections", 4, "--in-flight", 16, "--rate", 2_000,
            "--seconds", options.seconds,
        ]
        found = {"idle": [], "loaded": []}
        for _ in range(options.runs):
            found["idle"].append(milliseconds(quantile(loaded(peer, *measured), "p99")))
            flood = subprocess.Popen(
                [str(part) for part in (
                    peer.programs / "brasa-load", "intake", "--connections", 16, "--rate", 10_000, "--seconds",
                    options.seconds + 4, "--warm-up", 0, "--port", peer.port,
                )],
                stdout=subprocess.PIPE, text=True,
            )
            time.sleep(1)
            found["loaded"].append(milliseconds(quantile(loaded(peer, *measured), "p99")))
            report = flood.communicate(timeout=120)[0]
            rate = figure(report, r"^objects: ([\d.]+)/s")
        idle, busy = (statistics.median(found[name]) for name in ("idle", "loaded"))
        table.add(
            f"p99 of 2,000 gets/s with {rate:,.0f} events/s", f"{busy:.3g} ms, {busy / idle:.2f} x idle ({idle:.3g} ms)",
            "1.5 x idle; further 1.1",
        )


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+) ?([a-z]+)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


# Reports, beside others


ASKED = {
    "a day's dashboard": "100 ms; further 30 ms", "retention, 30 days": "300 ms; further 150 ms",
    "funnel of three steps, 30 days": "1 s; further 500 ms",
}


def reports(options, directory, table):
    rows = directory / "rows.csv"
    ours, lines = brasa(options, rows, directory / "events")
    table.add("intake in the process, durable", lines["taken"], "25,000 events/s; further 40,000")
    table.add("on disk", lines["on disk"], "120 bytes an event; further 60")
    duck = duckdb_answers(rows, options.days)
    lite = {}
    if not options.without_sqlite:
        rate, size, lite = sqlite_answers(rows, directory / "events.sqlite")
        print(f"SQLite: {rate:.0f} events/s, durable in batches of 25; {size / options.events:.0f} bytes an event")
    wrong = []
    for name, report in ours.items():
        cells = []
        for others in (duck, lite):
            if name not in others:
                cells.append("")
                continue
            seconds, numbers = others[name]
            cells.append(f"{seconds * 1000:.1f} ms")
            if numbers != report["numbers"]:
                wrong.append(name)
        table.add(name, f"{report['seconds'] * 1000:.1f} ms", ASKED.get(name, "200 ms; further 100 ms"), *cells)
    return wrong


MEASURES = {"config": config, "intake": intake, "gets": gets, "reports": reports}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / ".build/release")
    parser.add_argument("--directory", default=None, help="on which disk")
    parser.add_argument("--without-sqlite", action="store_true")
    parser.add_argument("--only", default=",".join(MEASURES), help="which of " + ", ".join(MEASURES))
    parser.add_argument("--quick", action="store_true", help="small and short: shows that everything works")
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    options.seconds, options.streams, options.publishes = (1, 200, 2) if options.quick else (8, 10_000, 10)
    options.documents, options.runs = (500, 1) if options.quick else (10_000, 3)
    if options.quick:
        options.events, options.users, options.days = min(options.events, 50_000), min(options.users, 2_000), 35
    table = Table()
    directory = pathlib.Path(tempfile.mkdtemp(prefix=".build-benchmark-", dir=options.directory or ROOT))
    wrong = []
    try:
        for name in options.only.split(","):
            wrong += MEASURES[name](options, directory, table) or []
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    print(f"\n{options.events:,} events of {options.users:,} users over {options.days} days; {os.cpu_count()} cores, "
          f"load clients included; {platform.platform()}\n\n" + "\n".join(table.lines))
    if wrong:
        sys.exit(f"answers differ: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
