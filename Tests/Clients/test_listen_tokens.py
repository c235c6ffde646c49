"""Credentials that end while streams are open: the stream ends, its client comes back and goes on."""

import json
import subprocess
import sys
import textwrap
import time

import grpc
import jwt
import pytest
import requests

from support import rules, server as servers, streams
from support.identity import Identity
from support.listening import ListenStream
from support.rpc import Names

pytestmark = pytest.mark.brasa_only

PROJECT = "shop"
FIRESTORE = "https://firestore.googleapis.com/"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    directory = tmp_path_factory.mktemp("certificates")
    servers.run("certs", "--directory", directory)
    return directory


@pytest.fixture(scope="module")
def production(tmp_path_factory, certificates):
    running = servers.Brasa(
        tmp_path_factory.mktemp("production") / "data",
        "--tls-certificate", certificates / "server.pem",
        "--tls-key", certificates / "server-key.pem",
        development=False,
    ).start()
    yield running
    running.kill()


def make_key(production, directory, name):
    file = directory / f"{name}.json"
    servers.run(
        "keys", "create", name, "--role", "admin", "--project", PROJECT, "--out", file,
        "--origin", f"https://localhost:{production.port}", "--data", production.data,
    )
    return file


def bearer(key_file, seconds=3_600):
    """The header of a token that a back end signs itself."""
    account = json.loads(key_file.read_text())
    now = int(time.time())
    claims = {
        "iss": account["client_email"], "sub": account["client_email"], "aud": FIRESTORE,
        "iat": now, "exp": now + seconds,
    }
    headers = {"kid": account["private_key_id"]}
    token = jwt.encode(claims, account["private_key"], algorithm="RS256", headers=headers)
    return (("authorization", f"Bearer {token}"),)


@pytest.fixture
def channel(production, certificates):
    trusted = grpc.ssl_channel_credentials((certificates / "authority.pem").read_bytes())
    made = grpc.secure_channel(f"localhost:{production.port}", trusted)
    yield made
    made.close()


def metric(server, authority, name):
    text = requests.get(server.url.replace("127.0.0.1", "localhost") + "/metrics", timeout=30,
                        verify=str(authority)).text
    found = [line for line in text.splitlines() if line.startswith(f"brasa_{name} ")]
    return float(found[0].split()[1])


CLIENT = textwrap.dedent(
    """
    import json, sys, threading
    import google.auth.jwt
    from google.cloud import firestore

    class Credentials(google.auth.jwt.Credentials):
        made = 0

        def refresh(self, request):
            type(self).made += 1
            super().refresh(request)

    port, project, file = sys.argv[1:]
    # Google's library takes a token of two seconds for over at once, and makes one a call.
    credentials = Credentials.from_service_account_file(
        file, audience="https://firestore.googleapis.com/", token_lifetime=2)
    client = firestore.Client(
        project=project, credentials=credentials, client_options={"api_endpoint": f"localhost:{port}"})
    changed = threading.Condition()
    snapshots = []

    def take(documents, changes, read_time):
        with changed:
            snapshots.append([[change.type.name, change.document.id] for change in changes])
            changed.notify_all()

    def wait(count):
        with changed:
            assert changed.wait_for(lambda: len(snapshots) >= count, 60), snapshots

    collection = client.collection("renewed")
    for key in "abc":
        collection.document(key).set({"n": 1})
    watch = collection.on_snapshot(take)
    wait(1)
    made = Credentials.made
    # Only the listener's own coming back makes tokens now.
    while Credentials.made < made + 2:
        threading.Event().wait(0.05)
    collection.document("b").set({"n": 2})
    wait(2)
    watch.unsubscribe()
    print(json.dumps(snapshots))
    """
)


