"""Functions in Node, with a package that speaks the protocol of Google's firebase-functions.

Google's own package comes from npm's registry, which the suite can't count on.
"""

import base64
import json
import pathlib
import re
import shutil
import tarfile
import threading

import pytest
import requests
from google.cloud.firestore_v1.base_query import FieldFilter

from support import clients, events, programs, server as servers
from support.analytics import Analytics, batch, event, micros
from support.identity import Identity
from test_functions import Functions, environment

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(
        shutil.which("node") is None or shutil.which("npm") is None,
        reason="NODE IS NOT INSTALLED: functions in Node are not tested. Install node and npm.",
    ),
]

CODEBASE = pathlib.Path(__file__).parent / "codebases" / "node"


@pytest.fixture(scope="module")
def functions(tmp_path_factory, certificates):
    """A production server with the functions of codebases/node."""
    server = servers.Brasa.production(
        tmp_path_factory.mktemp("node"), certificates, "--functions", "--project", "shop",
        environment=environment(tmp_path_factory),
    ).start()
    made = Functions(server, "shop")
    done = made.command("deploy", CODEBASE)
    assert "created  math-add" in done.stdout, done.stdout
    yield made
    was_running = server.is_running
    assert server.stop() == 0, server.output[-4000:]
    assert was_running, server.output[-4000:]


@pytest.fixture(scope="module")
def developed(tmp_path_factory):
    """A development server with the same functions."""
    server = servers.Brasa(
        tmp_path_factory.mktemp("node"), "--functions", environment=environment(tmp_path_factory)
    ).start()
    Functions(server, "shop").command("deploy", CODEBASE)
    yield server
    assert server.stop() == 0, server.output[-4000:]


@pytest.fixture(scope="module")
def documents(developed):
    return clients.connect(developed, "shop")


def seen(documents, kind):
    """What the functions have written down, once they have."""
    def found():
        entries = documents.collection("seen").where(filter=FieldFilter("kind", "==", kind)).stream()
        return [json.loads(one.to_dict()["seen"]) for one in entries]

    return servers.wait_for(found, kind, 120)


def test_a_request_arrives_as_it_was_sent(functions):
    answer = requests.put(
        functions.url("echo", "/a%20b/c?x=1&y=%2F"), json={"n": 1}, verify=functions.server.authority, timeout=120,
        headers={"X-Own": "kept", "X-CloudScheduler": "true", "X-Firebase-AppCheck": "forged"},
    )
    assert answer.status_code == 201, answer.text
    assert answer.headers["X-Answer"] == "yes"
    # An App Check token is for the function to verify, as at Google.
    assert answer.json() == {
        "method": "PUT", "path": "/a%20b/c", "query": {"x": "1", "y": "/"}, "body": {"n": 1}, "ip": "127.0.0.1",
        "length": 8, "own": "kept", "check": "forged",
    }
    servers.wait_for(lambda: "echo of /a%20b/c" in functions.log("echo"), "the line")
    assert functions.get("parts").text == "part 0\npart 1\npart 2\n"


def test_a_callable_function_of_a_group_answers_and_refuses(functions):
    identity = Identity(functions.server, "shop", verify=functions.server.authority)
    user = identity.client("signUp", email="ana@example.com", password="correct horse")
    answer = functions.call("math-add", {"a": 1, "b": 2}, token=user["idToken"])
    assert answer.json() == {"result": {"sum": 3, "authorization": f"Bearer {user['idToken']}"}}
    refused = functions.call("math-add", {})
    assert refused.status_code == 400
    assert refused.json()["error"] == {"status": "INVALID_ARGUMENT", "message": "a is missing", "details": {"field": "a"}}
    head, claims, _ = user["idToken"].split(".")
    assert functions.call("math-add", {"a": 1, "b": 2}, token=f"eyJhbGciOiJub25lIn0.{claims}.").status_code == 401


def test_a_function_verifies_tokens_itself(functions, developed):
    def whose(token):
        return functions.call("whose", token).json()["result"]

    user = Identity(functions.server, "shop", verify=functions.server.authority).client(
        "signUp", email="bia@example.com", password="correct horse"
    )
    head, claims, _ = user["idToken"].split(".")
    assert whose(user["idToken"]) == user["localId"]
    unsigned = f"eyJhbGciOiJub25lIn0.{claims}."
    assert whose(unsigned) == "refused: no such key"
    assert whose(f"{head}.{claims}.c2lnbmF0dXJl") == "refused: invalid signature"
    # In development tokens are as an emulator makes them.
    assert Functions(developed, "shop").call("whose", unsigned).json()["result"] == user["localId"]


