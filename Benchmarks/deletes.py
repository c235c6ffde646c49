"""What a mass delete costs, and the queries behind it.

    .venv/bin/python Benchmarks/deletes.py --programs .build/release --documents 1000000

Fills a collection on a new server in development mode, deletes the first 80 % of it by name with commits of 500, and
then asks for one document again and again: every such query has to pass over what was deleted. Then
`brasa databases delete-collection` deletes the rest of it and a second collection of the same size. Prints rates, the
times of the queries and the server's memory.
"""

import argparse
import http.client
import json
import pathlib
import subprocess
import tempfile
import time

import peers

ROOT = "projects/load/databases/(default)/documents"
KEPT = 5
BATCH = 500


class Server(peers.Brasa):
    def post(self, verb, body):
        headers = {"Content-Type": "application/json", "Authorization": "Bearer owner"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("POST", f"/v1/{ROOT}:{verb}", json.dumps(body), headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if response.status != 200:
            raise RuntimeError(content.decode())
        return json.loads(content)

    def names(self, collection, limit, after=None):
        """Names of documents in their order, without fields."""
        query = {
            "from": [{"collectionId": collection}], "limit": limit,
            "select": {"fields": [{"fieldPath": "__name__"}]}, "orderBy": [{"field": {"fieldPath": "__name__"}}],
        }
        if after:
            query["startAt"] = {"values": [{"referenceValue": after}], "before": False}
        return [part["document"]["name"] for part in self.post("runQuery", {"structuredQuery": query}) if "document" in part]

    def delete_collection(self, collection):
        """Deletes by the command; gives the seconds."""
        begun = time.perf_counter()
        subprocess.run(
            [str(self.programs / "brasa"), "databases", "delete-collection", collection, "--force", "--project", "load",
             "--data", str(self.directory / "brasa-data")],
            check=True, capture_output=True)
        return time.perf_counter() - begun


def first_of(server, collection):
    begun = time.perf_counter()
    found = server.names(collection, 1)
    return time.perf_counter() - begun, found


def measure(server, documents):
    for collection in ("products", "others"):
        server.brasa_load("fill", "--documents", documents, "--collection", collection, "--connections", 4, "--in-flight", 4)
    print(f"{2 * documents:,} documents: {server.resident_megabytes():,.0f} MB resident")
    alone, _ = first_of(server, "products")
    deleted, last, begun = 0, None, time.perf_counter()
    while deleted < documents * (KEPT - 1) // KEPT:
        names = server.names("products", BATCH, last)
        server.post("commit", {"writes": [{"delete": name} for name in names]})
        deleted, last = deleted + len(names), names[-1]
    took = time.perf_counter() - begun
    print(f"{deleted:,} deleted by commits of {BATCH}, one client: {deleted / took:,.0f}/s")
    times, begun = [], time.perf_counter()
    while time.perf_counter() - begun < 10:
        taken, found = first_of(server, "products")
        if len(found) != 1:
            raise RuntimeError("a document is missing")
        times.append(taken)
    print(
        f"the first document, limit 1: {alone * 1000:.2f} ms before, then {times[0] * 1000:.1f} ms, longest"
        f" {max(times) * 1000:.1f} ms, last of 10 s {times[-1] * 1000:.2f} ms")
    for collection, count in (("products", documents - deleted), ("others", documents)):
        took = server.delete_collection(collection)
        print(f"delete-collection, {count:,} documents: {count / took:,.0f}/s, {server.resident_megabytes():,.0f} MB resident")
        taken, found = first_of(server, collection)
        if found:
            raise RuntimeError("a document is left")
        print(f"the first of none: {taken * 1000:.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=".build/release", help="the folder of brasa and brasa-load")
    parser.add_argument("--documents", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        server = Server(pathlib.Path(options.programs).resolve(), pathlib.Path(directory))
        server.start()
        try:
            measure(server, options.documents)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
