"""Several nodes on one PostgreSQL: whichever a client reaches, it finds one database."""

import itertools
import re
import signal
import subprocess
import threading

import pytest
import requests

from google.api_core import exceptions
from google.cloud import firestore

from support import clients, cluster, listening, postgres, rpc, server as servers

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING),
]


@pytest.fixture
def each(together, project):
    """A client of each node."""
    return [clients.connect(node, project) for node in together.nodes]


def test_what_one_node_acknowledged_every_node_reads(each):
    times = []
    for number in range(40):
        writer, reader = each[number % 2], each[1 - number % 2]
        document = f"shops/{number % 3}"
        result = writer.document(document).set({"number": number})
        found = reader.document(document).get()
        assert found.to_dict() == {"number": number}
        assert found.update_time == result.update_time and found.read_time >= result.update_time
        query = reader.collection("shops").where(filter=firestore.FieldFilter("number", "==", number))
        assert [document.id for document in query.stream()] == [str(number % 3)]
        times.append(found.read_time)
        if number % 7 == 0:
            writer.document(document).delete()
            assert not reader.document(document).get().exists
    assert times == sorted(times)


def test_a_listener_hears_of_the_commits_of_all_nodes_in_order(each):
    seen, changed = [], threading.Condition()

    def note(documents, changes, read_time):
        with changed:
            seen.append(({document.id: document.get("n") for document in documents}, read_time))
            changed.notify_all()

    watches = [client.collection("events").on_snapshot(note) for client in each]
    try:
        for number in range(30):
            each[number % 2].document(f"events/{number % 4}").set({"n": number})
        last = {str(number % 4): number for number in range(26, 30)}
        with changed:
            assert changed.wait_for(lambda: sum(state == last for state, _ in seen) >= 2, 60), seen[-3:]
    finally:
        for watch in watches:
            watch.unsubscribe()


def test_a_token_of_one_node_is_taken_by_another(together, each, project):
    names = rpc.Names(project)
    each[0].document("events/a").set({"n": 1})
    each[0].document("events/b").set({"n": 1})
    first, second = (listening.ListenStream(rpc.Calls(node.host).channel, names.database) for node in together.nodes)
    first.add(1, first.query("events"))
    first.until_consistent(1)
    known = first.targets[1]
    first.cancel()
    each[1].document("events/b").set({"n": 2})
    resumed = second.add(1, second.query("events"), held=known.consistent, resume_token=known.token or first.token)
    second.until_consistent(1)
    assert (resumed.documents_sent, resumed.resets) == (1, 0)
    assert second.ids(1) == ["a", "b"]
    second.cancel()


