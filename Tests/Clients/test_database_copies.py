"""Databases made of others: clones from history, backups by schedule and their restores, one database of a backup."""

import contextlib
import datetime
import os

import grpc
import pytest
import requests
from google.api_core import exceptions
from google.cloud import firestore_admin_v1
from google.cloud.firestore_admin_v1 import types
from google.cloud.firestore_admin_v1.services.firestore_admin.transports import FirestoreAdminGrpcTransport
from support import clients, server as servers
from test_backup import Backed, key, running  # noqa: F401

pytestmark = pytest.mark.brasa_only

HEADERS = {"Authorization": "Bearer owner"}


@pytest.fixture(scope="module")
def backed(tmp_path_factory):
    path = tmp_path_factory.mktemp("copies")
    file = path / "backup.key"
    file.write_text(servers.run("backup", "key").stdout)
    made = Backed(path, file)
    with running(made.server):
        made.wait()
        yield made


def rest(backed, method, path, body=None, status=200, **options):
    url = f"{backed.server.url}/v1/projects/{path}"
    answer = requests.request(method, url, json=body, headers=HEADERS, timeout=60, **options)
    assert answer.status_code == status, answer.text
    return answer.json()


def ended(backed, operation):
    """Waits for the end of an operation."""
    def look():
        now = rest(backed, "GET", operation["name"].removeprefix("projects/"))
        return now if now.get("done") else None
    return servers.wait_for(look, operation["name"])


def everything(backed, project, database):
    with contextlib.closing(clients.connect(backed.server, project, database)) as client:
        return {s.reference.path: s.to_dict() for s in client.collection_group("d").stream()}


def stamp(time):
    return time.strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"


def test_a_database_is_cloned_as_it_was(backed):
    project = "clones"
    with contextlib.closing(clients.connect(backed.server, project)) as client:
        target = client.document("d/target")
        for number in range(600):
            client.document(f"d/{number:04}").set({"n": number, "to": [target, {"deep": target}]})
        client.document("d/0001/d/below").set({"n": -1})
        at = client.document("d/0000").set({"n": "then"}).update_time
        client.document("d/0000").set({"n": "now"})
        client.document("d/0002").delete()
        operation = rest(backed, "POST", f"{project}/databases:clone", {
            "databaseId": "then-it-was", "pitrSnapshot": {"database": f"projects/{project}/databases/(default)", "snapshotTime": stamp(at)},
        })
        assert operation["name"].startswith(f"projects/{project}/databases/then-it-was/operations/")
        done = ended(backed, operation)
        assert done["response"]["name"] == f"projects/{project}/databases/then-it-was", done
        assert done["metadata"]["operationState"] == "SUCCESSFUL"
        found = everything(backed, project, "then-it-was")
        assert len(found) == 601 and found["d/0000"] == {"n": "then"} and found["d/0002"]["n"] == 2
        # References as they are: Google's client shows those of its own database alone.
        fields = rest(backed, "GET", f"{project}/databases/then-it-was/documents/d/0599")["fields"]
        target = f"projects/{project}/databases/then-it-was/documents/d/target"
        values = fields["to"]["arrayValue"]["values"]
        assert values[0] == {"referenceValue": target}
        assert values[1]["mapValue"]["fields"]["deep"] == {"referenceValue": target}
        taken = rest(backed, "POST", f"{project}/databases:clone", {
            "databaseId": "then-it-was", "pitrSnapshot": {"database": f"projects/{project}/databases/(default)", "snapshotTime": stamp(at)},
        }, status=409)
        assert "already exists" in taken["error"]["message"]


def test_what_cannot_be_cloned_is_refused(backed):
    project = "refusals"
    with contextlib.closing(clients.connect(backed.server, project)) as client:
        client.document("d/1").set({"n": 1})
    name = f"projects/{project}/databases/(default)"
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    for snapshot, status in (
        ({"database": name, "snapshotTime": stamp(now - day)}, 400), ({"database": name, "snapshotTime": stamp(now + day)}, 400),
        ({"database": name}, 400), ({"database": f"projects/{project}/databases/missing", "snapshotTime": stamp(now)}, 404),
        ({"database": "projects/other/databases/(default)", "snapshotTime": stamp(now)}, 400), ({"database": "x", "snapshotTime": stamp(now)}, 400),
    ):
        rest(backed, "POST", f"{project}/databases:clone", {"databaseId": "new-one", "pitrSnapshot": snapshot}, status=status)
    rest(backed, "POST", f"{project}/databases:clone", {"databaseId": "new-one"}, status=400)


