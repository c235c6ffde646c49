"""A store much larger than its cache, in scores of tables."""

import random

import pytest
import requests
from google.cloud.firestore_v1.base_query import FieldFilter

from support import clients, rules, server as servers
from support.tokens import unsigned

pytestmark = pytest.mark.brasa_only

SEED = random.randrange(1 << 32)
OWNERS = 40
# Scores of tables also when all of them are merged.
FILL = 4_000
# The readers of tables that the smallest cache keeps.
READERS = 16
RULES = rules.service(
    """
    match /items/{id} {
      allow create: if !exists(/databases/$(database)/documents/items/$(id + '-taken'));
      allow read: if resource.data.owner == request.auth.uid;
    }
    """
)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server with the smallest cache and many small tables, filled."""
    environment = {"BRASA_TABLE_KILOBYTES": "64"}
    data = tmp_path_factory.mktemp("small") / "data"
    running = servers.Brasa(data, "--cache", "8", environment=environment).start()
    client = clients.connect(running, "many")
    rules.RulesAPI(running.url, "many").deploy(RULES)
    for start in range(0, FILL, 100):
        batch = client.batch()
        for number in range(start, start + 100):
            batch.set(client.document(f"items/{name(number)}"), item(number))
        batch.commit()
    client.close()
    assert len(list((data / "store").glob("*.sst"))) > 2 * READERS
    yield running
    running.kill()


def name(number):
    # Neighbours in time are strangers in the order of names.
    return f"{number * 7919 % 100_003:06}"


def text(number):
    # Nothing that a table would be made smaller by.
    return random.Random(number).randbytes(1_500).hex()


def item(number):
    return {"owner": f"owner-{number % OWNERS}", "n": number, "text": text(number)}


def metric(server, metric_name):
    for line in requests.get(f"{server.url}/metrics", timeout=30).text.splitlines():
        if line.startswith(f"{metric_name} "):
            return float(line.split()[1])
    return 0


def test_creates_gets_and_rules_meet_no_damage_where_few_tables_are_open(small):
    print(f"seed {SEED}")
    choose = random.Random(SEED)
    client = clients.connect(small, "many")
    users = requests.Session()
    root = f"{small.url}/v1/projects/many/databases/(default)/documents"
    for number in range(FILL, FILL + 80):
        token = {"Authorization": f"Bearer {unsigned('many', f'owner-{number % OWNERS}')}"}
        fields = {
            "owner": {"stringValue": f"owner-{number % OWNERS}"},
            "n": {"integerValue": str(number)},
            "text": {"stringValue": text(number)},
        }
        made = users.post(
            f"{root}/items",
            params={"documentId": name(number)},
            json={"fields": fields},
            headers=token,
            timeout=30,
        )
        assert made.status_code == 200, made.text
        known = choose.randrange(number)
        found = client.document(f"items/{name(known)}").get()
        assert found.get("n") == known
        assert not client.document(f"items/{name(known)}-missing").get().exists
        client.document(f"others/{name(number)}").create({"n": number})
        read = users.get(f"{root}/items/{name(known)}", headers=token, timeout=30)
        assert read.status_code == (200 if known % OWNERS == number % OWNERS else 403), read.text
    client.close()
    assert metric(small, "brasa_damaged_reads_total") == 0
    assert requests.get(f"{small.url}/healthz", timeout=30).text == "ok\n"


def test_queries_miss_nothing_where_few_tables_are_open(small):
    print(f"seed {SEED}")
    choose = random.Random(SEED)
    client = clients.connect(small, "many")
    for _ in range(150):
        owner = choose.randrange(OWNERS)
        first = choose.randrange(FILL)
        query = (
            client.collection("items")
            .where(filter=FieldFilter("n", ">=", first))
            .order_by("n")
            .limit(5)
        )
        expected = list(range(first, min(first + 5, FILL)))
        assert [found.get("n") for found in query.stream()][: len(expected)] == expected
        owned = client.collection("items").where(filter=FieldFilter("owner", "==", f"owner-{owner}"))
        numbers = [found.get("n") for found in owned.limit(10).stream()]
        wanted = [number for number in sorted(range(FILL), key=name) if number % OWNERS == owner]
        seen = [number for number in numbers if number < FILL]
        assert seen == wanted[: len(seen)]
        assert len(numbers) == 10
    client.close()


def test_a_store_of_many_tables_verifies_clean(small):
    assert small.stop() == 0
    done = servers.run("verify", "--data", small.data, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
