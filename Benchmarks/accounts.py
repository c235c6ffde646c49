"""What accounts cost: look-ups among many, password sign-ins beside those who read documents, and account
changes beside those who create documents.

    .venv/bin/python Benchmarks/accounts.py look-ups --port 8080 --users 1000000
    .venv/bin/python Benchmarks/accounts.py sign-ins --port 8080 --rate 10 --seconds 10 --rounds 5
    .venv/bin/python Benchmarks/accounts.py groups --port 8080 --load .build/release/brasa-load --calls sign-ups

Of a server in development mode. What is due counts from when it was due, whether or not the server keeps
up; the client is Python and shares the machine, so latencies are upper bounds. Gets are sent by a process
of their own, or Python's one lock would make them wait for the threads that sign in; rounds without and
with sign-ins take turns, so that what else the machine does meets both alike. Standard library only.
"""

import argparse
import collections
import http.client
import json
import multiprocessing
import random
import re
import statistics
import subprocess
import threading
import time

PROJECT = "load-accounts"
PASSWORD = "the password of everybody"


class Client:
    """One connection that stays open."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def call(self, verb, path, body=None):
        headers = {"Content-Type": "application/json"}
        if not any(part in path for part in ("accounts:signIn", "accounts:signUp", "/v1/token")):
            headers["Authorization"] = "Bearer owner"
        self.connection.request(verb, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")

    def admin(self, name, **body):
        status, answer = self.call("POST", f"/v1/projects/{PROJECT}/accounts:{name}", body)
        assert status == 200, answer
        return answer


def quantile(times, share):
    """In milliseconds."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def quantiles(times):
    if not times:
        return "none"
    return (
        f"p50 {quantile(times, 0.5):.2f} ms, p99 {quantile(times, 0.99):.2f} ms, "
        f"longest {max(times) * 1000:.2f} ms"
    )


