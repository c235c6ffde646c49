"""Functions on a store in PostgreSQL, of one node after another and of two at once."""

import pytest
import requests

from support import clients, cluster, events, postgres, programs, server as servers
from support.identity import Identity, Refused

pytestmark = [
    pytest.mark.brasa_only, pytest.mark.slow,
    pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING),
]
SECRET = {"secretEnvironmentVariables": [{"key": "API_KEY"}]}
OWNER = {"Authorization": "Bearer owner"}


def hello(node, name="hello"):
    return requests.get(f"{node.url}/shop/us-central1/{name}", timeout=60)


def settings(tmp_path):
    """What every node has: functions, the packages' folder, and the key of secrets."""
    return {
        "BRASA_FUNCTIONS": "true", "BRASA_FUNCTIONS_ENVIRONMENTS": str(tmp_path / "environments"),
        "BRASA_FUNCTIONS_KEY_FILE": str(tmp_path / "functions.key"),
    }


def write(node, names):
    client = clients.connect(node, "shop")
    for name in names:
        client.document(f"c/{name}").set({"n": 1})
    return {f"c/{name}" for name in names}


@pytest.fixture
def receiver():
    made = events.Receiver()
    yield made
    made.close()


@pytest.fixture
def together(tmp_path):
    made = cluster.Cluster(
        tmp_path, candidates=2, environment=settings(tmp_path) | {"BRASA_PRIMARY_WITHOUT_FILES": "true"}
    ).start()
    yield made
    made.close()


def test_a_function_is_served_by_whichever_node_is_home(together, receiver, tmp_path):
    first, second = together.nodes
    servers.run("functions", "secrets", "set", "API_KEY", "--project", "shop", "--data", first.data, input="12345\n")
    ledger = {"ledger": programs.written("c/{d}")}
    programs.deploy(first, programs.source(tmp_path / "one", receiver, "one", hello={"httpsTrigger": {}} | SECRET, **ledger))
    # Each node passes calls on, and a change at each node is an event.
    assert [hello(node).text for node in together.nodes] == ["one 5", "one 5"]
    wanted = write(first, ["a1", "a2"]) | write(second, ["b1", "b2"])
    servers.wait_for(lambda: programs.documents(receiver) == wanted, "every event")
    # The other node deploys nothing, by neither of the two ways.
    refused = programs.deploy(second, tmp_path / "one", check=False)
    assert refused.returncode == 1 and "on the primary" in refused.stderr
    listed = requests.get(f"{second.url}/v2/projects/shop/locations/-/functions", headers=OWNER, timeout=60)
    assert {one["name"].split("/")[-1] for one in listed.json()["functions"]} == {"hello", "ledger"}
    blocking = {"decides": {"blockingTrigger": {"eventType": "providers/cloud.auth/eventTypes/user.beforeSignIn", "options": {}}}}
    refused = programs.deploy(first, programs.source(tmp_path / "two", receiver, "two", **blocking, **ledger), check=False)
    assert refused.returncode == 1 and "don't run in a cluster" in refused.stderr
    # The primary stops: the other one has what was deployed, its secrets too, and what was written meanwhile is delivered.
    assert first.stop() == 0
    wanted |= write(second, ["b3"])
    servers.wait_for(lambda: hello(second).text == "one 5", "the function at the other node")
    servers.wait_for(lambda: programs.documents(receiver) == wanted, "the event of meanwhile")
    # What it deploys is what the first one serves when it is the primary again.
    programs.deploy(second, programs.source(tmp_path / "three", receiver, "three", hello={"httpsTrigger": {}} | SECRET, **ledger))
    assert hello(second).text == "three 5"
    first.start()
    assert hello(first).text == "three 5"
    assert second.stop() == 0
    servers.wait_for(lambda: hello(first).text == "three 5", "the function at the first node")
    wanted |= write(first, ["a4"])
    servers.wait_for(lambda: programs.documents(receiver) == wanted, "the last event")
    ids = {}
    for one in programs.seen(receiver):
        ids.setdefault(one["document"], set()).add(one["id"])
    assert all(len(found) == 1 for found in ids.values())
    assert first.stop() == 0


def test_nothing_is_lost_where_the_home_node_is_killed(together, tmp_path):
    """The primary and its function die with events in their hands; the other node delivers them, with the same ids."""
    receiver = events.Receiver()
    nodes = list(together.nodes)
    ledger = {"ledger": programs.written("c/{d}")}
    programs.deploy(nodes[0], programs.source(tmp_path / "one", receiver, "one", **ledger))
    wanted = set()
    for cycle in range(6):
        primary, other = nodes
        before = len(receiver.requests)
        wanted |= write(other, [f"{cycle}-{number}" for number in range(20)])
        receiver.wait(before + 1)
        primary.kill()
        wanted |= write(other, [f"{cycle}-late-{number}" for number in range(20)])
        servers.wait_for(lambda: wanted <= programs.documents(receiver), f"the events of cycle {cycle}", 120)
        primary.start()
        nodes.reverse()
    ids = {}
    for one in programs.seen(receiver):
        ids.setdefault(one["document"], set()).add(one["id"])
    assert all(len(found) == 1 for found in ids.values())
    assert together.stop() == 0
    receiver.close()


def test_another_machine_has_the_functions_of_the_store(receiver, tmp_path):
    database = postgres.Postgres()
    environment = settings(tmp_path) | {"BRASA_STORE": database.address}
    try:
        first = servers.Brasa(tmp_path / "first", environment=environment).start()
        programs.deploy(first, programs.source(tmp_path / "one", receiver, "one"))
        programs.deploy(first, programs.source(tmp_path / "two", receiver, "two"))
        assert first.stop() == 0
        second = servers.Brasa(tmp_path / "second", environment=environment).start()
        assert hello(second).text == "two 0"
        # Its earlier releases as well.
        servers.run("functions", "rollback", "--project", "shop", "--data", second.data)
        assert hello(second).text == "one 0"
        # A machine without functions refuses the sign-ins that they decide about, and a cluster does not begin.
        decides = {"eventType": "providers/cloud.auth/eventTypes/user.beforeSignIn", "options": {}}
        programs.deploy(second, programs.source(tmp_path / "three", receiver, "three", decides={"blockingTrigger": decides}))
        assert second.stop() == 0
        third = servers.Brasa(tmp_path / "third", environment={"BRASA_STORE": database.address}).start()
        with pytest.raises(Refused) as refused:
            Identity(third, "shop").client("signUp", email="ana@example.com", password="correct horse")
        assert refused.value.code == "BLOCKING_FUNCTION_ERROR_RESPONSE"
        assert third.stop() == 0
        node = servers.Brasa(tmp_path / "node", environment=environment | {"BRASA_CLUSTER": "true", "BRASA_PRIMARY": "true"})
        with pytest.raises(RuntimeError, match="don't run in a cluster"):
            node.start()
        second.start()
        servers.run("functions", "delete", "default", "--project", "shop", "--data", second.data)
        assert second.stop() == 0
        first.start()
        assert hello(first).status_code == 404
        assert first.stop() == 0
    finally:
        database.close()
