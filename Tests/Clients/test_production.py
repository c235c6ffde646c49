"""Production mode: TLS, the administrator key, and nothing without it."""

import json
import os
import subprocess
import sys
import textwrap

import grpc
import pytest
import requests

from support import server as servers
from support.rpc import Calls, Failure, Names

pytestmark = pytest.mark.brasa_only

PROJECT = servers.PROJECT


@pytest.fixture(scope="module")
def key(production):
    """The administrator key, as the first start printed it."""
    return production.administrator_key


def https(production, authority, path, token=None, verb="GET", **more):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return requests.request(
        verb, f"https://localhost:{production.port}{path}", headers=headers,
        verify=str(authority), timeout=30, **more
    )


def document_path(path):
    return f"/v1/projects/{PROJECT}/databases/(default)/documents/{path}"


CLIENT = textwrap.dedent(
    """
    import json, sys
    from google.cloud import firestore
    from google.oauth2.credentials import Credentials

    client = firestore.Client(
        project=sys.argv[2],
        credentials=Credentials(token=sys.argv[3]),
        client_options={"api_endpoint": f"localhost:{sys.argv[1]}"},
    )
    products = client.collection("products")
    for number in range(5):
        products.document(f"p{number}").set({"userId": "ana", "name": f"N{number}", "price": 1.5})
    batch = client.batch()
    batch.update(products.document("p1"), {"price": firestore.Increment(2)})
    batch.delete(products.document("p0"))
    batch.commit()

    @firestore.transactional
    def rename(transaction):
        snapshot = products.document("p2").get(transaction=transaction)
        transaction.update(products.document("p2"), {"name": snapshot.get("name") + "!"})

    rename(client.transaction())
    own = products.where(filter=firestore.FieldFilter("userId", "==", "ana"))
    print(json.dumps({
        "listed": {s.id: [s.get("name"), s.get("price")] for s in own.stream()},
        "count": own.count().get()[0][0].value,
    }))
    """
)


def run_client(production, authority, token):
    """Google's client in a process of its own: gRPC reads its root certificates once."""
    environment = servers.clean_environment(
        {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(authority)}
    )
    return subprocess.run(
        [sys.executable, "-c", CLIENT, str(production.port), PROJECT, token],
        capture_output=True, text=True, env=environment, timeout=120,
    )


def test_googles_client_works_over_tls_with_the_key(production, authority, key):
    done = run_client(production, authority, key)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "listed": {"p1": ["N1", 3.5], "p2": ["N2!", 1.5], "p3": ["N3", 1.5], "p4": ["N4", 1.5]},
        "count": 4,
    }


@pytest.mark.parametrize("token", ["wrong", "owner", "ya29.token"])
def test_other_tokens_are_refused(production, authority, key, token):
    answer = https(production, authority, document_path("products/p1"), token)
    assert answer.status_code == 401
    assert answer.json()["error"]["status"] == "UNAUTHENTICATED"


def test_no_token_is_refused_everywhere(production, authority):
    database = f"projects/{PROJECT}/databases/(default)/documents"
    requests_without_token = [
        ("GET", document_path("products/p1"), None),
        ("GET", document_path("products"), None),
        ("PATCH", document_path("products/x"), {}),
        ("DELETE", document_path("products/p1"), None),
        ("POST", f"/v1/{database}:commit", {"writes": []}),
        ("POST", f"/v1/{database}:batchGet", {"documents": []}),
        ("POST", f"/v1/{database}:batchWrite", {"writes": []}),
        ("POST", f"/v1/{database}:beginTransaction", {}),
        ("POST", f"/v1/{database}:listCollectionIds", {}),
        ("POST", f"/v1/{database}:runQuery", {"structuredQuery": {"from": [{"collectionId": "products"}]}}),
        ("DELETE", f"/emulator/v1/{database}", None),
        ("GET", f"/v1/projects/{PROJECT}/databases", None),
    ]
    for verb, path, body in requests_without_token:
        answer = https(production, authority, path, verb=verb, json=body)
        assert answer.status_code in (401, 403, 404), f"{verb} {path}: {answer.status_code}"
        assert "N1" not in answer.text and "p1" not in answer.text.replace(path, "")