def paced(port, rate, seconds, threads, work):
    """Runs `work(client, number)` at a rate; gives the latencies of what it says went well, by answer."""
    begin = time.perf_counter() + 0.2
    outcomes, lock = collections.defaultdict(list), threading.Lock()

    def run(first):
        client = Client(port)
        for number in range(first, int(rate * seconds), threads):
            due = begin + number / rate
            time.sleep(max(0.0, due - time.perf_counter()))
            name = work(client, number)
            with lock:
                outcomes[name].append(time.perf_counter() - due)

    running = [threading.Thread(target=run, args=(first,)) for first in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return outcomes


def look_ups(options):
    client = Client(options.port)
    begin = time.perf_counter()
    for first in range(0, options.users, 1000):
        users = [
            {"localId": f"user-{n}", "email": f"person{n}@load.example", "displayName": f"Person {n}"}
            for n in range(first, min(first + 1000, options.users))
        ]
        errors = client.admin("batchCreate", users=users).get("error")
        assert not errors, errors
    seconds = time.perf_counter() - begin
    print(f"import: {options.users} accounts in {seconds:.1f} s, {options.users / seconds:.0f}/s")
    client.call("PATCH", DOCUMENT, {"fields": {"name": {"stringValue": "Lamp"}}})
    chosen = random.Random(1)

    def measure(title, call):
        times = []
        for _ in range(options.look_ups):
            begin = time.perf_counter()
            call(chosen.randrange(options.users))
            times.append(time.perf_counter() - begin)
        print(f"{title}: {quantiles(times)}")

    def by(field, text):
        def call(number):
            assert client.admin("lookup", **{field: [text.format(number)]})["users"]
        return call

    measure("look-up by uid", by("localId", "user-{}"))
    measure("look-up by e-mail", by("email", "person{}@load.example"))
    measure("get of a document over REST", lambda _: client.call("GET", DOCUMENT))


DOCUMENT = f"/v1/projects/{PROJECT}/databases/(default)/documents/products/one"


def get(client, _):
    return client.call("GET", DOCUMENT)[0]


def sign_in(client, number):
    body = {"email": f"p{number % 10}@load.example", "password": PASSWORD}
    status, answer = client.call("POST", f"/v1/accounts:signInWithPassword?key={PROJECT}", body)
    return "done" if status == 200 else answer["error"]["message"].split(" ")[0]


def sign_ins(options):
    client = Client(options.port)
    client.admin("batchCreate", users=[
        {"localId": f"p{n}", "email": f"p{n}@load.example", "rawPassword": PASSWORD} for n in range(10)
    ])
    client.call("PATCH", DOCUMENT, {"fields": {"name": {"stringValue": "Lamp"}}})

    def gets():
        work = (options.port, options.gets, options.seconds, 4, get)
        return getters.apply(paced, work)[200]

    def signing_in():
        threads = min(200, options.rate * 4)
        return paced(options.port, options.rate, options.seconds, threads, sign_in)

    signed, ratios = collections.defaultdict(list), []
    with multiprocessing.get_context("spawn").Pool(1) as getters:
        for _ in range(options.rounds):
            alone = gets()
            outcome = {}
            beside = threading.Thread(target=lambda: outcome.update(signing_in()))
            beside.start()
            with_sign_ins = gets()
            beside.join()
            for name, times in outcome.items():
                signed[name] += times
            ratios.append(quantile(with_sign_ins, 0.99) / quantile(alone, 0.99))
            print(f"gets alone: {quantiles(alone)}")
            print(f"gets beside {options.rate} sign-ins a second: {quantiles(with_sign_ins)}")
    print("p99 beside to p99 alone: " + ", ".join(f"{ratio:.2f}" for ratio in sorted(ratios)))
    print(f"the median of these: {statistics.median(ratios):.2f}")
    for name, times in sorted(signed.items()):
        rate = len(times) / options.seconds / options.rounds
        print(f"sign-ins, {name}: {rate:.1f}/s, {quantiles(times)}")


def metric(port, name):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET", "/metrics")
    page = connection.getresponse().read().decode()
    return float(re.search(rf"^{name} (\S+)$", page, re.MULTILINE).group(1))


def keep_calling(port, calls, seconds):
    """One client that refreshes its token, or signs up anonymously, for so long; gives the latencies.

    Every sign-up is a write; a refresh is one where the last is five minutes ago.
    """
    client = Client(port)
    sign_up = f"/v1/accounts:signUp?key={PROJECT}", {"returnSecureToken": True}
    status, session = client.call("POST", *sign_up)
    assert status == 200, session
    body = {"grant_type": "refresh_token", "refresh_token": session["refreshToken"]}
    call = sign_up if calls == "sign-ups" else (f"/v1/token?key={PROJECT}", body)
    times, end = [], time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        status, answer = client.call("POST", *call)
        assert status == 200, answer
        times.append(time.perf_counter() - begin)
    return times


def keep_calling_many(port, calls, seconds, clients):
    times, running = [], []
    for _ in range(clients):
        run = threading.Thread(target=lambda: times.extend(keep_calling(port, calls, seconds)))
        running.append(run)
        run.start()
    for run in running:
        run.join()
    return times


def groups(options):
    """Clients that create documents beside clients of accounts: how many syncs that takes, and how long."""
    port, seconds = options.port, options.seconds
    creates = [options.load, "create", "--port", str(port), "--project", PROJECT, "--connections", "16",
               "--in-flight", str(options.clients // 16), "--seconds", str(seconds), "--warm-up", "0"]
    syncs = "brasa_kv_group_durable_seconds_count"
    with multiprocessing.get_context("spawn").Pool(2) as callers:
        for _ in range(options.rounds):
            before, begin = metric(port, syncs), time.perf_counter()
            work = (port, options.calls, seconds, options.clients // 2)
            calling = [callers.apply_async(keep_calling_many, work) for _ in range(2)]
            report = subprocess.run(creates, capture_output=True, text=True, check=True).stdout
            times = [t for part in calling for t in part.get()]
            elapsed = time.perf_counter() - begin
            lines = [line for line in report.splitlines() if line.startswith(("throughput", "latency", "errors"))]
            print(f"syncs: {(metric(port, syncs) - before) / elapsed:.0f}/s")
            print("creates: " + "; ".join(lines))
            print(f"{options.calls}: {len(times) / elapsed:.0f}/s, {quantiles(times)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measure", choices=["look-ups", "sign-ins", "groups"])
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--look-ups", type=int, default=5_000)
    parser.add_argument("--rate", type=int, default=10)
    parser.add_argument("--gets", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--calls", choices=["sign-ups", "refreshes"], default="sign-ups")
    parser.add_argument("--load", default=".build/release/brasa-load")
    options = parser.parse_args()
    {"look-ups": look_ups, "sign-ins": sign_ins, "groups": groups}[options.measure](options)


if __name__ == "__main__":
    main()
