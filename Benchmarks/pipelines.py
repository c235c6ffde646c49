"""Measures pipelines beside classic queries and PostgreSQL, and prints a table with the ratios asked for.

    BRASA_BINARY=.build/release/brasa python3 Benchmarks/pipelines.py --size small
    BRASA_BINARY=.build/release/brasa python3 Benchmarks/pipelines.py --size large

`small` has 100,000 products and 10,000 orders, `large` 1,000,000 and 100,000. PostgreSQL is started for the run, with
`jsonb` rows, warm, and asked twice: with `max_parallel_workers_per_gather` 0 and with its default. Both servers share
the machine and are asked one after the other. A measure is the median of its runs behind one that warms up; the
pipeline and the classic query take turns. Memory is measured on a server that was started again and has read every
document once, so that neither its cache nor what earlier pipelines left hides anything. Nothing is built.
"""

import argparse
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import peers

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Tests/Clients"))
from support import postgres  # noqa: E402

SIZES = {"tiny": (2_000, 200), "small": (100_000, 10_000), "large": (1_000_000, 100_000)}
CATEGORIES = 50
BATCH = 500
ROOT = "projects/demo/databases/(default)/documents"


def product(number):
    return {"name": f"Product {number}", "category": f"c{number % CATEGORIES}", "price": number * 7919 % 100_000}


def order(number, products):
    return {"product": f"p{number * 104_729 % products}", "count": number % 9 + 1, "month": f"2026-{number % 12 + 1:02}"}


def value(plain):
    return {"integerValue": str(plain)} if isinstance(plain, int) else {"stringValue": plain}


def field(name):
    return {"fieldReferenceValue": name}


def call(name, *arguments):
    return {"functionValue": {"name": name, "args": list(arguments)}}


def mapping(**members):
    return {"mapValue": {"fields": members}}


def stage(name, *arguments):
    return {"name": name, "args": list(arguments)}


def inner(*stages):
    return {"pipelineValue": {"stages": list(stages)}}


class Refusal(Exception):
    """A response that is an error."""


class Brasa:
    """A development server on a new directory, asked over one HTTP/1.1 connection."""

    def __init__(self, binary, directory):
        self.binary, self.directory = binary, directory
        self.start()

    def start(self):
        self.port = peers.free_port()
        self.log = open(self.directory / "brasa.log", "ab")
        self.process = subprocess.Popen(
            [self.binary, "serve", "--dev", "--data", str(self.directory / "data"), "--port", str(self.port)],
            stdout=self.log, stderr=subprocess.STDOUT,
        )
        peers.wait_for(self.port, self.process)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def post(self, verb, body):
        headers = {"Content-Type": "application/json", "Authorization": "Bearer owner"}
        self.connection.request("POST", f"/v1/{ROOT}:{verb}", json.dumps(body).encode(), headers)
        response = self.connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise Refusal(content.decode())
        return json.loads(content)

    def fill(self, collection, documents):
        writes = []
        for key, fields in documents:
            shown = {name: value(plain) for name, plain in fields.items()}
            writes.append({"update": {"name": f"{ROOT}/{collection}/{key}", "fields": shown}})
            if len(writes) == BATCH:
                self.post("commit", {"writes": writes})
                writes = []
        if writes:
            self.post("commit", {"writes": writes})

    def pipeline(self, *stages, **options):
        body = {"structuredPipeline": {"pipeline": {"stages": list(stages)}, "options": options}}
        return [row for part in self.post("executePipeline", body) for row in part.get("results", [])]

    def query(self, body):
        return [part for part in self.post("runQuery", {"structuredQuery": body}) if "document" in part]

    def memory(self, work):
        """The most memory that the process had more than before while it worked, in MiB."""
        self.restart()
        for collection in ("products", "orders"):
            self.pipeline(
                stage("collection", {"referenceValue": f"/{collection}"}),
                stage("aggregate", mapping(n=call("count", field("none"))), mapping()),
            )
        process = pathlib.Path(f"/proc/{self.process.pid}")
        (process / "clear_refs").write_text("5")
        before = self._status(process, "VmRSS")
        work()
        return (self._status(process, "VmHWM") - before) / 1024

    @staticmethod
    def _status(process, name):
        line = next(line for line in (process / "status").read_text().splitlines() if line.startswith(name))
        return int(line.split()[1])

    def restart(self):
        self.stop()
        self.start()

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait(timeout=120)
        self.log.close()


