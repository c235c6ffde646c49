"""What accounts cost: look-ups among many, and password sign-ins beside those who read documents.

    .venv/bin/python Benchmarks/accounts.py look-ups --port 8080 --users 1000000
    .venv/bin/python Benchmarks/accounts.py sign-ins --port 8080 --rate 10 --seconds 10 --rounds 5

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
import statistics
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
        if "accounts:signIn" not in path:
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measure", choices=["look-ups", "sign-ins"])
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--look-ups", type=int, default=5_000)
    parser.add_argument("--rate", type=int, default=10)
    parser.add_argument("--gets", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    {"look-ups": look_ups, "sign-ins": sign_ins}[options.measure](options)


if __name__ == "__main__":
    main()
