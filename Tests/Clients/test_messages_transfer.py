"""Exports of messages: which credentials there are, and their private keys only where they are asked for, encrypted."""

import stat

import pytest
import requests

from support import push, secrets, server as servers

pytestmark = pytest.mark.brasa_only

PASSPHRASE = {"BRASA_SECRETS_PASSPHRASE": "a horse that nobody rides"}


def brasa(data, *arguments, **options):
    return servers.run(*arguments, "--project", "shop", "--data", data, **options)


@pytest.fixture
def data(tmp_path):
    """A directory that no server has open."""
    running = servers.Brasa(tmp_path / "data")
    running.start()
    documents = f"{running.url}/v1/projects/shop/databases/(default)/documents/products"
    assert requests.post(documents, json={"fields": {}}, timeout=20).status_code == 200
    assert running.stop() == 0
    return tmp_path / "data"


@pytest.fixture
def other(tmp_path):
    running = servers.Brasa(tmp_path / "other")
    running.start()
    yield running
    running.stop()


def test_private_keys_leave_only_when_asked_for_and_encrypted(tmp_path, data, other):
    key = push.AppleKey(tmp_path)
    private = "".join(key.file.read_text().splitlines()[1:-1])
    secrets.note(private, "APNs key")
    brasa(data, "messages", "credentials", "apns", "--key-id", key.id, "--team-id", key.team, key.file)
    public = brasa(data, "messages", "credentials", "vapid").stdout.strip()

    plain = tmp_path / "plain"
    brasa(data, "export", plain, "--include", "messages")
    assert public in (plain / "messages" / "credentials.jsonl").read_text()
    assert not (plain / "secrets.json").exists()
    without = brasa(other.data, "import", plain, "--include", "messages", check=False)
    assert without.returncode == 1
    assert public in without.stdout and f"Apple's key {key.id} is missing" in without.stdout

    refused = brasa(data, "export", tmp_path / "refused", "--with-secrets", check=False)
    assert refused.returncode != 0 and "BRASA_SECRETS_PASSPHRASE" in refused.stderr
    backup = tmp_path / "backup"
    brasa(data, "export", backup, "--include", "messages", "--with-secrets", environment=PASSPHRASE)
    sealed = backup / "secrets.json"
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o600
    for file in [*plain.rglob("*"), *backup.rglob("*")]:
        if file.is_file():
            text = file.read_text()
            assert private[:30] not in text and "PRIVATE KEY" not in text and "privateKey" not in text

    wrong = {"BRASA_SECRETS_PASSPHRASE": "a horse that somebody rides"}
    refused = brasa(other.data, "import", backup, "--with-secrets", environment=wrong, check=False)
    assert refused.returncode != 0 and "passphrase" in refused.stderr
    assert brasa(other.data, "messages", "credentials").stdout == ""
    brasa(other.data, "import", backup, "--include", "messages", "--with-secrets", environment=PASSPHRASE)
    listed = brasa(other.data, "messages", "credentials").stdout
    assert public in listed and key.id in listed
    again = tmp_path / "again"
    brasa(other.data, "export", again, "--include", "messages")
    exported = [folder / "messages" / "credentials.jsonl" for folder in (plain, again)]
    assert exported[0].read_text() == exported[1].read_text()
