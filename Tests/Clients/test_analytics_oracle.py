"""Every card over random streams of events equals what SQL makes of the rows that were sent."""

import csv
import json
import sqlite3
import subprocess

import pytest

from support import event_oracle, server as servers

PROGRAM = servers.binary().with_name("brasa-load")

pytestmark = [
    pytest.mark.brasa_only, pytest.mark.skipif(not PROGRAM.exists(), reason=f"{PROGRAM} is not built"),
]

# Zones whose clocks change within the days, one by half an hour, and one that is off by quarters.
STREAMS = [
    (1, "UTC", "2026-01-10"), (2, "America/New_York", "2026-10-20"), (3, "Europe/Berlin", "2026-03-10"),
    (4, "Australia/Lord_Howe", "2026-03-20"), (5, "Asia/Kathmandu", "2026-05-01"),
]


def sent(tmp_path, events, users, days, seed, zone, start):
    """The cards of a stream, and the file with its rows."""
    rows = tmp_path / "rows.csv"
    command = [
        PROGRAM, "event-cards", "--events", events, "--users", users, "--days", days, "--seed", seed, "--zone", zone,
        "--start", start, "--rows", rows, "--directory", tmp_path / "events",
    ]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout), rows


def check(cards, execute, users, days, zone, start):
    first = event_oracle.number(start)
    oracle = event_oracle.Oracle(execute, zone, first - 2, first + days + 1)
    oracle.prepare()
    expected = oracle.cards([n * users // 20 for n in range(20)])
    assert event_oracle.differences(cards, expected) == []
    assert sum(figures[0] for figures in cards["events"].values()) > 0
    assert cards["dropped"]["VALUE_OUT_OF_BOUNDS"][0] > 0 and cards["dropped"]["NAME_RESERVED"][0] > 0


@pytest.mark.parametrize("seed, zone, start", STREAMS[:3])
def test_a_small_stream(tmp_path, seed, zone, start):
    users, days = 300, 20
    cards, rows = sent(tmp_path, 10_000, users, days, seed, zone, start)
    base = sqlite3.connect(tmp_path / "rows.sqlite")
    base.execute(f"CREATE TABLE raw ({', '.join(f'{name} {kind}' for name, kind in event_oracle.COLUMNS)})")
    with open(rows, newline="") as file:
        base.executemany(f"INSERT INTO raw VALUES ({', '.join('?' for _ in event_oracle.COLUMNS)})", csv.reader(file))
    check(cards, base.execute, users, days, zone, start)


@pytest.mark.slow
@pytest.mark.parametrize("seed, zone, start", STREAMS)
def test_ten_million_events(tmp_path, seed, zone, start):
    duckdb = pytest.importorskip("duckdb", reason="pip install -r requirements-slow.txt")
    users, days = 40_000, 40
    cards, rows = sent(tmp_path, 10_000_000, users, days, seed, zone, start)
    base = duckdb.connect()
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in event_oracle.COLUMNS)
    base.execute(f"CREATE TABLE raw AS SELECT * FROM read_csv('{rows}', header=false, nullstr='NULL', columns={{{columns}}})")
    check(cards, base.execute, users, days, zone, start)
