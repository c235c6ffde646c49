"""The command line: export and import, verify, databases, version; beside a server and without."""

import json
import math
import pathlib
import re
import socket
import subprocess

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.bson import (
    BSONBinary,
    BSONDecimal128,
    BSONInt32,
    BSONMaxKey,
    BSONMinKey,
    BSONObjectId,
    BSONRegex,
    BSONTimestamp,
)
from google.cloud.firestore_v1.vector import Vector

from support import clients, rest, rpc, server as servers
from support.identity import Identity

pytestmark = pytest.mark.brasa_only


@pytest.fixture
def filled(tmp_path):
    """A running server with a small tree of every type."""
    running = servers.Brasa(tmp_path / "data").start()
    client = clients.connect(running, "p")
    client.document("v/all").set(
        {
            "null": None,
            "int": -(2**63),
            "double": 3.0,
            "zero": -0.0,
            "nan": math.nan,
            "infinity": -math.inf,
            "text": "a\x00\n\u2028😀",
            "bytes": bytes(range(256)),
            "time": firestore.SERVER_TIMESTAMP,
            "place": firestore.GeoPoint(0.1, -0.2),
            "reference": client.document("v/other"),
            "vector": Vector([1.0, -0.0]),
            "bson": [
                BSONMinKey(), BSONMaxKey(), BSONInt32(3), BSONDecimal128("0.10"), BSONObjectId("507f191e810c19729de860ea"),
                BSONBinary(b"a", 4), BSONTimestamp(1, 2), BSONRegex("^a", "i"),
            ],
            "list": [{}, "x", 1, 1.0],
            "map": {"a.b": {"`": 1}},
        }
    )
    client.document("v/é \u0001:%").set({})
    client.document("deep/missing/below/x").set({"n": 1})
    client.document("deep/missing/below/x/below/y").set({"n": 2})
    batch = client.batch()
    for number in range(300):
        batch.set(client.document(f"many/{number:03}"), {"n": number})
    batch.commit()
    client.close()
    yield running
    running.kill()


def snapshot_of(server, project="p"):
    """Every document of the project, as REST shows it, without times."""
    http = rest.Rest(server, project)
    found = {}

    def walk(parent):
        for collection in http.call("POST", f"{parent}:listCollectionIds", json={}).get("collectionIds", []):
            token = ""
            while True:
                page = http.call(
                    "GET",
                    f"{parent}/{collection}",
                    params={"showMissing": "true", "pageSize": 100, "pageToken": token},
                )
                for document in page.get("documents", []):
                    path = document["name"].removeprefix(http.root)
                    if "createTime" in document:
                        found[path] = document.get("fields", {})
                    if "%" not in path:
                        walk(document["name"])
                token = page.get("nextPageToken")
                if not token:
                    break

    walk(http.root)
    return json.dumps(found, sort_keys=True).replace(f"projects/{project}/", "projects/-/")


@pytest.mark.parametrize("running", [True, False], ids=["beside a server", "at rest"])
def test_an_export_is_imported_without_loss(filled, tmp_path, running):
    before = snapshot_of(filled)
    if not running:
        filled.stop()
    target = tmp_path / "export"
    said = servers.run("export", target, "--project", "p", "--data", filled.data).stdout
    assert "Not exported" not in said
    everything = servers.run(
        "export", tmp_path / "all", "--project", "p", "--include", "all", "--data", filled.data
    ).stdout
    assert "Not exported: Older rulesets" in everything and "second factors" not in everything
    files = sorted(path.name for path in target.rglob("*.jsonl"))
    assert len(files) >= 4
    for path in target.rglob("*.jsonl"):
        for line in path.read_text().removesuffix("\n").split("\n"):
            assert "/documents/" in json.loads(line)["name"]

    other = servers.Brasa(tmp_path / "other")
    other.start()
    clients.connect(other, "p").document("kept/x").set({})
    if not running:
        other.stop()
    servers.run("import", target, "--project", "p", "--data", other.data)
    if not running:
        other.start()
    kept = clients.connect(other, "p").document("kept/x")
    assert kept.get().exists
    kept.delete()
    assert snapshot_of(other) == before
    other.stop()
    assert servers.run("verify", "--data", other.data).returncode == 0


RULES = """rules_version = '2';
service cloud.firestore { match /databases/{db}/documents { match /{any=**} { allow read, write: if true; } } }
"""