def test_transactions_through_the_proxy_lose_nothing(together, project):
    def work(client, times):
        @firestore.transactional
        def add(transaction, document):
            count = document.get(transaction=transaction).get("count")
            transaction.update(document, {"count": count + 1})

        for _ in range(times):
            add(client.transaction(max_attempts=50), client.document("counters/all"))

    connected = [clients.connect(together, project) for _ in range(4)]
    connected[0].document("counters/all").set({"count": 0})
    threads = [threading.Thread(target=work, args=(client, 10)) for client in connected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert connected[1].document("counters/all").get().get("count") == 40


def test_a_database_that_one_node_clears_is_empty_on_all(together, each, project):
    each[0].document("shops/1").set({"open": True})
    assert each[1].document("shops/1").get().exists
    path = f"/emulator/v1/projects/{project}/databases/(default)/documents"
    assert requests.delete(f"{together.nodes[0].url}{path}", headers=dict(rpc.OWNER), timeout=30).ok
    assert not each[1].document("shops/1").get().exists
    each[1].document("shops/2").set({"open": True})
    assert [document.id for document in each[0].collection("shops").stream()] == ["2"]


def test_rules_that_one_node_puts_in_force_hold_on_all(together, project):
    def rules(condition):
        text = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{a=**} {"
        return f"{text} allow read, write: if {condition}; }} }} }}"

    path = f"/v1/projects/{project}/databases/(default)/documents/shops/1"
    for number in range(6):
        allows = number % 2 == 0
        deploying, asked = together.nodes[number % 2], together.nodes[1 - number % 2]
        body = {"rules": {"files": [{"name": "firestore.rules", "content": rules(str(allows).lower())}]}}
        url = f"{deploying.url}/emulator/v1/projects/{project}:securityRules"
        done = requests.put(url, json=body, headers=dict(rpc.OWNER), timeout=30)
        assert done.ok, done.text
        answer = requests.get(asked.url + path, timeout=30)
        assert answer.status_code == (404 if allows else 403), answer.text


def test_the_nodes_are_listed_and_one_leads(together):
    def lines():
        listed = servers.run("nodes", environment=together.environment).stdout.splitlines()
        return listed if sum("\tleads\t" in line for line in listed) == 1 and len(listed) == 2 else None

    listed = servers.wait_for(lines, "two nodes, one of which leads")
    assert all(any(str(node.data) in line for line in listed) for node in together.nodes)


def test_a_node_of_its_own_is_refused_beside_them_and_they_need_a_store(together, tmp_path):
    alone = dict(together.environment, BRASA_CLUSTER="false")
    done = servers.run("serve", "--dev", "--port", "0", "--data", tmp_path / "a", environment=alone, check=False)
    assert done.returncode != 0 and "Another node has the store" in done.stdout + done.stderr
    done = servers.run("serve", "--dev", "--cluster", "--data", tmp_path / "b", check=False)
    assert done.returncode != 0 and "--store postgres" in done.stdout + done.stderr


def create(client, author, acknowledged, is_over):
    """Creates documents one after the other, and notes those that were acknowledged."""
    for number in itertools.count():
        if is_over.is_set():
            return
        name = f"{author}-{number}"
        try:
            client.document(f"ledger/{name}").create({"number": number}, retry=None, timeout=30)
        except exceptions.GoogleAPICallError:
            continue
        acknowledged.append(name)


def test_a_node_that_is_killed_under_load_keeps_no_other_from_serving(tmp_path, project):
    made = cluster.Cluster(tmp_path).start()
    survivor, victim = made.nodes
    acknowledged = {node: [] for node in made.nodes}
    is_over = threading.Event()
    threads = [
        threading.Thread(
            target=create, args=(clients.connect(node, project), f"{number}-{author}", acknowledged[node], is_over)
        )
        for number, node in enumerate(made.nodes) for author in range(2)
    ]
    for thread in threads:
        thread.start()
    try:
        servers.wait_for(lambda: all(len(told) > 20 for told in acknowledged.values()), "commits on both nodes")
        victim.kill()
        count = len(acknowledged[survivor])
        servers.wait_for(lambda: len(acknowledged[survivor]) > count + 40, "commits on the node that is left")
        victim.start()
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    told = set(acknowledged[survivor]) | set(acknowledged[victim])
    for node in made.nodes:
        stored = {document.id for document in clients.connect(node, project).collection("ledger").stream()}
        assert told <= stored
    assert "no differences" in servers.run("verify", "--data", survivor.data, environment=made.environment).stdout
    assert made.stop() == 0
    made.close()


def test_a_rolling_restart_under_load_fails_nothing_and_no_listener_misses_a_change(tmp_path, project):
    made = cluster.Cluster(tmp_path).start()
    told, failures, is_over = {}, [], threading.Event()

    def work(author):
        client = clients.connect(made, project)
        for number in itertools.count():
            if is_over.is_set():
                return
            document = client.document(f"shops/{author}-{number % 20}")
            try:
                document.set({"number": number})
                found = document.get().get("number")
            except Exception as error:  # Whatever Google's client does not repeat by itself.
                failures.append(repr(error))
                return
            if found != number:
                failures.append(f"{author}: wrote {number}, read {found}")
            told[document.id] = number

    seen, changed = {}, threading.Condition()

    def note(documents, changes, read_time):
        with changed:
            seen.clear()
            seen.update({document.id: document.get("number") for document in documents})
            changed.notify_all()

    watch = clients.connect(made, project).collection("shops").on_snapshot(note)
    threads = [threading.Thread(target=work, args=(f"a{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    try:
        for node in made.nodes:
            before = sum(told.values())
            servers.wait_for(lambda: failures or sum(told.values()) > before + 100, "requests before a restart")
            assert made.restart(node) == 0
        before = sum(told.values())
        servers.wait_for(lambda: failures or sum(told.values()) > before + 100, "requests after the restarts")
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert not failures
    with changed:
        assert changed.wait_for(lambda: seen == told, 60), {name for name in told if seen.get(name) != told[name]}
    watch.unsubscribe()
    assert made.stop() == 0
    made.close()


def test_who_leads_and_hangs_is_replaced_and_comes_back_as_one_of_the_others(tmp_path, project):
    made = cluster.Cluster(tmp_path).start()
    hung = servers.wait_for(made.leader, "a leader")
    other = next(node for node in made.nodes if node is not hung)
    client = clients.connect(other, project)
    late = clients.connect(hung, project)
    late.document("shops/1").set({"number": 0})
    hung.process.send_signal(signal.SIGSTOP)
    try:
        for number in range(1, 20):
            client.document("shops/1").set({"number": number}, timeout=30)
        servers.wait_for(lambda: made.leader() is other, "another leader")
    finally:
        hung.process.send_signal(signal.SIGCONT)
    assert late.document("shops/1").get().get("number") == 19
    late.document("shops/2").set({"number": 1})
    assert client.document("shops/2").get().exists
    assert made.leader() is other
    assert made.stop() == 0
    made.close()


def load(made, project, *arguments):
    first, second = made.nodes
    program = servers.binary().with_name("brasa-load")
    nodes = ["--port", first.port, "--node", f"127.0.0.1:{second.port}", "--project", project]
    command = [str(part) for part in [program, *arguments, *nodes]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\nerrors: 0" in done.stdout and "LOST" not in done.stdout, done.stdout
    return done.stdout


def groups_of(node):
    text = requests.get(f"{node.url}/metrics", headers=dict(rpc.OWNER), timeout=30).text
    return sum(float(line.split()[-1]) for line in text.splitlines() if "kv_writes_total" in line and line[0] != "#")


def test_the_load_tool_loads_all_nodes_and_loses_nothing(together, project):
    before = [groups_of(node) for node in together.nodes]
    report = load(together, project, "create", "--seconds", 1, "--warm-up", 0, "--connections", 4, "--in-flight", 4)
    counts = re.search(r"durable: (\d+) documents acknowledged, the collection has (\d+) more", report)
    assert counts[1] == counts[2] and int(counts[1]) > 0
    assert all(groups_of(node) > count for node, count in zip(together.nodes, before))
    report = load(together, project, "listen", "--deliver", "--listeners", 20, "--connections", 2, "--seconds", 1)
    assert re.search(r"deliveries: [1-9]\d*, .* 0 coalesced or missing", report), report


def test_commands_on_what_nodes_do_not_serve_are_refused(together, tmp_path):
    """A file in one node's directory would be missing on all others."""
    node = together.nodes[0]
    photo = tmp_path / "photo.bin"
    photo.write_bytes(b"bytes")
    commands = [
        ["storage", "cp", photo, "gs://shop.appspot.com/photo.bin"], ["analytics", "events", "--project", "shop"], ["messages", "topics", "--project", "shop"],
        ["config", "results", "checkout", "--project", "shop"], ["export", tmp_path / "all", "--project", "shop", "--include", "all"],
        ["export", tmp_path / "files", "--project", "shop", "--include", "files"],
    ]
    for command in commands:
        done = servers.run(*command, "--data", node.data, environment=together.environment, check=False)
        assert done.returncode != 0 and "on the primary of the cluster" in done.stderr, done
    servers.run("export", tmp_path / "documents", "--project", "shop", "--include", "rules", "--data", node.data, environment=together.environment)
    assert "no differences; files, messages and events are verified on the primary" in servers.run("verify", "--data", node.data, environment=together.environment).stdout
