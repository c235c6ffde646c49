"""Events: taken, kept and asked for, beside SQLite and DuckDB over the same events.

    Benchmarks/analytics.py --events 1000000

runs `brasa-load events` of the release build, gives SQLite the same events in the same order of keys and DuckDB
the same rows, asks all three the same, and stops where an answer differs. SQLite is asked what a dashboard counts
alone: retention and funnels take it minutes.
"""

import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST_DAY = 20_000
DAY = 86_400_000_000
DURABLE = 100_000
WINDOW = 7 * DAY

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
        options.load, "events", "--events", options.events, "--users", options.users, "--days", options.days,
        "--rows", rows, "--directory", directory,
    ]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    lines = done.stdout.strip().splitlines()
    print("\n".join(lines[:-1]), flush=True)
    return json.loads(lines[-1])


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=50_000)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--load", default=ROOT / ".build/release/brasa-load")
    parser.add_argument("--without-sqlite", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        rows = directory / "rows.csv"
        ours = brasa(options, rows, directory / "events")
        duck = duckdb_answers(rows, options.days)
        lite = {}
        if not options.without_sqlite:
            rate, size, lite = sqlite_answers(rows, directory / "events.sqlite")
            print(f"SQLite: {rate:.0f} events/s, durable in batches of 25; {size / options.events:.0f} bytes an event")
    print("\n| Report | Brasa | DuckDB | SQLite |\n|---|---|---|---|")
    wrong = []
    for name, report in ours.items():
        cells = [f"{report['seconds'] * 1000:.1f} ms"]
        for others in (duck, lite):
            if name not in others:
                cells.append("")
                continue
            seconds, numbers = others[name]
            cells.append(f"{seconds * 1000:.1f} ms")
            if numbers != report["numbers"]:
                wrong.append(name)
        print(f"| {name} | {' | '.join(cells)} |")
    if wrong:
        sys.exit(f"answers differ: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