@pytest.mark.parametrize("running", [True, False], ids=["beside a server", "at rest"])
def test_what_other_services_keep_is_exported_and_imported_by_name(tmp_path, running):
    """Accounts with their passwords, and the rules in force."""
    first = servers.Brasa(tmp_path / "first").start()
    account = {"email": "ana@example.com", "password": "correct horse"}
    signed_up = Identity(first, "p").client("signUp", **account)
    clients.connect(first, "p").document("c/d").set({"n": 1})
    rules_file = tmp_path / "firestore.rules"
    rules_file.write_text(RULES)
    servers.run("rules", "deploy", rules_file, "--project", "p", "--data", first.data)
    if not running:
        first.stop()
    target = tmp_path / "export"
    servers.run("export", target, "--project", "p", "--data", first.data, "--include", "all")
    lines = (target / "accounts" / "users.jsonl").read_text().splitlines()
    assert [json.loads(line).get("localId") for line in lines] == [None, signed_up["localId"]]
    (release,) = (target / "rules" / "releases.jsonl").read_text().splitlines()
    assert json.loads(release)["release"] == "cloud.firestore"

    other = servers.Brasa(tmp_path / "other").start()
    clients.connect(other, "p").document("kept/x").set({})
    if not running:
        other.stop()
    data = ("--project", "p", "--data", other.data)
    refused = servers.run("export", tmp_path / "none", *data, "--include", "nothing", check=False)
    assert refused.returncode != 0 and "Kinds: accounts, apps, config, documents, events, files, " in refused.stderr
    servers.run("import", target, *data, "--include", "accounts", "--include", "rules")
    verified = servers.run("verify", "--data", other.data).stdout
    assert verified.startswith("2 documents, 1 index entry, 1 ruleset, 1 release, 1 account")
    assert verified.endswith(": no differences\n")
    assert RULES.strip() in servers.run("rules", "show", "cloud.firestore", *data).stdout
    if not running:
        other.start()
    assert Identity(other, "p").client("signInWithPassword", **account)["localId"] == signed_up["localId"]
    for server in (first, other):
        if server.is_running:
            server.stop()


BOOLEANS = 1_040_000


@pytest.mark.slow
@pytest.mark.parametrize("running", [True, False], ids=["beside a server", "at rest"])
def test_a_document_of_a_million_booleans_is_exported_and_imported(tmp_path, running):
    """Its line is longer than any line of the control socket may be."""
    server = servers.Brasa(tmp_path / "data").start()
    calls = rpc.Calls(server.host)
    name = "projects/p/databases/{}/documents/c/large"
    document = types.Document(name=name.format("(default)"), fields={"b": {"array_value": {}}})
    value = types.Value.pb(types.Value(boolean_value=True))
    types.Document.pb(document).fields["b"].array_value.values.extend([value] * BOOLEANS)
    calls.UpdateDocument(document=document)
    before = memory_of(server)
    if not running:
        server.stop()
    target = tmp_path / "export"
    servers.run("export", target, "--project", "p", "--data", server.data)
    (file,) = target.rglob("*.jsonl")
    assert file.stat().st_size > 16 << 20
    servers.run("databases", "create", "copy", "--project", "p", "--data", server.data)
    servers.run("import", target, "--project", "p", "--database", "copy", "--data", server.data)
    if running:
        # The message is four megabytes, its JSON twenty-three, and JSON within JSON more.
        assert memory_of(server) - before < 100 << 20
    else:
        server.start()
        calls = rpc.Calls(server.host)
    copy = calls.GetDocument(name=name.format("copy"))
    found = types.Document.pb(copy).fields["b"].array_value.values
    assert len(found) == BOOLEANS and all(item.boolean_value for item in found)
    server.stop()


