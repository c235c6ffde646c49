"""Random rules and requests, answered by Google's emulator and by us: the verdicts must agree.

Runs only where the emulator is installed. Differences that are meant are listed in
docs/security.md; here they are told apart by the rules that cause them.
"""

import os
import pathlib
import random
import shutil

import pytest
import requests

from support import random_rules, rules, server as servers
from support.tokens import unsigned

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.slow,
    pytest.mark.skipif(
        not pathlib.Path(servers.EMULATOR_JAR).exists() or shutil.which("java") is None,
        reason="Google's emulator is not installed",
    ),
]

PROJECT = "oracle"
DOCUMENTS = f"projects/{PROJECT}/databases/(default)/documents"
SEED = int(os.environ.get("BRASA_TEST_SEED", random.randrange(1_000_000)))


def encoded(value):
    """A value of the REST API."""
    if value is None:
        return {"nullValue": None}
    if isinstance(value, bool):
        return {"booleanValue": value}
    if isinstance(value, int):
        return {"integerValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [encoded(one) for one in value]}}
    return {"mapValue": {"fields": fields(value)}}


def fields(data):
    return {name: encoded(value) for name, value in data.items()}


class Side:
    """One of the two servers."""

    def __init__(self, server):
        self.server = server
        self.session = requests.Session()
        self.session.trust_env = False
        for name, data in random_rules.USERS.items():
            self.send("owner", "PATCH", f"users/{name}", {"fields": fields(data)})
        for name in random_rules.STORED:
            self.restore(name)

    def send(self, token, verb, path, body=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        separator = "" if path.startswith(":") else "/"
        answer = self.session.request(
            verb, f"{self.server.url}/v1/{DOCUMENTS}{separator}{path}",
            json=body, headers=headers, timeout=30,
        )
        assert answer.status_code in (200, 400, 403, 404), f"{verb} {path}: {answer.text}"
        return answer.status_code

    def restore(self, name):
        data = random_rules.STORED.get(name)
        if data is None:
            self.send("owner", "DELETE", f"q/{name}")
        else:
            self.send("owner", "PATCH", f"q/{name}", {"fields": fields(data)})

    def deploy(self, source):
        return rules.put(self.server, PROJECT, source).status_code


@pytest.fixture(scope="module")
def google():
    running = servers.Emulator().start()
    yield Side(running)
    running.kill()


def brasa(directory, *arguments):
    return servers.Brasa(directory / "data", *arguments).start()


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    running = brasa(tmp_path_factory.mktemp("oracle"), "--rules-compatibility", "emulator")
    yield Side(running)
    running.kill()


@pytest.fixture(scope="module")
def safe(tmp_path_factory):
    running = brasa(tmp_path_factory.mktemp("safe"))
    yield Side(running)
    running.kill()


def requests_of(made):
    """Requests by name: what to send, and the document to put right afterwards."""
    for name in ("d0", "d1", "d2", "none"):
        yield f"get {name}", ("GET", f"q/{name}", None), None
    for _ in range(4):
        query = {"from": [{"collectionId": "q"}]}
        where = made.filter()
        if where:
            query["where"] = where
        yield f"list {where}", ("POST", ":runQuery", {"structuredQuery": query}), None
    body = {"fields": made.fields()}
    yield f"create {body}", ("PATCH", "q/new", body), "new"
    yield f"update {body}", ("PATCH", "q/d0", body), "d0"
    yield "delete", ("DELETE", "q/d1", None), "d1"


def compare(left, right, rounds, agrees):
    """Sends the same to both and gives what `agrees` does not take for the same."""
    made = random_rules.RandomRules(random.Random(SEED))
    differences = []
    counts = {}
    for number in range(rounds):
        source = made.ruleset()
        deployed = left.deploy(source), right.deploy(source)
        if deployed[0] != deployed[1]:
            differences.append(f"round {number}: deploy {deployed}\n{source}")
        if deployed != (200, 200):
            continue
        for uid in ("alice", "bob", None):
            token = unsigned(PROJECT, uid) if uid else None
            for name, request, touched in requests_of(made):
                verdicts = left.send(token, *request), right.send(token, *request)
                counts[verdicts] = counts.get(verdicts, 0) + 1
                if not agrees(*verdicts, name):
                    differences.append(f"round {number}: {uid}: {name}: {verdicts}\n{source}")
                if touched:
                    for side, verdict in zip((left, right), verdicts):
                        if verdict == 200:
                            side.restore(touched)
    print(f"seed {SEED}: {counts}")
    assert counts.get((200, 200), 0) > rounds and counts.get((403, 403), 0) > rounds, counts
    return differences


def test_random_rules_give_the_emulators_verdicts(google, ours):
    differences = compare(google, ours, 40, lambda left, right, name: left == right)
    assert not differences, f"seed {SEED}, {len(differences)}:\n" + "\n".join(differences[:5])


def test_safe_proofs_only_deny_more(google, safe):
    """Our default proves queries without the emulator's hole: it never allows what that denies."""

    def agrees(theirs, mine, name):
        return theirs == mine or (name.startswith("list") and (theirs, mine) == (200, 403))

    differences = compare(google, safe, 20, agrees)
    assert not differences, f"seed {SEED}, {len(differences)}:\n" + "\n".join(differences[:5])
