"""Google's Firestore administration client, whose transport is gRPC, and what it can set: indexes, times to live, protection."""

import datetime
import json

import grpc
import pytest
from google.api_core import exceptions
from google.cloud import firestore_admin_v1
from google.cloud.firestore_admin_v1 import types as admin
from google.cloud.firestore_admin_v1.services.firestore_admin.transports import FirestoreAdminGrpcTransport
from google.protobuf import field_mask_pb2

from support import clients, rest, server as servers

pytestmark = pytest.mark.brasa_only

HOUR = datetime.timedelta(hours=1)


def now():
    return datetime.datetime.now(datetime.timezone.utc)


@pytest.fixture
def client(server):
    channel = grpc.insecure_channel(server.host)
    yield firestore_admin_v1.FirestoreAdminClient(transport=FirestoreAdminGrpcTransport(channel=channel))
    channel.close()


@pytest.fixture
def database(project):
    return f"projects/{project}/databases/(default)"


def group(database, name):
    return f"{database}/collectionGroups/{name}"


def test_databases(client, project):
    parent = f"projects/{project}"
    made = client.create_database(parent=parent, database=admin.Database(type_="FIRESTORE_NATIVE"), database_id="orders")
    assert made.result(timeout=30).name == f"{parent}/databases/orders"
    assert [one.name for one in client.list_databases(parent=parent).databases] == [f"{parent}/databases/orders"]
    assert client.get_database(name=f"{parent}/databases/orders").type_ == admin.Database.DatabaseType.FIRESTORE_NATIVE
    client.delete_database(name=f"{parent}/databases/orders").result(timeout=30)
    with pytest.raises(exceptions.NotFound):
        client.get_database(name=f"{parent}/databases/orders")


def test_indexes(client, server, project, database):
    clients.connect(server, project).document("products/a").set({"name": "n", "price": 1})
    fields = [admin.Index.IndexField(field_path=name, order="ASCENDING") for name in ("name", "price")]
    index = admin.Index(query_scope="COLLECTION", fields=fields)
    made = client.create_index(parent=group(database, "products"), index=index).result(timeout=30)
    assert made.state == admin.Index.State.READY
    assert [one.name for one in client.list_indexes(parent=group(database, "products"))] == [made.name]
    assert client.get_index(name=made.name).fields[0].field_path == "name"
    client.delete_index(name=made.name)
    assert not list(client.list_indexes(parent=group(database, "products")))


def test_fields_and_operations(client, server, project, database):
    clients.connect(server, project).document("notes/a").set({"body": "text"})
    name = f"{group(database, 'notes')}/fields/body"
    field = admin.Field(name=name, index_config=admin.Field.IndexConfig(indexes=[]))
    changed = client.update_field(request={"field": field, "update_mask": field_mask_pb2.FieldMask(paths=["index_config"])})
    assert not changed.result(timeout=30).index_config.indexes
    request = admin.ListFieldsRequest(parent=group(database, "-"), filter="indexConfig.usesAncestorConfig:false")
    assert [one.name for one in client.list_fields(request=request)] == [name]
    listed = client.list_operations({"name": database}).operations
    assert changed.operation.name in [one.name for one in listed]
    assert client.get_operation({"name": changed.operation.name}).done


def test_bulk_deletion(client, server, project, database):
    store = clients.connect(server, project)
    for number in range(3):
        store.document(f"old/{number}").set({})
    store.document("new/a").set({})
    request = admin.BulkDeleteDocumentsRequest(name=database, collection_ids=["old"])
    client.bulk_delete_documents(request=request).result(timeout=60)
    assert [one.id for one in store.collections()] == ["new"]


def test_a_protected_database_is_not_deleted(client, server, project):
    parent, name = f"projects/{project}", f"projects/{project}/databases/kept"
    protected = admin.Database(type_="FIRESTORE_NATIVE", delete_protection_state="DELETE_PROTECTION_ENABLED")
    client.create_database(parent=parent, database=protected, database_id="kept").result(timeout=30)
    with pytest.raises(exceptions.FailedPrecondition, match="protected"):
        client.delete_database(name=name)
    command = servers.run("databases", "delete", "kept", "--project", project, "--data", server.data, check=False)
    assert command.returncode == 1 and "protected" in command.stderr
    state = admin.Database.DeleteProtectionState
    assert client.get_database(name=name).delete_protection_state == state.DELETE_PROTECTION_ENABLED
    mask = field_mask_pb2.FieldMask(paths=["delete_protection_state", "name"])
    off = admin.Database(name=name, delete_protection_state="DELETE_PROTECTION_DISABLED")
    assert client.update_database(database=off, update_mask=mask).result(timeout=30).delete_protection_state == state.DELETE_PROTECTION_DISABLED
    client.delete_database(name=name).result(timeout=30)


