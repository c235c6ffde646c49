"""What one node has in memory, transactions and browsers' sessions, is reached by way of every node."""

import base64
import http.server
import secrets
import signal
import threading

import pytest
import requests

from google.cloud import firestore

from support import cluster, postgres, rpc, rules, server as servers, spread, tokens, webchannel

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING),
]


@pytest.fixture
def pair(tmp_path):
    """A cluster for one test, which kills a node: the one that goes, the one that stays."""
    made = cluster.Cluster(tmp_path).start()
    yield made.nodes
    made.close()


@pytest.fixture
def calls(together):
    """The calls of each node."""
    made = [rpc.Calls(node.host) for node in together.nodes]
    yield made
    for each in made:
        each.close()


def put(name, **fields):
    return {"update": {"name": name, "fields": {key: {"integer_value": value} for key, value in fields.items()}}}


def query(names):
    return {"parent": names.root, "structured_query": {"from_": [{"collection_id": "shops"}]}}


def count(names):
    aggregation = {"structured_query": query(names)["structured_query"], "aggregations": [{"count": {}}]}
    return {"parent": names.root, "structured_aggregation_query": aggregation}


def refusal(call):
    with pytest.raises(rpc.Failure) as refused:
        call()
    return refused.value


# Transactions


def test_transactions_whose_calls_reach_different_nodes_lose_nothing(together, project):
    def work(client, times):
        @firestore.transactional
        def add(transaction, counter):
            number = counter.get(transaction=transaction).get("count")
            seen = list(client.collection("counters").stream(transaction=transaction))
            assert [document.get("count") for document in seen] == [number]
            transaction.update(counter, {"count": number + 1})

        for _ in range(times):
            add(client.transaction(max_attempts=50), client.document("counters/all"))

    connected = [spread.connect(together.nodes, project) for _ in range(3)]
    connected[0].document("counters/all").set({"count": 0})
    threads = [threading.Thread(target=work, args=(client, 6)) for client in connected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert connected[1].document("counters/all").get().get("count") == 18


def test_every_call_in_a_transaction_is_made_where_it_was_begun(calls, names):
    first, second = calls
    first.Commit(database=names.database, writes=[put(names(f"shops/{number}"), n=number) for number in range(3)])
    begun = first.BeginTransaction(database=names.database, options={"read_only": {}}).transaction
    # What the transaction's snapshot is, the node that has it says, and nobody else: by its first read.
    assert len(second.BatchGetDocuments(database=names.database, documents=[names("shops/0")], transaction=begun)) == 1
    second.Commit(database=names.database, writes=[put(names("shops/3"), n=3)])
    for node in (first, second):
        found = node.RunQuery(**query(names), transaction=begun)
        assert [each.document.name for each in found if each.document.name] == [names(f"shops/{n}") for n in range(3)]
        (counted,) = node.RunAggregationQuery(**count(names), transaction=begun)
        assert [rpc.plain(value) for value in counted.result.aggregate_fields.values()] == [3]
        listed = node.ListDocuments(parent=names.root, collection_id="shops", transaction=begun)
        assert len(listed.documents) == 3
        failure = refusal(lambda: node.GetDocument(name=names("shops/3"), transaction=begun))
        assert failure.code.name == "NOT_FOUND" and "shops/3" in failure.message
    second.Rollback(database=names.database, transaction=begun)
    over = [refusal(lambda: node.GetDocument(name=names("shops/0"), transaction=begun)) for node in calls]
    assert over[0].code.name == "ABORTED" and over[1].message == over[0].message


def test_a_commit_by_way_of_another_node_is_judged_and_refused_as_on_its_own(calls, names):
    def attempt(committing):
        first, _ = calls
        begun = first.BeginTransaction(database=names.database).transaction
        missing = {**put(names("shops/none"), n=1), "current_document": {"exists": True}}
        return refusal(lambda: committing.Commit(database=names.database, transaction=begun, writes=[missing]))

    own, other = attempt(calls[0]), attempt(calls[1])
    assert (own.code, own.message) == (other.code, other.message) and own.code.name == "NOT_FOUND"
    assert own.trailers.get("grpc-status-details-bin") == other.trailers.get("grpc-status-details-bin")


def test_a_long_answer_in_a_transaction_comes_whole(calls, names):
    first, second = calls
    fields = {"text": {"string_value": "x" * 60_000}}
    for start in range(0, 60, 20):
        writes = [
            {"update": {"name": names(f"shops/{number:02}"), "fields": fields}} for number in range(start, start + 20)
        ]
        first.Commit(database=names.database, writes=writes)
    begun = first.BeginTransaction(database=names.database).transaction
    found = second.RunQuery(**query(names), transaction=begun)
    assert [each.document.name for each in found if each.document.name] == [names(f"shops/{n:02}") for n in range(60)]
    second.Commit(database=names.database, transaction=begun, writes=[put(names("shops/99"), n=1)])
    assert first.GetDocument(name=names("shops/99")).name == names("shops/99")


def test_transactions_over_rest_are_passed_on_too(together, calls, names):
    first, second = calls
    begun = first.BeginTransaction(database=names.database).transaction
    text = base64.b64encode(begun).decode()
    url = f"{together.nodes[1].url}/v1/{names.root}"
    asked = requests.get(f"{url}/shops/1", params={"transaction": text}, headers=dict(rpc.OWNER), timeout=30)
    assert asked.status_code == 404, asked.text
    write = {"update": {"name": names("shops/1"), "fields": {"n": {"integerValue": "7"}}}}
    body = {"transaction": text, "writes": [write]}
    done = requests.post(f"{url}:commit", json=body, headers=dict(rpc.OWNER), timeout=30)
    assert done.ok, done.text
    assert rpc.fields_of(first.GetDocument(name=names("shops/1"))) == {"n": 7}


def test_who_calls_is_asked_where_the_transaction_is(together, calls, names, project):
    first, second = calls
    own = "match /shops/{shop} { allow read, write: if request.auth.uid == shop; }"
    assert rules.put(together.nodes[0], project, rules.service(own)).ok

    def bearer(uid):
        return (("authorization", f"Bearer {tokens.unsigned(project, uid)}"),)

    begun = first.BeginTransaction(database=names.database, metadata=bearer("ana")).transaction
    for node in (first, second):
        for stranger in (bearer("bia"), ()):
            read = refusal(lambda: node.GetDocument(name=names("shops/ana"), transaction=begun, metadata=stranger))
            assert read.code.name == "PERMISSION_DENIED"
    writes = [put(names("shops/ana"), n=1)]
    second.Commit(database=names.database, transaction=begun, writes=writes, metadata=bearer("ana"))
    assert rpc.fields_of(first.GetDocument(name=names("shops/ana"))) == {"n": 1}


def test_a_transaction_of_a_node_that_is_gone_is_aborted_and_the_client_begins_again(pair, names, project):
    victim, survivor = pair
    gone, there = (rpc.Calls(node.host) for node in pair)
    left = gone.BeginTransaction(database=names.database).transaction
    client = spread.connect([survivor, survivor], project)
    client.document("shops/1").set({"n": 1})
    attempts = []

    @firestore.transactional
    def add(transaction, shop):
        attempts.append(transaction._id)
        number = shop.get(transaction=transaction).get("n")
        if len(attempts) == 1:
            victim.kill()
        transaction.update(shop, {"n": number + 1})

    # Its first attempt begins on the node that is about to go, and is committed by way of the other one.
    client.channel.channels[0] = client.channel.channels[1]
    begin = client.transaction()
    begin._begin_first = begin._begin

    def begin_there(retry_id=None):
        if attempts:
            return begin._begin_first(retry_id)
        begin._id = left
        return None

    begin._begin = begin_there
    add(begin, client.document("shops/1"))
    assert len(attempts) == 2 and attempts[0] == left != attempts[1]
    assert client.document("shops/1").get().get("n") == 2
    for call in (
        lambda: there.Commit(database=names.database, transaction=left, writes=[put(names("shops/2"), n=1)]),
        lambda: there.GetDocument(name=names("shops/1"), transaction=left),
        lambda: there.RunQuery(**query(names), transaction=left),
        lambda: there.Rollback(database=names.database, transaction=left),
    ):
        assert refusal(call).code.name == "ABORTED"


def test_ids_that_no_node_has_given_out_are_refused(calls, names):
    for node in calls:
        made_up = refusal(lambda: node.Commit(database=names.database, transaction=secrets.token_bytes(24)))
        assert made_up.code.name == "ABORTED"
        for nonsense in (b"nonsense", secrets.token_bytes(16), secrets.token_bytes(4_000)):
            refused = refusal(lambda: node.Commit(database=names.database, transaction=nonsense))
            assert refused.code.name == "INVALID_ARGUMENT" and refused.message == "Invalid transaction."


@pytest.mark.slow
def test_a_node_that_hangs_is_one_that_is_gone_and_makes_nothing_of_it_later(pair, names):
    hung, other = pair
    first, second = (rpc.Calls(node.host) for node in pair)
    begun = first.BeginTransaction(database=names.database).transaction
    hung.process.send_signal(signal.SIGSTOP)
    try:
        writes = [put(names("shops/1"), n=1)]
        refused = refusal(lambda: second.Commit(database=names.database, transaction=begun, writes=writes))
        assert refused.code.name == "ABORTED"
    finally:
        hung.process.send_signal(signal.SIGCONT)
    first.Rollback(database=names.database, transaction=begun)
    assert refusal(lambda: second.GetDocument(name=names("shops/1"))).code.name == "NOT_FOUND"


# Sessions of browsers


def through(session, node):
    """The same session by way of another node."""
    twin = session.twin()
    twin.url = session.url.replace(session.url.split("/")[2], node.host)
    return twin


def until_over(back):
    """Reads what still comes until the answer is cut off, as it is where its session is another node's."""
    with pytest.raises(requests.RequestException):
        while back.message() is not None:
            pass


def test_a_session_is_reached_by_way_of_every_node(together, names):
    first, second = together.nodes
    session = webchannel.Session(first, names.database, method="Write")
    assert session.open().status_code == 200
    other = through(session, second)
    back = other.get()
    (opened,) = back.message()[1]
    writes = [{"update": {"name": names("shops/1"), "fields": {"n": {"integerValue": "5"}}}}]
    receipt = other.post([{"streamToken": opened["streamToken"], "writes": writes}], headers={"Origin": "http://localhost"})
    assert isinstance(receipt, list), receipt
    (answered,) = back.message()[1]
    assert len(answered["writeResults"]) == 1
    # Of the two answers for a page this node's own headers count, once.
    asked = other.request("POST", other.form([], 2), {"Origin": "http://localhost"}, RID=4800, AID=0)
    assert asked.status_code == 200 and asked.headers["Access-Control-Allow-Origin"] == "http://localhost"
    assert asked.headers["X-Content-Type-Options"] == "nosniff"
    assert other.terminate().status_code == 200
    assert back.message() is None
    gone = session.get()
    assert gone.status_code == 400 and "Unknown SID" in gone.text


def test_a_session_is_its_clients_alone_by_way_of_other_nodes_too(together, names):
    first, second = together.nodes
    session = webchannel.Session(first, names.database, method="Write")
    assert session.open().status_code == 200
    other = through(session, second)
    stranger = other.post([{}], headers={"Authorization": "Bearer somebody else's"})
    assert stranger.status_code == 400 and "Unknown SID" in stranger.text
    other.affinity = "0" * 32
    assert other.get().status_code == 400
    session.terminate()


def test_a_session_of_a_node_that_is_gone_is_unknown(pair, names):
    victim, survivor = pair
    session = webchannel.Session(victim, names.database, method="Write")
    assert session.open().status_code == 200
    other = through(session, survivor)
    back = other.get()
    assert back.message() is not None
    victim.kill()
    until_over(back)
    for answer in (other.get(), other.post([{}])):
        assert answer.status_code == 400 and "Unknown SID" in answer.text


def passed_on(session, node):
    """A back channel of a session through another node, as soon as that one knows whose the session is."""

    def channel():
        answer = through(session, node).get()
        return answer if hasattr(answer, "message") else None

    return servers.wait_for(channel, "a back channel through the other node")


def test_a_stop_of_a_node_ends_the_streams_that_it_passes_on_and_they_go_on_elsewhere(pair, names):
    stopped, home = pair
    session = webchannel.Session(home, names.database, method="Write")
    assert session.open().status_code == 200
    back = passed_on(session, stopped)
    number, (opened,) = back.message()
    assert stopped.stop() == 0
    until_over(back)
    receipt = session.post([{"streamToken": opened["streamToken"], "writes": []}], aid=number)
    assert isinstance(receipt, list), receipt
    assert session.get(aid=number).message()[0] > number
    session.terminate()


# Who is no node


@pytest.mark.parametrize(
    "field",
    ["", "x", "4:7f000001;local", f"4:7f000001;local {'0' * 64}", f"4:7f000001 {'g' * 64}", "4:7f000001  ", "é 00"],
)
def test_who_says_that_a_node_passed_it_on_is_refused_without_its_secret(together, names, field):
    headers = {**dict(rpc.OWNER), "brasa-forwarded": field.encode()}
    for node in together.nodes:
        for path in (f"/v1/{names.root}/shops/1", "/brasa/nodes/greeting?1", "/healthz"):
            assert requests.get(node.url + path, headers=headers, timeout=30).status_code == 403
        called = requests.post(f"{node.url}/brasa/nodes/calls/Commit", headers=headers, data=b"", timeout=30)
        assert called.status_code == 403


@pytest.fixture
def impostor():
    """A program at a node's address, and what it is asked: paths and headers."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, dict(self.headers)))
            self.send_response(200)
            self.send_header("content-length", "64")
            self.end_headers()
            self.wfile.write(b"0" * 64)

        do_POST = do_GET

        def log_message(self, *arguments):
            pass

    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    made.asked = asked
    yield made
    made.shutdown()
    made.server_close()


def test_another_program_at_a_node_s_address_gets_no_credentials_and_nothing_that_it_could_use(together, impostor, names, tmp_path):
    home = servers.Brasa(
        tmp_path / "home", "--node-address", f"http://127.0.0.1:{impostor.server_port}", development=True, environment=together.environment
    )
    home.start()
    try:
        session = webchannel.Session(home, names.database, method="Write")
        assert session.open().status_code == 200
        refused = through(session, together.nodes[0]).post([{"writes": []}], aid=0)
        assert refused.status_code == 400 and "Unknown SID" in refused.text
        [(path, headers)] = impostor.asked
        assert path.startswith("/brasa/nodes/greeting?") and "authorization" not in {name.lower() for name in headers}
        field = {"brasa-forwarded": headers["brasa-forwarded"]}
        assert requests.get(home.url + path, headers=field, timeout=30).status_code == 200
        for other in (path + "0", "/brasa/nodes/greeting", "/healthz", f"/v1/{names.root}/shops/1"):
            assert requests.get(home.url + other, headers=field, timeout=30).status_code == 403
        assert requests.post(home.url + path, headers=field, timeout=30).status_code == 403
        assert requests.get(together.nodes[0].url + path, headers=field, timeout=30).status_code == 403
    finally:
        assert home.stop() == 0


def test_what_nodes_ask_each_other_nobody_else_gets(together):
    for node in together.nodes:
        for path in ("/brasa/nodes/greeting?1", "/brasa/nodes/calls/Commit"):
            for ask in (requests.get, requests.post):
                assert ask(node.url + path, headers=dict(rpc.OWNER), timeout=30).status_code == 404


def test_the_nodes_are_listed_with_their_addresses(together):
    def lines():
        listed = servers.run("nodes", environment=together.environment).stdout.splitlines()
        return listed if all(any(line.endswith(node.url) for line in listed) for node in together.nodes) else None

    assert len(servers.wait_for(lines, "both addresses")) == 2