def test_a_week_of_history_by_setting(backed):
    project = "weeks"
    with contextlib.closing(clients.connect(backed.server, project)) as client:
        client.document("d/1").set({"n": 1})
    before = rest(backed, "GET", f"{project}/databases/(default)")
    assert before["pointInTimeRecoveryEnablement"] == "POINT_IN_TIME_RECOVERY_DISABLED"
    assert before["versionRetentionPeriod"] == "3600s" and before["earliestVersionTime"] >= before["createTime"]
    path = f"{project}/databases/(default)?updateMask=pointInTimeRecoveryEnablement"
    rest(backed, "PATCH", path, {"pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_ENABLED"})
    after = rest(backed, "GET", f"{project}/databases/(default)")
    assert after["pointInTimeRecoveryEnablement"] == "POINT_IN_TIME_RECOVERY_ENABLED"
    assert after["versionRetentionPeriod"] == "604800s"
    rest(backed, "PATCH", path, {"pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_DISABLED"})
    assert rest(backed, "GET", f"{project}/databases/(default)")["versionRetentionPeriod"] == "3600s"


def test_backups_by_schedule_are_listed_restored_and_deleted(backed):
    project = "schedules"
    root = f"{project}/databases/(default)"
    with contextlib.closing(clients.connect(backed.server, project)) as client:
        for number in range(20):
            client.document(f"d/{number}").set({"n": number})
        assert rest(backed, "GET", f"{root}/backupSchedules") == {}
        made = rest(backed, "POST", f"{root}/backupSchedules", {"retention": "604800s", "dailyRecurrence": {}})
        assert made["retention"] == "604800s" and made["dailyRecurrence"] == {}
        rest(backed, "POST", f"{root}/backupSchedules", {"retention": "86400s", "dailyRecurrence": {}}, status=409)
        rest(backed, "POST", f"{root}/backupSchedules", {"retention": "86400s"}, status=400)
        rest(backed, "POST", f"{root}/backupSchedules", {"retention": "99999999s", "weeklyRecurrence": {"day": "SUNDAY"}}, status=400)
        name = made["name"].removeprefix("projects/")
        assert rest(backed, "GET", name) == made
        changed = rest(backed, "PATCH", f"{name}?updateMask=retention", {"retention": "1209600s"})
        assert changed["retention"] == "1209600s"

        def ready():
            found = rest(backed, "GET", f"{project}/locations/-/backups").get("backups", [])
            return [backup for backup in found if backup["state"] == "READY"]

        [backup] = servers.wait_for(ready, "a backup")
        assert backup["database"] == f"projects/{root}"
        for number in range(20):
            client.document(f"d/{number}").delete()
        operation = rest(backed, "POST", f"{project}/databases:restore", {"databaseId": "brought-back", "backup": backup["name"]})
        done = ended(backed, operation)
        assert done.get("response", {}).get("name") == f"projects/{project}/databases/brought-back", done
        assert {d["n"] for d in everything(backed, project, "brought-back").values()} == set(range(20))
        assert not list(client.collection("d").stream())
    rest(backed, "DELETE", backup["name"].removeprefix("projects/"))
    rest(backed, "GET", backup["name"].removeprefix("projects/"), status=404)
    rest(backed, "DELETE", name)
    assert rest(backed, "GET", f"{root}/backupSchedules") == {}


def test_googles_client_speaks_of_backups(backed):
    project = "google"
    with contextlib.closing(clients.connect(backed.server, project)) as client:
        at = client.document("d/1").set({"n": 1}).update_time
    channel = grpc.insecure_channel(f"127.0.0.1:{backed.server.port}")
    service = firestore_admin_v1.FirestoreAdminClient(transport=FirestoreAdminGrpcTransport(channel=channel))
    name = f"projects/{project}/databases/(default)"
    metadata = [("authorization", "Bearer owner")]
    schedule = service.create_backup_schedule(
        parent=name, metadata=metadata,
        backup_schedule=types.BackupSchedule(retention=datetime.timedelta(days=7), weekly_recurrence=types.WeeklyRecurrence(day=1)),
    )
    assert schedule.weekly_recurrence.day == 1 and schedule.retention == datetime.timedelta(days=7)
    assert [s.name for s in service.list_backup_schedules(parent=name, metadata=metadata).backup_schedules] == [schedule.name]
    schedule.retention = datetime.timedelta(days=14)
    changed = service.update_backup_schedule(backup_schedule=schedule, metadata=metadata)
    assert changed.retention == datetime.timedelta(days=14)
    assert service.get_backup_schedule(name=schedule.name, metadata=metadata) == changed
    service.delete_backup_schedule(name=schedule.name, metadata=metadata)
    assert not service.list_backups(parent=f"projects/{project}/locations/-", metadata=metadata).backups
    for call in (service.get_backup, service.delete_backup):
        with pytest.raises(exceptions.NotFound):
            call(name=f"projects/{project}/locations/local/backups/missing", metadata=metadata)
    with pytest.raises(exceptions.NotFound):
        service.restore_database(
            request={"parent": f"projects/{project}", "database_id": "new-one", "backup": f"projects/{project}/locations/local/backups/missing"},
            metadata=metadata,
        )
    operation = service.clone_database(
        request={
            "parent": f"projects/{project}", "database_id": "cloned",
            "pitr_snapshot": types.PitrSnapshot(database=name, snapshot_time=at),
        },
        metadata=metadata,
    )
    servers.wait_for(lambda: everything(backed, project, "cloned") == {"d/1": {"n": 1}}, "the clone")
    assert operation.operation.name.endswith("/operations/clone")