def test_googles_listener_renews_its_token_and_goes_on(production, certificates, tmp_path):
    """The token is over after two seconds: the stream ends, and the next one, with a new token, goes
    on from where the first was."""
    authority = certificates / "authority.pem"
    key_file = make_key(production, tmp_path, "renewing")
    resumed = metric(production, authority, "listen_resumptions_total")
    environment = servers.clean_environment({"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(authority)})
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, str(production.port), PROJECT, str(key_file)],
        capture_output=True, text=True, env=environment, timeout=120,
    )
    assert done.returncode == 0, done.stderr
    first, *later = json.loads(done.stdout)
    assert sorted(first) == [["ADDED", key] for key in "abc"]
    assert [kind for kind in later if kind] == [[["MODIFIED", "b"]]]
    assert metric(production, authority, "listen_resumptions_total") >= resumed + 2
    assert metric(production, authority, "listen_unusable_tokens_total") == 0


def test_a_token_that_is_over_ends_streams_and_the_next_goes_on(production, channel, tmp_path):
    names = Names(PROJECT)
    key_file = make_key(production, tmp_path, "ending")
    writer = streams.WriteStream(channel, names.database, metadata=bearer(key_file))
    assert writer.write(streams.update(names("ending/a"), n=1)).write_results
    stream = ListenStream(channel, names.database, metadata=bearer(key_file, seconds=6))
    target = stream.add(2, stream.query("ending"))
    stream.until_consistent(2)
    assert stream.until_ended()[0] == "UNAUTHENTICATED"
    again = ListenStream(channel, names.database, metadata=bearer(key_file))
    resumed = again.add(
        2, again.query("ending"), held=target.consistent, resume_token=target.token)
    again.until_consistent(2)
    assert resumed.documents_sent == 0 and resumed.resets == 0 and again.ids(2) == ["a"]
    again.cancel()
    writer.cancel()


def test_a_revoked_key_ends_its_streams(production, channel, tmp_path):
    names = Names(PROJECT)
    key_file = make_key(production, tmp_path, "leaked")
    kept = make_key(production, tmp_path, "kept")
    stream = ListenStream(channel, names.database, metadata=bearer(key_file))
    other = ListenStream(channel, names.database, metadata=bearer(kept))
    writer = streams.WriteStream(channel, names.database, metadata=bearer(key_file))
    for each in (stream, other):
        each.add(2, each.query("leaked"))
        each.until_consistent(2)
    key = json.loads(key_file.read_text())["private_key_id"]
    servers.run("keys", "revoke", key, "--data", production.data)
    assert stream.until_ended()[0] == "UNAUTHENTICATED"
    with pytest.raises(Exception) as failure:
        writer.write(streams.update(names("leaked/a"), n=1))
    assert failure.value.code is grpc.StatusCode.UNAUTHENTICATED
    assert other.status is None
    other.cancel()
    writer.cancel()


def test_a_user_who_signs_in_again_goes_on(server, project, names, calls):
    """A disabled user's stream ends; with the next token the user goes on from the old stream's end."""
    identity = Identity(server, project)
    assert rules.put(server, project, rules.PRODUCTS).status_code == 200
    user = identity.client("signUp", email="ana@example.com", password="secret-of-ana")
    uid = user["localId"]
    fields = {"userId": {"string_value": uid}}
    write = {"update": {"name": names("products/p"), "fields": fields}}
    calls.Commit(database=names.database, writes=[write])
    where = [("userId", "EQUAL", {"string_value": uid})]

    def listen(token, **more):
        metadata = (("authorization", f"Bearer {token}"),)
        stream = ListenStream(connection, names.database, metadata=metadata)
        return stream, stream.add(2, stream.query("products", where=where), **more)

    with grpc.insecure_channel(server.host) as connection:
        stream, target = listen(user["idToken"])
        stream.until_consistent(2)
        assert stream.ids(2) == ["p"]
        identity.admin("/accounts:update", localId=uid, disableUser=True)
        assert stream.until_ended()[0] == "UNAUTHENTICATED"
        identity.admin("/accounts:update", localId=uid, disableUser=False)
        anew = identity.client(
            "signInWithPassword", email="ana@example.com", password="secret-of-ana",
            returnSecureToken=True)
        again, resumed = listen(anew["idToken"], held=target.consistent, resume_token=target.token)
        again.until_consistent(2)
        assert resumed.documents_sent == 0 and resumed.resets == 0 and again.ids(2) == ["p"]
        again.cancel()