def test_settings_that_are_not_served_are_refused_by_name(client, project, database):
    client.create_database(parent=f"projects/{project}", database=admin.Database(type_="FIRESTORE_NATIVE"), database_id="(default)")
    with pytest.raises(exceptions.MethodNotImplemented, match="cmek_config"):
        client.update_database(database=admin.Database(name=database), update_mask=field_mask_pb2.FieldMask(paths=["cmek_config"]))


@pytest.mark.parametrize("name", ["", "projects", "projects//databases/x", "x/y", "projects/p/databases/d/documents/a"])
def test_names_that_name_nothing(client, name):
    with pytest.raises((exceptions.InvalidArgument, exceptions.NotFound)):
        client.get_database(name=name)


# Times to live.


def set_ttl(client, name, isOn=True):
    field = admin.Field(name=name)
    if isOn:
        field.ttl_config = admin.Field.TtlConfig()
    mask = field_mask_pb2.FieldMask(paths=["ttl_config"])
    return client.update_field(request={"field": field, "update_mask": mask}).result(timeout=60)


def test_documents_go_when_their_time_is_over(client, server, project, database):
    store = clients.connect(server, project)
    sessions = {
        "users/a/sessions/old": now() - HOUR, "sessions/older": now() - 24 * HOUR, "sessions/later": now() + HOUR,
        "sessions/text": "2001-01-01T00:00:00Z", "sessions/none": None, "sessions/list": [now() - HOUR],
        "other/old": now() - HOUR,
    }
    for path, end in sessions.items():
        store.document(path).set({"end": end})
    store.document("sessions/without").set({})
    store.document("sessions/older/below/kept").set({"end": now() - HOUR})
    gone = set()
    watch = store.collection_group("sessions").on_snapshot(
        lambda _, changes, __: gone.update(one.document.reference.path for one in changes if one.type.name == "REMOVED")
    )
    name = f"{group(database, 'sessions')}/fields/end"
    assert set_ttl(client, name).ttl_config.state == admin.Field.TtlConfig.State.ACTIVE
    expected = {"users/a/sessions/old", "sessions/older"}
    servers.wait_for(lambda: gone == expected, "the end of documents", 60)
    watch.unsubscribe()
    kept = {one.reference.path for one in store.collection_group("sessions").stream()}
    assert kept == {path for path in sessions if "sessions/" in path} - expected | {"sessions/without"}
    assert store.document("other/old").get().exists and store.document("sessions/older/below/kept").get().exists
    # Queries do not use what finds such documents: Google's need an index of their own for this.
    assert [one.name for one in client.list_indexes(parent=group(database, "-"))] == []
    # A document whose time comes later goes then.
    store.document("sessions/later").update({"end": now()})
    servers.wait_for(lambda: not store.document("sessions/later").get().exists, "the end of a document", 60)
    assert servers.run("verify", "--data", server.data).returncode == 0


def test_a_policy_is_listed_and_ends(client, server, project, database):
    store = clients.connect(server, project)
    store.document("a/a").set({})
    name = f"{group(database, 'tickets')}/fields/end"
    set_ttl(client, name)
    request = admin.ListFieldsRequest(parent=group(database, "-"), filter="ttlConfig:*")
    listed = list(client.list_fields(request=request))
    assert [one.name for one in listed] == [name] and listed[0].index_config.uses_ancestor_config
    set_ttl(client, f"{group(database, 'parts')}/fields/end")
    overridden = admin.Field(name=f"{group(database, 'parts')}/fields/body", index_config=admin.Field.IndexConfig(indexes=[]))
    client.update_field(request={"field": overridden, "update_mask": field_mask_pb2.FieldMask(paths=["index_config"])}).result(timeout=60)
    for sign in (":", "="):
        both = admin.ListFieldsRequest(parent=group(database, "-"), filter=f"indexConfig.usesAncestorConfig{sign}false OR ttlConfig:*")
        assert len(list(client.list_fields(request=both))) == 3
    set_ttl(client, f"{group(database, 'parts')}/fields/end", isOn=False)
    with pytest.raises(exceptions.FailedPrecondition, match="only one field"):
        set_ttl(client, f"{group(database, 'tickets')}/fields/other")
    for wrong in ("*", "__name__"):
        with pytest.raises(exceptions.InvalidArgument):
            set_ttl(client, f"{group(database, 'tickets')}/fields/{wrong}")
    assert not set_ttl(client, name, isOn=False).ttl_config
    assert list(client.list_fields(request=request)) == []
    store.document("tickets/old").set({"end": now() - HOUR})
    set_ttl(client, f"{group(database, 'tickets')}/fields/other")
    assert store.document("tickets/old").get().exists