def test_a_callable_function_streams(functions):
    answer = functions.call("count", {"to": 2}, Accept="text/event-stream")
    assert answer.headers["Content-Type"] == "text/event-stream"
    lines = [line for line in answer.text.split("\n\n") if line]
    assert lines == ['data: {"message":{"number":0}}', 'data: {"message":{"number":1}}', 'data: {"result":"done"}']
    assert functions.call("count", {"to": 2}).json() == {"result": "done"}


def test_a_document_calls_a_function(documents):
    # Names that a header can carry, and names that it can't.
    names = ["a%20b", "chair é"]
    for name in names:
        documents.document(f"products/{name}").set({"name": name, "price": 10})
    events = servers.wait_for(lambda: [found for found in [seen(documents, "written")] if len(found) == 2], "both", 120)[0]
    for event, name in zip(sorted(events, key=lambda one: one["document"]), names):
        assert event["document"] == f"products/{name}" and event["subject"] == f"documents/products/{name}"
        assert event["before"] is None and event["after"] == {"name": name, "price": 10}


def test_a_new_account_calls_a_function_of_the_first_generation(developed, documents):
    identity = Identity(developed, "shop")
    user = identity.client("signUp", email="eva@example.com", password="correct horse")
    events = servers.wait_for(
        lambda: [one for one in seen(documents, "greeted") if one["email"] == "eva@example.com"], "the account", 120
    )
    assert events[0]["uid"] == user["localId"] and events[0]["id"]
    assert events[0]["type"] == "providers/firebase.auth/eventTypes/user.create"