def memory_of(server):
    """The resident bytes of a server's process."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) << 10


def test_verify_works_beside_a_server(filled):
    assert servers.run("verify", "--data", filled.data).returncode == 0


@pytest.mark.parametrize("running", [True, False])
def test_a_collection_is_deleted_whole(filled, running):
    if not running:
        filled.stop()

    def delete(*arguments, **more):
        return servers.run(
            "databases", "delete-collection", *arguments, "--project", "p", "--data", filled.data, **more
        )

    refused = delete("many", check=False)
    assert refused.returncode != 0 and "--force" in refused.stderr
    assert "deleted 300 documents of many" in delete("many", "--force").stdout
    assert "deleted 0 documents of deep" in delete("deep", "--force").stdout
    assert "deleted 2 documents of deep" in delete("deep", "--recursive", "--force").stdout
    bad = delete("many/1", "--force", check=False)
    assert bad.returncode == 1 and "not the path of a collection" in bad.stderr
    if not running:
        filled.start()
    assert list(json.loads(snapshot_of(filled))) == ["/v/all", "/v/é \u0001:%"]


def test_databases_are_listed_created_and_deleted(filled):
    def databases(*arguments, **more):
        return servers.run("databases", *arguments, "--data", filled.data, **more)

    databases("create", "orders", "--project", "p")
    assert "orders" in databases("list").stdout
    client = clients.connect(filled, "p", "orders")
    client.document("o/1").set({})
    refused = databases("delete", "orders", "--project", "p", check=False)
    assert refused.returncode != 0 and client.document("o/1").get().exists
    databases("delete", "orders", "--project", "p", "--force")
    assert "orders" not in databases("list").stdout
    bad = databases("create", "Not An Id", "--project", "p", check=False)
    assert bad.returncode != 0
    for command in ("create", "delete", "list"):
        servers.wait_for(
            lambda: any(
                f"administration reason=\"brasa databases {command}\"" in line
                for line in filled.lines
            ),
            f"{command} in the log",
        )


def test_version():
    first = servers.run("version").stdout
    assert any(part[0].isdigit() for part in first.split())


def test_help_names_every_command():
    text = servers.run("--help").stdout
    for command in ("serve", "verify", "export", "import", "indexes", "databases", "certs", "version"):
        assert command in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--port", "70000", "--dev"],
        ["serve", "--port", "zero", "--dev"],
        ["serve", "--nonsense"],
        ["nonsense"],
        ["verify", "--data", "/nonexistent/brasa"],
        ["serve", "--dev", "--tls-certificate", "/nonexistent.pem", "--tls-key", "/nonexistent.pem"],
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_bad_arguments_say_so_and_fail(arguments, tmp_path):
    data = [] if "--data" in arguments or arguments[0] != "serve" else ["--data", tmp_path / "data"]
    done = servers.run(*arguments, *data, check=False, timeout=30)
    assert done.returncode not in (0, None)
    assert (done.stderr + done.stdout).strip()


def test_settings_come_from_the_environment_too(tmp_path):
    server = servers.Process(
        [servers.binary(), "serve"],
        servers.clean_environment(
            {"BRASA_PORT": "0", "BRASA_DATA": str(tmp_path / "data"), "BRASA_DEV": "true"}
        ),
    )
    server.start()
    assert (tmp_path / "data").is_dir()
    assert server.stop() == 0


def serve(tmp_path, arguments=(), variables=()):
    """Runs a server that is to refuse its start; returns what it says."""
    done = subprocess.run(
        [servers.binary(), "serve", "--dev", "--port", "0", "--data", str(tmp_path / "data"), *arguments],
        env=servers.clean_environment(dict(variables)), capture_output=True, text=True, timeout=60,
    )
    assert done.returncode != 0 and not (tmp_path / "data").exists()
    return done.stderr


def test_the_address_of_apps_is_not_taken_for_the_one_to_listen_on(tmp_path):
    said = serve(tmp_path, variables={"BRASA_HOST": "0.0.0.0"})
    assert "BRASA_LISTEN" in said and "--host 0.0.0.0" in said
    said = serve(tmp_path, variables={"BRASA_HOST": "::"})
    assert "BRASA_LISTEN" in said
    # The address to listen on has a variable of its own, and an app's variable in the same shell does no harm.
    server = servers.Process(
        [servers.binary(), "serve", "--dev", "--port", "0", "--data", str(tmp_path / "data")],
        servers.clean_environment({"BRASA_HOST": "localhost:8080", "BRASA_LISTEN": "127.0.0.2"}),
    )
    server.start()
    assert "address=127.0.0.2" in server.output
    assert server.stop() == 0


def serving_fails(tmp_path, *arguments):
    """Runs a server whose port cannot be opened; returns the sentence with which it ends, not its log."""
    done = subprocess.run(
        [servers.binary(), "serve", *arguments, "--data", str(tmp_path / "data")],
        env=servers.clean_environment({}), capture_output=True, text=True, timeout=60,
    )
    assert done.returncode != 0
    said = done.stderr[done.stderr.rindex("Error: "):]
    for sign in ("errno", "code:", "SocketAddressError", "NIOCore", "bind("):
        assert sign not in said
    return said


@pytest.mark.parametrize("host", ["nowhere.invalid", "no host", "203.0.113.7"])
def test_a_host_that_is_no_address_of_this_machine_is_told_in_a_sentence(host, tmp_path):
    said = serving_fails(tmp_path, "--port", "0", "--host", host)
    assert f"Can't listen on {host}" in said and "127.0.0.1" in said


def test_a_port_that_is_taken_is_told_in_a_sentence(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = serving_fails(tmp_path, "--dev", "--port", str(port))
    assert f"Port {port} is already in use" in said


def test_a_directory_of_a_newer_format_is_refused_untouched(filled):
    filled.stop()
    marker = filled.data / "FORMAT"
    if not marker.exists():
        pytest.skip("the format number is inside the store; the storage tests cover it")
    marker.write_text("999999\n")
    before = sorted((path, path.stat().st_mtime_ns) for path in filled.data.rglob("*"))
    with pytest.raises(RuntimeError):
        filled.start()
    assert "newer" in filled.output.lower()
    assert sorted((path, path.stat().st_mtime_ns) for path in filled.data.rglob("*")) == before


def commands(command, above=()):
    """Every command with the words that call it and the help of the one above it."""
    words = (*above, command["commandName"])
    yield words, command
    for inner in command.get("subcommands", []):
        if inner["commandName"] != "help":
            yield from commands(inner, words)


def test_every_help_has_an_example_or_leads_to_one():
    """A command that takes an argument or has commands of its own shows how it is used."""
    dump = json.loads(servers.run("--experimental-dump-help").stdout)["command"]
    helps = {words: command for words, command in commands(dump)}
    for words, command in helps.items():
        call = re.compile("^ +(?:[A-Z_]+=\\S+ )?" + " ".join(words), re.MULTILINE)
        shown = (command, helps.get(words[:-1], {}))
        takes = [part for part in command["arguments"] if part["kind"] == "positional"]
        is_plain = not takes and not command.get("subcommands") and words != ("brasa", "serve")
        assert is_plain or any(call.search(part.get("discussion", "")) for part in shown), words
    assert ("brasa", "users", "import") in helps and ("brasa", "keys", "create") in helps