class Database:
    """PostgreSQL with the same rows."""

    def __init__(self):
        self.server = postgres.Postgres(settings="-c shared_buffers=1GB -c work_mem=64MB")

    def run(self, *statements, text=None):
        command = ["psql", self.server.address, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-t", "-A"]
        for statement in statements:
            command += ["-c", statement]
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=1_800)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def fill(self, table, documents):
        self.run(f"create table {table} (id text primary key, data jsonb not null)")
        rows = "".join(f"{key}\t{json.dumps(fields)}\n" for key, fields in documents)
        self.run(f"copy {table} from stdin", text=rows)

    def finish(self):
        self.run("create index on products (((data->>'price')::bigint))", "vacuum analyze")

    def seconds(self, statement, workers, times):
        """The median of what the server says that the statement took; the first run warms up."""
        settings = "" if workers is None else f"set max_parallel_workers_per_gather = {workers}; "
        script = settings + "\\timing on\n" + f"\\o /dev/null\n{statement};\n" * (times + 1)
        done = subprocess.run(
            ["psql", self.server.address, "-X", "-q", "-v", "ON_ERROR_STOP=1"],
            input=script, capture_output=True, text=True, timeout=1_800,
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        taken = [float(line.split()[1]) / 1000 for line in done.stdout.splitlines() if line.startswith("Time:")]
        return statistics.median(taken[-times:])

    def stop(self):
        self.server.close()


def seconds(times, *works):
    """The median of each; they take turns, and the first turn warms up."""
    taken = [[] for _ in works]
    for turn in range(times + 1):
        for work, own in zip(works, taken):
            begun = time.perf_counter()
            work()
            if turn:
                own.append(time.perf_counter() - begun)
    return [statistics.median(own) for own in taken]


TOP = (
    stage("collection", {"referenceValue": "/products"}),
    stage("where", call("greater_than", field("price"), value(50_000))),
    stage("sort", mapping(direction=value("ascending"), expression=field("price"))),
    stage("limit", value(20)),
)
TOP_CLASSIC = {
    "from": [{"collectionId": "products"}],
    "where": {
        "fieldFilter": {"field": {"fieldPath": "price"}, "op": "GREATER_THAN", "value": {"integerValue": "50000"}}
    },
    "orderBy": [{"field": {"fieldPath": "price"}}],
    "limit": 20,
}
GROUP = (
    stage("collection", {"referenceValue": "/products"}),
    stage(
        "aggregate",
        mapping(sum=call("sum", field("price")), average=call("average", field("price"))),
        mapping(category=field("category")),
    ),
)
GROUP_SQL = (
    "select data->>'category', sum((data->>'price')::bigint), avg((data->>'price')::bigint) from products group by 1"
)
PRICE = inner(
    stage("collection", {"referenceValue": "/products"}),
    stage("where", call("equal", call("document_id", field("__name__")), {"variableReferenceValue": "product"})),
    stage("select", mapping(price=field("price"))),
)
JOIN = (
    stage("collection", {"referenceValue": "/orders"}),
    stage("let", mapping(product=field("product"))),
    stage("add_fields", mapping(total=call("multiply", field("count"), call("scalar", PRICE)))),
    stage("aggregate", mapping(total=call("sum", field("total"))), mapping(month=field("month"))),
)
JOIN_SQL = (
    "select o.data->>'month', sum((o.data->>'count')::bigint * (p.data->>'price')::bigint) "
    "from orders o join products p on p.id = o.data->>'product' group by 1"
)
# Pipelines that keep as many rows as the limit lets them; the refusal of the last is a result too.
GREEDY = {
    "sort of everything": (
        GROUP[0],
        stage("sort", mapping(direction=value("descending"), expression=field("name"))),
        stage("limit", value(10)),
    ),
    "groups of all names": (
        GROUP[0], stage("aggregate", mapping(n=call("count")), mapping(name=field("name"))), stage("limit", value(1)),
    ),
    "one array of everything": (
        GROUP[0], stage("aggregate", mapping(all=call("array_agg", field("name"))), mapping()), stage("limit", value(1)),
    ),
    "group and join": JOIN,
}


class Report:
    def __init__(self):
        self.lines = ["| Measure | Brasa | Beside it | Ratio | Ask |", "|---|---|---|---|---|"]

    def beside(self, measure, own, name, other, ask):
        line = f"| {measure} | {own * 1000:,.2f} ms | {name} {other * 1000:,.2f} ms | {own / other:.2f} | {ask} |"
        print(line, flush=True)
        self.lines.append(line)

    def memory(self, measure, mebibytes, ask):
        line = f"| {measure} | {mebibytes:,.0f} MiB more | | | {ask} |"
        print(line, flush=True)
        self.lines.append(line)


def same(rows, sql):
    """Refuses to compare two servers that give different results."""
    fields = [row["fields"] for row in rows]
    sums = [row.get("sum") or row.get("total") for row in fields]
    own = sorted(float(next(iter(sum.values()))) for sum in sums)
    other = sorted(float(line.split("|")[1]) for line in sql.splitlines() if line)
    if own != other:
        raise RuntimeError(f"the results differ: {own[:3]} and {other[:3]}")


def measure(brasa, database, times):
    report = Report()
    quick = times * 40
    if [row["name"] for row in brasa.pipeline(*TOP)] != [part["document"]["name"] for part in brasa.query(TOP_CLASSIC)]:
        raise RuntimeError("the pipeline and the classic query give different documents")
    own, classic = seconds(quick, lambda: brasa.pipeline(*TOP), lambda: brasa.query(TOP_CLASSIC))
    report.beside("where, sort and limit 20 by index", own, "classic query", classic, "<= 1.1")
    for title, stages, sql in (("group by category", GROUP, GROUP_SQL), ("join of the orders", JOIN, JOIN_SQL)):
        same(brasa.pipeline(*stages), database.run(sql))
        [own] = seconds(times, lambda: brasa.pipeline(*stages))
        for workers, name in ((0, "PostgreSQL, no parallel workers"), (None, "PostgreSQL")):
            report.beside(title, own, name, database.seconds(sql, workers, times), "<= 3")
    report.memory("group by category", brasa.memory(lambda: brasa.pipeline(*GROUP)), "150 MB")
    for title, stages in GREEDY.items():
        report.memory(f"{title}, limit 128 MiB", brasa.memory(lambda: tolerant(brasa, stages)), "160 MB")
    return report


def tolerant(brasa, stages):
    try:
        brasa.pipeline(*stages, memory_limit={"integerValue": str(128 << 20)})
    except Refusal as refusal:
        if "RESOURCE_EXHAUSTED" not in str(refusal):
            raise


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--times", type=int, default=5, help="runs of each measure")
    options = parser.parse_args()
    binary = os.environ.get("BRASA_BINARY", ".build/release/brasa")
    if postgres.programs() is None:
        sys.exit(postgres.MISSING)
    products, orders = SIZES[options.size]
    with tempfile.TemporaryDirectory() as directory:
        database = Database()
        brasa = Brasa(binary, pathlib.Path(directory))
        try:
            for name, count, make in (("products", products, lambda n: (f"p{n}", product(n))),
                                      ("orders", orders, lambda n: (f"o{n}", order(n, products)))):
                begun = time.perf_counter()
                brasa.fill(name, map(make, range(count)))
                database.fill(name, map(make, range(count)))
                print(f"{count:,} {name} in both after {time.perf_counter() - begun:.0f} s", flush=True)
            database.finish()
            report = measure(brasa, database, options.times)
            print(f"\n{products:,} products, {orders:,} orders, {binary}, {os.cpu_count()} cores\n")
            print("\n".join(report.lines))
        finally:
            brasa.stop()
            database.stop()


if __name__ == "__main__":
    main()