def test_one_database_of_a_backup_becomes_a_new_one_by_one_command(backed):
    server = backed.server
    with contextlib.closing(clients.connect(server, "shop")) as client:
        for number in range(5):
            last = client.document(f"d/{number}").set({"n": number, "to": client.document("d/0")}).update_time
        for number in range(5):
            client.document(f"d/{number}").delete()
        backed.wait()
        version = int(last.timestamp()) * 1_000_000 + last.microsecond + 1
        command = [
            "restore", "--from", backed.target, "--backup-key", backed.key, "--project", "shop", "--as", "before",
            "--before-commit", version, "--data", server.data,
        ]
        done = servers.run(*command)
        assert "restored projects/shop/databases/(default) as before" in done.stdout
        found = everything(backed, "shop", "before")
        assert {d["n"] for d in found.values()} == set(range(5))
        assert not list(client.collection("d").stream())
        again = servers.run(*command, check=False)
        assert again.returncode == 1 and "The database before already exists" in again.stderr
        command[command.index("shop")] = "nobody"
        command[command.index("before")] = "other-one"
        unknown = servers.run(*command, check=False)
        assert unknown.returncode != 0 and "other-one" not in servers.run("databases", "list", "--data", server.data).stdout
        assert not list(server.data.glob("restore-*"))


def test_what_a_killed_restore_left_is_removed(tmp_path):
    """The folder has all that the backup holds, as plain files."""
    made = Backed(tmp_path, None)
    left = [made.server.data / name for name in ["restore-999999999.restoring", f"restore-{os.getpid()}.restoring"]]
    for folder in left:
        folder.mkdir(parents=True)
        (folder / "secret").write_text("plain")
    with running(made.server):
        servers.wait_for(lambda: not left[0].exists(), "its removal")
    # The other one is of a process that runs.
    assert left[1].exists()


def test_documents_with_equal_values_of_a_unique_index_are_all_brought_back(backed):
    server, project = backed.server, "doubles"
    index = {"queryScope": "COLLECTION", "unique": True, "fields": [{"fieldPath": "n", "order": "ASCENDING"}]}
    indexes = f"{project}/databases/(default)/collectionGroups/d/indexes"
    with contextlib.closing(clients.connect(server, project)) as client:
        for number in range(6):
            last = client.document(f"d/{number}").set({"n": number // 2}).update_time
        rest(backed, "POST", indexes, index)

        def settled():
            [found] = [index for index in rest(backed, "GET", indexes)["indexes"] if index["fields"][0]["fieldPath"] == "n"]
            return found["state"] if found["state"] != "CREATING" else None

        assert servers.wait_for(settled, "the index") == "NEEDS_REPAIR"
        last = client.document("d/6").set({"n": 3}).update_time
        expected = everything(backed, project, "(default)")
    backed.wait()
    version = int(last.timestamp()) * 1_000_000 + last.microsecond + 1
    done = servers.run(
        "restore", "--from", backed.target, "--backup-key", backed.key, "--project", project, "--as", "doubles-then",
        "--before-commit", version, "--data", server.data,
    )
    assert "restored" in done.stdout
    assert everything(backed, project, "doubles-then") == expected
    # An import tells of those that an index refuses, and takes the others.
    folder = server.data.parent / "doubles-export"
    servers.run("export", folder, "--project", project, "--data", server.data)
    rest(backed, "POST", f"{project}/databases?databaseId=doubles-unique", {"type": "FIRESTORE_NATIVE"})
    rest(backed, "POST", indexes.replace("(default)", "doubles-unique"), index)
    read = servers.run(
        "import", folder, "--project", project, "--database", "doubles-unique", "--data", server.data, check=False,
    )
    assert read.returncode == 1 and "Another document of d has the same n" in read.stdout + read.stderr
    assert {d["n"] for d in everything(backed, project, "doubles-unique").values()} == {0, 1, 2, 3}
    assert len(everything(backed, project, "doubles-unique")) == 4


def test_the_first_backup_of_a_schedule_waits_for_the_first_base(tmp_path, key):  # noqa: F811
    late = Backed(tmp_path, key)
    late.target.write_text("in the way")
    with running(late.server), contextlib.closing(clients.connect(late.server, "p")) as client:
        client.document("d/1").set({"n": 1})
        servers.wait_for(lambda: late.figure("brasa_backup_failing") == 1, "the failure")
        rest(late, "POST", "p/databases/(default)/backupSchedules", {"retention": "604800s", "dailyRecurrence": {}})
        # A round of the schedules is logged where it makes a backup; writes pass the time of one.
        for number in range(20):
            client.document("d/1").set({"n": number})
        late.target.unlink()

        def ready():
            found = rest(late, "GET", "p/locations/-/backups").get("backups", [])
            return found and all(backup["state"] == "READY" for backup in found)

        servers.wait_for(ready, "a backup", 60)