def test_a_key_event_of_analytics_calls_a_function(developed, documents):
    app, at = Analytics(developed, "shop"), micros()
    app.report("settings", "PATCH", body={"keyEvents": ["purchase"], "timeZone": "UTC"})
    params = {"value": 9.5, "currency": "USD", "count": 3, "items": [{"item_id": "tea"}]}
    properties = {"plan": {"value": "gold", "setTimeMillis": at // 1_000}}
    app.accepted(batch("c1" * 11, event("purchase", params, at), event("other"), userId="ana", userProperties=properties))
    [bought] = seen(documents, "bought")
    assert bought["name"] == "purchase" and bought["params"] == {"value": 9.5, "currency": "USD", "count": 3}
    assert bought["value"] == 9.5 and bought["logTime"].startswith(f"{bought['day'][:4]}-{bought['day'][4:6]}")
    assert (bought["user"], bought["country"], bought["plan"]) == ("ana", "BR", "gold")
    assert bought["app"]["appPlatform"] == "IOS" and bought["app"]["appId"] == "1:42:ios:ab"
    assert bought["resource"] == "projects/shop/events/purchase"
    assert bought["type"] == "providers/google.firebase.analytics/eventTypes/event.log"


def test_a_task_calls_a_function(developed, documents):
    body = base64.b64encode(b'{"data": {"photo": "a"}}').decode()
    answer = requests.post(
        f"{developed.url}/v2/projects/shop/locations/us-central1/queues/resized/tasks", timeout=60,
        headers={"Authorization": "Bearer owner"}, json={"task": {"httpRequest": {"url": "", "body": body}}},
    )
    assert answer.status_code == 200, answer.text
    # The SDK refuses tasks without a token.
    assert seen(documents, "resized") == [{"photo": "a", "queue": "resized", "by": "https://accounts.google.com"}]


def test_what_fails_is_told_and_started_anew(functions):
    assert functions.get("fails").status_code == 500
    servers.wait_for(lambda: "this function fails" in functions.log("fails"), "the reason")
    assert functions.get("leaves").status_code == 500
    servers.wait_for(lambda: "exited with code 3" in functions.log("leaves"), "the reason")
    assert functions.get("parts").status_code == 200


def test_a_function_reads_its_source_alone(functions):
    data = functions.server.data
    paths = ["package.json", data / "functions" / "deployments" / "shop" / "default.json", "/etc/shadow"]
    answer = functions.get("reads", f"?paths={','.join(map(str, paths))}").json()
    assert answer == {str(paths[0]): "read", **{str(path): "EACCES" for path in paths[1:]}}


def test_a_source_that_cannot_be_loaded_changes_nothing(functions, tmp_path):
    shutil.copytree(CODEBASE, tmp_path / "source")
    (tmp_path / "source" / "index.js").write_text("throw new Error('no source');\n")
    refused = functions.command("deploy", tmp_path / "source", check=False)
    assert refused.returncode != 0 and "no source" in refused.stdout + refused.stderr
    # The manifest over HTTP, as older packages have it.
    (tmp_path / "source" / "index.js").write_text(
        "const { onRequest } = require('firebase-functions');\nexports.other = onRequest((request, response) => response.send('2'));\n"
    )
    (tmp_path / "source" / "over-http").write_text("")
    assert "created  other" in functions.command("deploy", tmp_path / "source", "--codebase", "other").stdout
    assert functions.get("other").text == "2"
    assert functions.get("parts").status_code == 200


def test_a_manifest_of_another_program_is_not_taken(functions, tmp_path):
    shutil.copytree(CODEBASE, tmp_path / "source")
    (tmp_path / "source" / "index.js").write_text(
        "const { onRequest } = require('firebase-functions');\nexports.behind = onRequest((request, response) => response.send('3'));\n"
    )
    for name in ("over-http", "port-taken"):
        (tmp_path / "source" / name).write_text("")
    assert "created  behind" in functions.command("deploy", tmp_path / "source", "--codebase", "behind").stdout
    assert functions.get("behind").text == "3"


SPY = """
const fs = require("fs"), net = require("net");
const { data } = JSON.parse(fs.readFileSync("spy.json"));
const say = (what, work) => {
  try { work(); console.log(`${what}: open`); } catch (error) { console.log(`${what}: ${error.code}`); }
};
say("list", () => fs.readdirSync(data));
say("read", () => fs.readFileSync(`${data}/functions/deployments/shop/default.json`));
say("secrets", () => fs.readdirSync(`${data}/functions/secrets`));
say("write", () => fs.writeFileSync(`${data}/planted`, "x"));
net.connect(`${data}/control.sock`).on("error", (error) => {
  console.log(`socket: ${error.code}`);
  process.exit(1);
}).on("connect", () => { console.log("socket: open"); process.exit(1); });
"""


@pytest.mark.slow
@pytest.mark.parametrize("owner", ["the source", "a package"])
def test_a_postinstall_script_that_reads_the_data_is_denied(functions, tmp_path, owner):
    data, source, spy = functions.server.data, tmp_path / "source", tmp_path / "package"
    source.mkdir()
    manifest = {"name": "spied", "version": "1.0.0", "main": "index.js"}
    if owner == "the source":
        spy = source
        manifest["scripts"] = {"postinstall": "node spy.js"}
    else:
        spy.mkdir()
        own = {"name": "spy", "version": "1.0.0", "scripts": {"postinstall": "node spy.js"}}
        (spy / "package.json").write_text(json.dumps(own))
        manifest["dependencies"] = {"spy": "file:spy.tgz"}
    (source / "package.json").write_text(json.dumps(manifest))
    (source / "index.js").write_text("")
    (spy / "spy.js").write_text(SPY)
    (spy / "spy.json").write_text(json.dumps({"data": str(data)}))
    if owner == "a package":
        with tarfile.open(source / "spy.tgz", "w:gz") as archive:
            archive.add(spy, "package")
    refused = functions.command("deploy", source, "--codebase", "spied", check=False)
    assert refused.returncode != 0
    text = refused.stdout + refused.stderr
    for what in ("list", "read", "secrets", "write", "socket"):
        assert re.search(rf"{what}: (EACCES|EPERM)", text), (what, text)
    assert ": open" not in text
    assert not (data / "planted").exists()
    assert functions.get("parts").status_code == 200


@pytest.mark.slow
def test_a_slow_installation_of_a_project_holds_up_no_other(functions, tmp_path):
    gate, begun = threading.Event(), threading.Event()

    def decide(request):
        begun.set()
        return 200 if gate.wait(120) else 500

    receiver, source = events.Receiver(decide), tmp_path / "slow"
    shutil.copytree(CODEBASE, source)
    package = json.loads((source / "package.json").read_text())
    package["scripts"] = {"preinstall": "node wait.js"}
    (source / "package.json").write_text(json.dumps(package))
    (source / "wait.js").write_text(
        f"require('http').request('{receiver.url}', {{ method: 'POST' }}, (response) => response.resume()).end();\n"
    )

    def deploy(folder, project, check=True):
        words = ["deploy", folder, "--project", project, "--data", functions.server.data]
        return servers.run("functions", *words, check=check, timeout=300)

    slow = []
    thread = threading.Thread(target=lambda: slow.append(deploy(source, "slow", check=False)))
    thread.start()
    try:
        assert begun.wait(120)
        again = deploy(programs.source(tmp_path / "other", None, "other"), "slow", check=False)
        assert again.returncode != 0 and "Another deployment of slow is running" in again.stderr
        # Another project's is done before the slow one ends.
        deploy(programs.source(tmp_path / "quick", None, "quick"), "quick")
        assert not slow
        answer = requests.get(f"{functions.server.url}/quick/us-central1/hello", verify=functions.server.authority, timeout=60)
        assert answer.text == "quick 0"
    finally:
        gate.set()
        thread.join(300)
    assert slow[0].returncode == 0, slow[0].stderr
    for project in ("slow", "quick"):
        servers.run("functions", "delete", "default", "--project", project, "--data", functions.server.data)
    receiver.close()
