"""What may happen to a backup: kills at any moment, a target that is full or away, S3, a proof."""

import contextlib
import os
import random
import shutil
import subprocess
import threading

import pytest
import requests
from support import clients, firebase_storage as firebase, server as servers
from support.relay import Relay
from support.s3 import Moto
from test_backup import BUCKET, Backed, documents, key, running  # noqa: F401

pytestmark = pytest.mark.brasa_only


def write(client, names, size=200):
    for name in names:
        client.document(f"d/{name}").set({"n": str(name), "text": "x" * size})


def test_nothing_that_was_shipped_or_acknowledged_is_lost_over_kills(tmp_path, key):
    """After each kill the chain goes on; at the end the backup has every acknowledged document."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chooser = random.Random(seed)
    backed = Backed(tmp_path, key)
    kept = set()
    for cycle in range(5):
        backed.server.start()
        with contextlib.closing(clients.connect(backed.server, "p")) as client:
            for number in range(chooser.randrange(1, 25)):
                write(client, [f"{cycle}-{number}"], chooser.choice([10, 20_000]))
                kept.add(f"{cycle}-{number}")
            threading.Event().wait(chooser.uniform(0, 0.4))
        backed.server.kill()
        if chooser.randrange(3) == 0:
            backed.server.begin()
            threading.Event().wait(chooser.uniform(0, 0.8))
            backed.server.kill()
    with running(backed.server):
        backed.wait()
        backed.server.kill()
    to, done = backed.restore()
    assert "no differences" in done.stdout
    assert set(documents(to)) >= kept


def test_a_target_that_is_away_is_caught_up_with(tmp_path, key):
    backed = Backed(tmp_path, key)
    away = tmp_path / "away"
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
        write(client, range(5))
        backed.wait()
        backed.target.rename(away)
        write(client, range(5, 30))
        servers.wait_for(lambda: backed.figure("brasa_backup_failing") == 1, "the failure")
        assert backed.figure("brasa_backup_lag_seconds") > 0
        # Nothing is made where a disk was mounted.
        assert not backed.target.exists()
        servers.wait_for(lambda: "the backup failed" in server.output, "the log")
        away.rename(backed.target)
        backed.wait()
        server.kill()
    assert len(list((backed.target / "bases").iterdir())) == 1
    to, _ = backed.restore()
    assert len(documents(to)) == 30


def test_the_log_that_waits_is_bounded_and_a_new_base_takes_its_place(tmp_path, key):
    environment = {"BRASA_BACKUP_LOG_MEGABYTES": "16", "BRASA_TABLE_KILOBYTES": "1024"}
    backed = Backed(tmp_path, key, environment=environment)
    away = tmp_path / "away"
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
        write(client, range(5))
        backed.wait()
        backed.target.rename(away)
        write(client, range(5, 60), 900_000)
        kept = backed.server.data / "store" / "archive"

        def is_bounded():
            files = list(kept.glob("*.log")) if kept.exists() else []
            return sum(file.stat().st_size for file in files if file.exists()) < 18 << 20

        servers.wait_for(is_bounded, "the bound of the log", 90)
        away.rename(backed.target)
        servers.wait_for(backed.is_current, "the backup", 90)
        server.kill()
    assert len(list((backed.target / "bases").iterdir())) == 2
    to, done = backed.restore()
    assert "no differences" in done.stdout and len(documents(to)) == 60


def test_a_full_disk_of_the_target_stops_nothing_but_the_backup(tmp_path, key):
    mount = tmp_path / "target"
    mount.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", mount], capture_output=True)
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        backed = Backed(tmp_path, key)
        with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
            write(client, range(5))
            backed.wait()
            for number in range(5, 25):
                client.document(f"d/{number}").set({"bytes": os.urandom(500_000)})
            servers.wait_for(lambda: backed.figure("brasa_backup_failing") == 1, "the failure")
            servers.wait_for(lambda: "No space left" in server.output, "the log")
            subprocess.run(["mount", "-o", "remount,size=200m", mount], check=True)
            servers.wait_for(backed.is_current, "the backup", 90)
            server.kill()
        to, _ = backed.restore()
        assert len(documents(to)) == 25
    finally:
        subprocess.run(["umount", "-l", mount])


def test_a_restore_that_was_cut_off_leaves_nothing_that_a_server_takes(tmp_path, key):
    backed = Backed(tmp_path, key)
    content = os.urandom(9 << 20)
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
        write(client, range(30), 50_000)
        assert firebase.Storage(server, BUCKET, "owner").upload("big", content).status_code == 200
        backed.wait()
        server.stop()
    to = tmp_path / "restored"
    command = [servers.binary(), "restore", "--from", backed.target, "--to", to, "--backup-key", key]
    unfinished = tmp_path / "restored.restoring"
    cut = 0
    for milliseconds in (0, 10, 30, 60, 100, 200, 400):
        shutil.rmtree(unfinished, ignore_errors=True)
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        servers.wait_for(lambda: unfinished.exists() or process.poll() is not None, "the beginning of a restore")
        threading.Event().wait(milliseconds / 1_000)
        process.kill()
        process.communicate()
        if to.exists():
            break
        cut += 1
        refused = servers.Brasa(unfinished)
        refused.begin()
        assert refused.process.wait(servers.START_SECONDS) == 1
        refused.stop()
        assert "left from an interrupted restore" in refused.output
        done = servers.run("verify", "--data", unfinished, check=False)
        assert done.returncode == 1 and "interrupted restore" in done.stderr
    assert cut > 0
    if not to.exists():
        servers.run(*command[1:])
    assert len(documents(to)) == 30


def test_a_restore_to_an_earlier_instant_ends_sessions_and_removes_again_who_was_removed(tmp_path, key):
    backed = Backed(tmp_path, key)
    ana = {"email": "ana@example.org", "password": "a long password", "returnSecureToken": True}
    bob = {**ana, "email": "bob@example.org"}
    with running(backed.server) as server:
        backed.wait()
        token = auth(server, "accounts:signUp", ana).json()["refreshToken"]
        removed = auth(server, "accounts:signUp", bob).json()
        with contextlib.closing(clients.connect(server, "demo-brasa")) as client:
            first = client.document("d/1").set({"n": 1}).update_time
            client.document("d/2").set({"n": 2})
            backed.wait()
            assert auth(server, "accounts:delete", {"idToken": removed["idToken"]}).status_code == 200
            client.document("d/3").set({"n": 3})
        server.stop()
    version = int(first.timestamp()) * 1_000_000 + first.microsecond + 1
    point = ["--before-commit", version]
    for arguments, session, bobs in ((point, 400, 400), ([*point, "--with-access"], 200, 200)):
        to, done = backed.restore(*arguments)
        assert (f"removed again: user {removed['localId']}" in done.stdout) == (bobs == 400)
        assert documents(to, "demo-brasa") == {"1": {"n": 1}}
        with running(servers.Brasa(to)) as server:
            assert refresh(server, token).status_code == session
            assert auth(server, "accounts:signInWithPassword", ana).status_code == 200
            assert auth(server, "accounts:signInWithPassword", bob).status_code == bobs


def test_one_database_is_restored_as_a_new_one_of_the_running_server(tmp_path, key):
    """As docs/operating.md has it: a restore beside the server, an export of it, an import under another name."""
    backed = Backed(tmp_path, key)
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "shop")) as client:
        backed.wait()
        write(client, range(5))
        last = client.document("d/4").get().update_time
        for number in range(5):
            client.document(f"d/{number}").delete()
        backed.wait()
        version = int(last.timestamp()) * 1_000_000 + last.microsecond + 1
        to, _ = backed.restore("--before-commit", version)
        copy = tmp_path / "copy"
        servers.run("export", copy, "--project", "shop", "--data", to)
        servers.run("databases", "create", "restored", "--project", "shop", "--data", server.data)
        servers.run("import", copy, "--project", "shop", "--database", "restored", "--data", server.data)
        with contextlib.closing(clients.connect(server, "shop", "restored")) as found:
            assert len(list(found.collection("d").stream())) == 5
        assert not list(client.collection("d").stream())


def auth(server, method, body):
    return requests.post(f"{server.url}/identitytoolkit.googleapis.com/v1/{method}?key=any", json=body, timeout=30)


def refresh(server, token):
    return requests.post(
        f"{server.url}/securetoken.googleapis.com/v1/token?key=any",
        data={"grant_type": "refresh_token", "refresh_token": token}, timeout=30,
    )


def test_a_backup_is_proven_by_a_command_and_by_the_server_itself(tmp_path, key):
    backed = Backed(tmp_path, key, environment={"BRASA_BACKUP_PROOF_HOURS": "0"})
    with running(backed.server) as server:
        with contextlib.closing(clients.connect(server, "p")) as client:
            write(client, range(5))
        servers.wait_for(lambda: backed.figure("brasa_backup_proven_timestamp_seconds"), "a proof")
        backed.wait()
        done = servers.run("backup", "status", "--from", backed.target, "--backup-key", key)
        assert "proven    base 1" in done.stdout and "base 1 " in done.stdout, done.stdout
        server.stop()
    done = servers.run("backup", "verify", "--from", backed.target, "--backup-key", key, "--scratch", tmp_path / "scratch")
    assert "proven: base 1" in done.stdout and "no differences" in done.stdout
    assert not list(tmp_path.glob("scratch*"))
    backed.segments[-1].write_bytes(b"damaged")
    done = servers.run(
        "backup", "verify", "--from", backed.target, "--backup-key", key, "--scratch", tmp_path / "scratch", check=False
    )
    assert done.returncode == 1 and "is damaged" in done.stderr and not list(tmp_path.glob("scratch*"))


@pytest.fixture(scope="module")
def moto():
    made = Moto()
    yield made
    made.close()


def test_s3_keeps_a_backup_of_one_server(moto, tmp_path, key):
    environment = {
        "BRASA_BACKUP_S3_ENDPOINT": moto.url, "BRASA_BACKUP_S3_ACCESS_KEY_ID": moto.access_id,
        "BRASA_BACKUP_S3_SECRET_ACCESS_KEY": moto.secret, "BRASA_BACKUP_S3_REGION": moto.region,
    }
    address = f"s3://{moto.bucket}/{tmp_path.name}"
    flags = ["--backup", address, "--backup-key", key]
    backed = Backed(tmp_path, key)
    backed.server = servers.Brasa(tmp_path / "data", *flags, environment=environment)
    content = os.urandom(9 << 20)
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
        write(client, range(20))
        assert firebase.Storage(server, BUCKET, "owner").upload("big", content).status_code == 200
        backed.wait()
        other = servers.Brasa(tmp_path / "other", *flags, environment=environment)
        other.begin()
        assert other.process.wait(servers.START_SECONDS) == 1
        other.stop()
        assert "is the backup of another server" in other.output
        write(client, range(20, 30))
        backed.wait()
        server.kill()
    assert moto.secret not in server.output
    shutil.rmtree(server.data)
    to = tmp_path / "restored"
    done = servers.run("restore", "--from", address, "--to", to, "--backup-key", key, environment=environment)
    assert "no differences" in done.stdout
    assert len(documents(to)) == 30
    with running(servers.Brasa(to)) as server:
        assert firebase.Storage(server, BUCKET, "owner").download("big").content == content


def test_s3_that_hangs_or_gets_half_an_object_is_caught_up_with(moto, tmp_path, key):
    relay = Relay(int(moto.url.rsplit(":", 1)[1]))
    environment = {
        "BRASA_BACKUP_S3_ENDPOINT": f"http://{relay.host}", "BRASA_BACKUP_S3_ACCESS_KEY_ID": moto.access_id,
        "BRASA_BACKUP_S3_SECRET_ACCESS_KEY": moto.secret, "BRASA_BACKUP_S3_REGION": moto.region,
    }
    address = f"s3://{moto.bucket}/{tmp_path.name}"
    backed = Backed(tmp_path, key)
    backed.server = servers.Brasa(tmp_path / "data", "--backup", address, "--backup-key", key, environment=environment)
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
        write(client, range(5))
        backed.wait()
        relay.stall()
        write(client, range(5, 25))
        servers.wait_for(lambda: backed.figure("brasa_backup_lag_seconds") > 1, "a lag")
        # The server goes on, and so does the backup when the bucket's server is there again.
        assert client.document("d/24").get().exists
        sent = []

        def half():
            sent.append(True)
            return 6_000 if len(sent) < 4 else None

        relay.cut_sent_after = half
        relay.cut_all()
        relay.resume()
        write(client, range(25, 30), size=8_000)
        servers.wait_for(lambda: len(sent) >= 4, "objects that were cut off")
        backed.wait()
        server.kill()
    environment["BRASA_BACKUP_S3_ENDPOINT"] = moto.url
    to = tmp_path / "restored"
    done = servers.run("restore", "--from", address, "--to", to, "--backup-key", key, environment=environment)
    assert "no differences" in done.stdout
    assert len(documents(to)) == 30
    relay.close()
