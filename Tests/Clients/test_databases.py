"""Several databases of one project, and several projects."""

import pytest
import requests

from support import clients, tokens
from support.rpc import Calls, Failure, Names


@pytest.fixture
def databases(server, project):
    made = {name: clients.connect(server, project, name) for name in ("(default)", "orders", "eu-west")}
    yield made
    for client in made.values():
        client.close()


def test_databases_do_not_see_each_other(databases):
    for name, client in databases.items():
        client.document("d/x").set({"in": name})
        client.document(f"{name.strip('()')}/only").set({})
    for name, client in databases.items():
        assert client.document("d/x").get().get("in") == name
        assert [c.id for c in client.collections()] == sorted(["d", name.strip("()")])
    databases["orders"].document("d/x").delete()
    assert databases["eu-west"].document("d/x").get().exists


def test_projects_do_not_see_each_other(server, project):
    one, two = (clients.connect(server, f"{project}-{n}") for n in (1, 2))
    one.document("d/x").set({"n": 1})
    assert not two.document("d/x").get().exists
    one.close()
    two.close()


def test_transactions_stay_in_their_database(calls, project):
    one, two = Names(project), Names(project, "orders")
    token = calls.BeginTransaction(database=one.database).transaction
    with pytest.raises(Failure) as refusal:
        calls.BatchGetDocuments(database=two.database, documents=[two("d/x")], transaction=token)
    assert refusal.value.code.name == "INVALID_ARGUMENT"


@pytest.mark.emulator_differs("writes across databases")
def test_a_commit_names_one_database(calls, project):
    one, two = Names(project), Names(project, "orders")
    with pytest.raises(Failure) as refusal:
        calls.Commit(database=one.database, writes=[{"update": {"name": two("d/x")}}])
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    with pytest.raises(Failure) as refusal:
        calls.GetDocument(name=two("d/x"))
    assert refusal.value.code.name == "NOT_FOUND"


def test_clearing_a_database_leaves_the_others(server, project, databases):
    for client in databases.values():
        client.document("d/x").set({"n": 1})
        client.document("d/x/sub/y").set({"n": 1})
    path = f"/emulator/v1/projects/{project}/databases/orders/documents"
    answer = requests.delete(server.url + path, timeout=30)
    assert answer.status_code == 200 and answer.json() == {}
    assert not databases["orders"].document("d/x").get().exists
    assert list(databases["orders"].collections()) == []
    assert list(databases["orders"].collection("d").order_by("n").stream()) == []
    assert databases["(default)"].document("d/x/sub/y").get().exists
    databases["orders"].document("d/x").set({"n": 2})
    assert [s.get("n") for s in databases["orders"].collection("d").stream()] == [2]


@pytest.mark.parametrize(
    "path, left",
    [
        ("d/x", ["d/y", "d/y/s/z", "d\u00e9/x", "dd/x"]),
        ("d/x/s", ["d/x", "d/x/t/z", "d/y", "d/y/s/z", "d\u00e9/x", "dd/x"]),
        ("d", ["d\u00e9/x", "dd/x"]),
        ("d%C3%A9/x", ["d/x", "d/x/s/z", "d/x/s/z/u/v", "d/x/t/z", "d/y", "d/y/s/z", "dd/x"]),
        ("d/missing", None),
        ("", []),
    ],
)
def test_clearing_a_tree_leaves_the_rest(server, project, path, left):
    client = clients.connect(server, project)
    everything = ["d/x", "d/x/s/z", "d/x/s/z/u/v", "d/x/t/z", "d/y", "d/y/s/z", "dd/x", "d\u00e9/x"]
    for document in everything:
        client.document(document).set({"n": 1})
    root = f"{server.url}/emulator/v1/projects/{project}/databases/(default)/documents"
    answer = requests.delete(f"{root}/{path}", timeout=30)
    assert answer.status_code == 200 and answer.json() == {}
    found = {path for path in everything if client.document(path).get().exists}
    assert found == set(everything if left is None else left)
    client.close()


def test_clearing_a_large_tree_takes_several_commits(server, project):
    client = clients.connect(server, project)
    writer = client.bulk_writer()
    for number in range(1_200):
        writer.set(client.document(f"many/{number}"), {"n": number})
    writer.close()
    client.document("other/x").set({})
    root = f"{server.url}/emulator/v1/projects/{project}/databases/(default)/documents"
    assert requests.delete(f"{root}/many", timeout=60).status_code == 200
    assert list(client.collection("many").list_documents()) == []
    assert client.document("other/x").get().exists
    client.close()


@pytest.mark.parametrize("path", ["d/%2F", "d/%FF", "__d__", "d/%2E%2E"])
def test_clearing_a_malformed_path_is_refused(server, project, path):
    url = f"{server.url}/emulator/v1/projects/{project}/databases/(default)/documents/{path}"
    assert requests.delete(url, timeout=30).status_code == 400


@pytest.mark.brasa_only
def test_bulk_delete_takes_collections_by_id_and_shows_its_progress(server, project):
    client = clients.connect(server, project)
    for path in ("logs/1", "logs/1/logs/2", "users/ana/logs/3", "users/ana"):
        client.document(path).set({"n": 1})
    base = f"{server.url}/v1/projects/{project}/databases/(default)"
    owner = {"Authorization": "Bearer owner"}
    started = requests.post(f"{base}:bulkDeleteDocuments", json={"collectionIds": ["logs"]}, headers=owner)
    assert started.status_code == 200, started.text
    operation = started.json()
    assert operation["metadata"]["@type"].endswith("BulkDeleteDocumentsMetadata")
    assert operation["metadata"]["collectionIds"] == ["logs"]
    while not operation.get("done"):
        operation = requests.get(f"{server.url}/v1/{operation['name']}", headers=owner).json()
    assert operation["response"]["@type"].endswith("BulkDeleteDocumentsResponse")
    assert operation["metadata"]["progressDocuments"]["completedWork"] == "3"
    assert operation["metadata"]["operationState"] == "SUCCESSFUL" and operation["metadata"]["endTime"]
    assert [d.id for d in client.collection_group("logs").stream()] == []
    assert client.document("users/ana").get().exists
    listed = requests.get(f"{base}/operations", headers=owner).json()["operations"]
    assert operation["name"] in [o["name"] for o in listed]
    client.close()


@pytest.mark.brasa_only
def test_bulk_delete_is_an_administrators(server, project):
    url = f"{server.url}/v1/projects/{project}/databases/(default):bulkDeleteDocuments"
    user = {"Authorization": f"Bearer {tokens.unsigned(project, 'ana')}"}
    assert requests.post(url, json={}, headers=user).status_code == 403
    owner = {"Authorization": "Bearer owner"}
    assert requests.post(url, json={"namespaceIds": ["other"]}, headers=owner).status_code == 400
    assert requests.post(url, json={"unknown": 1}, headers=owner).status_code == 400
    assert requests.get(url, headers=owner).status_code in (404, 501)
