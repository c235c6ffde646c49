"""gcloud's commands about Firestore and Storage in one run, where it is installed: 22 of them, one after the other."""

import pytest

from support import clients, server as servers, storage_tools as tools

pytestmark = [pytest.mark.brasa_only, pytest.mark.slow]


@pytest.fixture
def brasa(tmp_path):
    made = servers.Brasa(tmp_path / "data", "--project", "shop", "--backup", tmp_path / "backup", "--allow-plain").start()
    yield made
    assert made.stop() == 0


@pytest.fixture
def gcloud(brasa, tmp_path):
    return tools.gcloud(brasa, "shop", tmp_path)


STOCK, ROOT = "--database=stock", "gs://shop-data"
ABSENT = '"code":501,"message":"This method of the administration API is not served."'
# Each command, and a text that it has to print; those with `ABSENT` fail with it.
COMMANDS = [
    (f"firestore databases create {STOCK} --location=nam5", "databases/stock"),
    ("firestore databases list", "projects/shop/databases/stock"),
    (f"firestore databases describe {STOCK}", "type: FIRESTORE_NATIVE"),
    (f"firestore databases update {STOCK} --enable-pitr", "POINT_IN_TIME_RECOVERY_ENABLED"),
    (f"firestore indexes composite create {STOCK} --collection-group=items --field-config=field-path=a,order=ascending "
     "--field-config=field-path=b,order=descending", ""),
    (f"firestore indexes composite list {STOCK}", "items"),
    (f"firestore indexes fields update text {STOCK} --collection-group=items --disable-indexes", ""),
    (f"firestore indexes fields list {STOCK}", "fields/text"),
    (f"firestore fields ttls update ends {STOCK} --collection-group=items --enable-ttl", ""),
    (f"firestore fields ttls list {STOCK}", "fields/ends"),
    (f"firestore backups schedules create {STOCK} --recurrence=daily --retention=7d", "backupSchedules/"),
    (f"firestore backups schedules list {STOCK}", "backupSchedules/"),
    ("firestore backups list", ""),
    (f"storage buckets create {ROOT}", ""),
    ("storage buckets list", "shop-data"),
    (f"storage cp FILE {ROOT}/below/one", ""),
    (f"storage ls {ROOT}/below/", f"{ROOT}/below/one"),
    (f"storage mv {ROOT}/below/one {ROOT}/two", ""),
    (f"firestore export {ROOT}/export {STOCK}", ABSENT),
    (f"firestore bulk-delete {STOCK} --collection-ids=items", ""),
    (f"firestore import {ROOT}/export {STOCK}", ABSENT),
    (f"storage rm --recursive {ROOT}", ""),
]


def test_gcloud_runs_its_22_commands(brasa, gcloud, tmp_path, capsys):
    assert len(COMMANDS) == 22
    (tmp_path / "one.txt").write_text("hello")
    client = clients.connect(brasa, "shop", "stock")
    failed = []
    for number, (command, wanted) in enumerate(COMMANDS, 1):
        if number == 14:
            for item in range(20):
                client.document(f"items/{item}").set({"a": item})
        words = command.replace("FILE", str(tmp_path / "one.txt")).split()
        done = gcloud.run(*words, check=False)
        text = f"{number:2} gcloud {command}: {done.returncode}\n{done.stdout}{done.stderr}"
        # For whoever runs this by hand: pytest -s.
        with capsys.disabled():
            print("\n" + text, flush=True)
        if done.returncode != (1 if wanted == ABSENT else 0) or wanted not in done.stdout + done.stderr:
            failed.append(text)
        if " bulk-delete " in command and done.returncode == 0:
            servers.wait_for(lambda: not list(client.collection("items").limit(1).stream()), "the deletion")
    assert not failed, "\n".join(failed)
