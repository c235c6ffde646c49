"""Several databases of one project, and several projects."""

import pytest
import requests

from support import clients
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