def test_a_policy_over_rest(server, project, database):
    clients.connect(server, project).document("a/a").set({})
    http, path = rest.Rest(server, project), f"{group(database, 'logs')}/fields/end"
    http.call("PATCH", f"{path}?updateMask=ttlConfig", json={"ttlConfig": {}})
    assert http.call("GET", path)["ttlConfig"] == {"state": "ACTIVE"}
    # The indexes are another setting.
    http.call("PATCH", f"{path}?updateMask=indexConfig", json={"indexConfig": {"indexes": []}})
    assert "ttlConfig" in http.call("GET", path)
    http.call("PATCH", f"{path}?updateMask=ttlConfig", json={})
    field = http.call("GET", path)
    assert "ttlConfig" not in field and "indexes" not in field["indexConfig"]


def test_a_policy_in_the_index_file(server, project, tmp_path):
    clients.connect(server, project).document("a/a").set({})
    file = tmp_path / "firestore.indexes.json"
    override = {"collectionGroup": "logs", "fieldPath": "end", "indexes": []}

    def listed_after(overrides, *flags):
        file.write_text(json.dumps({"fieldOverrides": overrides}))
        servers.run("indexes", "apply", file, *flags, "--project", project, "--data", server.data)
        return servers.run("indexes", "list", "--project", project, "--data", server.data).stdout

    assert "ttl  ACTIVE  logs.end" in listed_after([{**override, "ttl": True}])
    # Without the member the policy stays; false ends it, and so does a file that has to be all there is.
    assert "ttl  ACTIVE  logs.end" in listed_after([override])
    assert "ttl" not in listed_after([{**override, "ttl": False}])
    assert "ttl  ACTIVE  logs.end" in listed_after([{**override, "ttl": True}])
    assert "ttl" not in listed_after([], "--force")
    assert "ttl  ACTIVE  logs.end  604800 s later" in listed_after([{**override, "ttl": True, "ttlOffset": "604800s"}])
    assert "604800 s later" in listed_after([{**override, "ttl": True}])
    # The definitions go along with an export.
    assert servers.run("export", tmp_path / "out", "--include", "indexes", "--project", project, "--data", server.data).returncode == 0
    done = servers.run("import", tmp_path / "out", "--include", "indexes", "--project", f"{project}-2", "--data", server.data)
    assert done.returncode == 0, done.stderr
    assert "logs.end  604800 s later" in servers.run("indexes", "list", "--project", f"{project}-2", "--data", server.data).stdout
    again = servers.run("import", tmp_path / "out", "--include", "indexes", "--project", f"{project}-2", "--data", server.data)
    assert "1 skipped" in again.stderr + again.stdout
    assert "logs.end\n" in listed_after([{**override, "ttl": True, "ttlOffset": "0s"}])


def test_an_offset_moves_the_end(client, server, project, database):
    store = clients.connect(server, project)
    for name, age in {"hours": 3 * HOUR, "hour": HOUR}.items():
        store.document(f"sessions/{name}").set({"end": now() - age})
    http, path = rest.Rest(server, project), f"{group(database, 'sessions')}/fields/end"
    http.call("PATCH", f"{path}?updateMask=ttlConfig", json={"ttlConfig": {"expirationOffset": "7200s"}})
    servers.wait_for(lambda: not store.document("sessions/hours").get().exists, "the end of a document", 60)
    assert store.document("sessions/hour").get().exists
    assert http.call("GET", path)["ttlConfig"] == {"state": "ACTIVE", "expirationOffset": "7200s"}
    # Over gRPC the offset is field 3 of the message, which older clients keep as an unknown one.
    raw = admin.Field.pb(client.get_field(name=path)).ttl_config.SerializeToString()
    assert b"\x1a\x03\x08\xa0\x38" in raw
    # As in Google's API a configuration without an offset has none.
    http.call("PATCH", f"{path}?updateMask=ttlConfig", json={"ttlConfig": {}})
    servers.wait_for(lambda: not store.document("sessions/hour").get().exists, "the end of a document", 60)
    assert http.call("GET", path)["ttlConfig"] == {"state": "ACTIVE"}


def test_a_policy_survives_a_restart_and_clears_a_backlog(tmp_path):
    running = servers.Brasa(tmp_path / "data").start()
    try:
        store = clients.connect(running, "p")
        writer = store.bulk_writer()
        for number in range(1_200):
            writer.set(store.document(f"sessions/{number}"), {"end": now() - HOUR})
        writer.close()
        file = tmp_path / "indexes.json"
        file.write_text(json.dumps({"fieldOverrides": [
            {"collectionGroup": "sessions", "fieldPath": "end", "ttl": True, "indexes": []}]}))
        servers.run("indexes", "apply", file, "--project", "p", "--data", running.data)
        running.kill()
        running.start()
        store = clients.connect(running, "p")
        servers.wait_for(lambda: not list(store.collection("sessions").limit(1).stream()), "the end of a backlog", 60)
        assert servers.run("verify", "--data", running.data).returncode == 0
    finally:
        running.kill()