def test_a_stranger_learns_nothing_of_a_body_that_is_wrong(production, authority):
    databases = f"/v1/projects/{PROJECT}/databases"
    for verb, path in [
        ("POST", f"{databases}?databaseId=X"),
        ("POST", f"{databases}/(default):bulkDeleteDocuments"),
        ("POST", f"{databases}/(default)/collectionGroups/c/indexes"),
        ("PATCH", f"{databases}/(default)/collectionGroups/c/fields/f"),
        ("PUT", databases),
        ("GET", f"{databases}/(default)/operations?pageSize=x"),
    ]:
        for body in (b"{", b"[]", b'{"unknown": 1}'):
            answer = https(production, authority, path, verb=verb, data=body)
            assert answer.status_code in (401, 403), f"{verb} {path} {body}: {answer.status_code}"


def test_a_command_that_lists_indexes_makes_no_database(production):
    listed = servers.run(
        "indexes", "list", "--project", "never-used", "--data", production.data, check=False
    )
    assert listed.returncode == 1 and "does not exist" in listed.stderr
    assert "never-used" not in servers.run("databases", "list", "--data", production.data).stdout


def test_no_token_is_refused_over_grpc(production, authority):
    credentials = grpc.ssl_channel_credentials(authority.read_bytes())
    names = Names(PROJECT)
    calls = Calls.__new__(Calls)
    calls.channel = grpc.secure_channel(f"localhost:{production.port}", credentials)
    calls.metadata = ()
    query = {"from_": [{"collection_id": "c", "all_descendants": True}]}
    ordered = [{"field": {"field_path": "__name__"}, "direction": "ASCENDING"}]
    counted = {"structured_query": query, "aggregations": [{"alias": "n", "count": {}}]}
    for attempt in (
        lambda: calls.GetDocument(name=names("products/p1")),
        lambda: calls.Commit(database=names.database),
        lambda: calls.RunQuery(parent=names.root, structured_query=query),
        lambda: calls.RunAggregationQuery(
            parent=names.root, structured_aggregation_query=counted
        ),
        lambda: calls.BatchWrite(database=names.database),
        lambda: calls.ListCollectionIds(parent=names.root),
        lambda: calls.PartitionQuery(
            parent=names.root,
            structured_query={**query, "order_by": ordered},
            partition_count=2,
        ),
    ):
        with pytest.raises(Failure) as refusal:
            attempt()
        assert refusal.value.code.name in ("PERMISSION_DENIED", "UNAUTHENTICATED")
    calls.close()


def test_unknown_databases_are_not_made(production, authority, key):
    path = f"/v1/projects/{PROJECT}/databases/orders/documents/c/d"
    answer = https(production, authority, path, key)
    assert answer.status_code == 404
    message = answer.json()["error"]["message"]
    assert "database" in message and "does not exist" in message and "orders" in message
    servers.run("databases", "create", "orders", "--project", PROJECT, "--data", production.data)
    assert https(production, authority, path, key, verb="PATCH", json={}).status_code == 200
    assert https(production, authority, path, key).status_code == 200


def test_the_key_is_not_printed_again_and_still_works(production, authority, key):
    production.stop()
    production.lines.clear()
    production.start()
    assert key not in production.output
    assert https(production, authority, document_path("products"), key).status_code == 200


def test_plain_connections_get_nothing(production):
    with pytest.raises(requests.RequestException):
        requests.get(f"http://localhost:{production.port}/", timeout=10).raise_for_status()


def test_http_2_is_negotiated(production, authority):
    done = subprocess.run(
        ["curl", "--silent", "--cacert", str(authority), "--http2", "--output", os.devnull,
         "--write-out", "%{http_version}", f"https://localhost:{production.port}/healthz"],
        capture_output=True, text=True, timeout=30,
    )
    assert done.stdout == "2", done.stderr


def test_the_readme_key_file_is_private(production):
    for path in production.data.rglob("*key*"):
        assert path.stat().st_mode & 0o077 == 0, path
