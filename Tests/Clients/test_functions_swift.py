"""Functions in Swift, and the example that tells a customer of an order's status in both of its languages."""

import json
import pathlib
import shutil

import jwt
import pytest
import requests
from google.cloud.firestore_v1.base_query import FieldFilter

from support import clients, server as servers
from support.analytics import Analytics, batch, event
from support.identity import Identity, Refused
from support.messaging import Device
from test_functions import Functions, environment

pytestmark = pytest.mark.brasa_only

EXAMPLE = servers.CHECKOUT / "Examples" / "OrderStatus" / "Functions"


def program(name, folder):
    """A folder with a built program of ours, as it is deployed."""
    built = servers.binary().parent / name
    if not built.exists():
        pytest.skip(f"{name.upper()} IS NOT BUILT: functions in Swift are not tested. Run: swift build --product {name}")
    folder.mkdir()
    shutil.copy(built, folder / "functions")
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = servers.Brasa(
        tmp_path_factory.mktemp("swift"), "--functions", environment=environment(tmp_path_factory)
    ).start()
    yield server
    assert server.is_running, server.output[-4000:]
    assert server.stop() == 0, server.output[-4000:]


@pytest.fixture(scope="module")
def functions(server, tmp_path_factory):
    made = Functions(server, "shop")
    done = made.command("deploy", program("swift-functions", tmp_path_factory.mktemp("program") / "source"))
    assert done.stdout.count("created") == 13, done.stdout
    return made


def test_a_request_arrives_as_it_was_sent(functions):
    answer = requests.put(functions.url("echo", "/a%20b/c?x=1&y=%2F"), data=b"body", headers={"X-Own": "kept"}, timeout=120)
    assert answer.status_code == 201 and answer.headers["X-Answer"] == "yes" and answer.headers["X-Own"] == "kept"
    assert answer.text == "PUT /a%20b/c?x=1&y=%2F body"
    assert functions.get("parts").text == "part 0\npart 1\npart 2\n"
    servers.wait_for(lambda: "echo of /a%20b/c" in functions.log("echo"), "the line")
    failed = functions.get("fails")
    assert failed.status_code == 500 and failed.text == "Internal Server Error"


def test_callable_functions(functions):
    assert functions.call("add", {"a": 1, "b": 2}).json() == {"result": {"sum": "3", "uid": ""}}
    wide = {"@type": "type.googleapis.com/google.protobuf.Int64Value", "value": "9007199254740993"}
    assert functions.call("add", {"a": wide, "b": 0}).json()["result"]["sum"] == "9007199254740993"
    missing = functions.call("add", {"a": 1})
    assert missing.status_code == 400
    assert missing.json()["error"] == {"status": "INVALID_ARGUMENT", "message": "b is missing", "details": {"field": "b"}}
    streamed = functions.call("count", 2, Accept="text/event-stream")
    assert streamed.headers["Content-Type"] == "text/event-stream"
    assert streamed.text == (
        'data: {"message":{"number":0}}\n\ndata: {"message":{"number":1}}\n\ndata: {"result":"done"}\n\n'
    )


def test_a_document_calls_a_function_that_decodes_it(functions, server):
    documents = clients.connect(server, "shop")
    product = {"name": "Chair", "price": 10, "tags": ["a", "b"]}
    documents.document("products/chair").set(product)
    documents.document("products/chair").delete()

    def seen():
        found = documents.collection("seen").where(filter=FieldFilter("id", "==", "chair")).stream()
        entries = [one.to_dict() for one in found]
        return entries if len(entries) == 2 else None

    entries = sorted(servers.wait_for(seen, "both events", 120), key=lambda one: one["before"])
    assert entries[0]["before"] == "" and json.loads(entries[0]["after"]) == product
    assert entries[1]["after"] == "" and json.loads(entries[1]["before"]) == product


def seen(server, kind, count=1):
    """What a function of a kind has written down, once it has."""
    documents = clients.connect(server, "shop")

    def found():
        entries = documents.collection("seen").where(filter=FieldFilter("kind", "==", kind)).stream()
        entries = [one.to_dict() for one in entries]
        return entries if len(entries) >= count else None

    return servers.wait_for(found, kind, 120)


def test_functions_decide_about_sign_ups_and_sign_ins_and_learn_of_accounts(functions, server):
    identity = Identity(server, "shop")

    def sign_up(email):
        return identity.client("signUp", email=email, password="correct horse")

    ana = sign_up("ana@example.com")
    claims = jwt.decode(ana["idToken"], options={"verify_signature": False})
    assert (claims["name"], claims["plan"], claims["method"]) == ("Named", "gold", "password")
    with pytest.raises(Refused) as evil:
        sign_up("eve@evil.example")
    assert evil.value.code == "BLOCKING_FUNCTION_ERROR_RESPONSE"
    assert "HTTP error 403" in evil.value.message and "no evil" in evil.value.message
    with pytest.raises(Refused) as broken:
        sign_up("broken@example.com")
    assert "HTTP error 500" in broken.value.message and "INTERNAL" in broken.value.message
    # An account of an administrator's is made without a decision, and signs in with one.
    identity.admin("/accounts", localId="bia", email="bia@example.com", password="correct horse", displayName="Bia")
    signed_in = identity.client("signInWithPassword", email="bia@example.com", password="correct horse")
    assert "method" not in jwt.decode(signed_in["idToken"], options={"verify_signature": False})
    greeted = {one["id"]: one for one in seen(server, "greeted", 2)}
    assert set(greeted) == {ana["localId"], "bia"}
    assert greeted[ana["localId"]]["text"] == "ana@example.com" and greeted["bia"]["event"]
    identity.admin("/accounts:delete", localId="bia")
    [missed] = seen(server, "missed")
    assert missed["id"] == "bia" and missed["text"] == "Bia"


def test_a_key_event_calls_a_function(functions, server):
    app = Analytics(server, "shop")
    app.report("settings", "PATCH", body={"keyEvents": ["purchase"]})
    app.accepted(batch("c1" * 11, event("purchase", {"value": 9.5, "currency": "USD"}), event("other"), userId="ana"))
    [bought] = seen(server, "bought")
    assert bought["id"] == "ana" and bought["text"] == "double(9.5)"


def test_only_the_host_calls_the_port_of_an_instance(functions):
    assert functions.get("parts").status_code == 200
    ports = {int(line.split(":")[1].split()[0], 16) for line in loopback_listeners()} - {functions.server.port}
    refused = []
    for port in ports:
        try:
            answer = requests.get(f"http://127.0.0.1:{port}/", timeout=10)
        except requests.exceptions.RequestException:
            continue
        refused.append((answer.status_code, answer.text))
    assert (403, "Only the server can call this port.") in refused, refused


def loopback_listeners():
    """The local addresses of the sockets that listen on 127.0.0.1."""
    lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    fields = [line.split() for line in lines]
    return [one[1] for one in fields if one[3] == "0A" and one[1].startswith("0100007F:")]


@pytest.mark.parametrize("language", ["Python", "Swift"])
def test_a_change_of_an_order_s_status_tells_the_customer(server, language, tmp_path):
    project = f"orders-{language.lower()}"
    functions = Functions(server, project)
    source = EXAMPLE / "Python" if language == "Python" else program("order-status-functions", tmp_path / "source")
    functions.command("deploy", source)
    documents = clients.connect(server, project)
    device = Device(server, project).register()
    documents.document("devices/matilde@siecola.com.br").set({"token": device.token})
    order = documents.document("orders/3")
    order.set({"email": "matilde@siecola.com.br", "status": "CREATED"})
    # No change of the status, no push.
    order.update({"freight": 10})
    order.update({"status": "APPROVED"})
    with device.connect() as stream:
        [message] = stream.messages(1)
    text = json.dumps(message)
    assert "Status do pedido" in text
    assert "APPROVED" in text and "CREATED" not in text and "matilde@siecola.com.br" in text
    servers.wait_for(lambda: "told a device" in functions.log("notify"), "the line")
    # A customer without a device is none to tell.
    other = documents.document("orders/4")
    other.set({"email": "bia@siecola.com.br", "status": "CREATED"})
    other.update({"status": "CANCELLED"})
    servers.wait_for(lambda: "no device of bia@siecola.com.br" in functions.log("notify"), "the line", 120)


@pytest.mark.slow
def test_a_package_is_built_where_it_is_deployed(server, tmp_path):
    if shutil.which("swift") is None:
        pytest.skip("SWIFT IS NOT INSTALLED: building functions is not tested. Install Swift.")
    (tmp_path / "Package.swift").write_text(
        "// swift-tools-version: 6.0\nimport PackageDescription\n"
        'let package = Package(name: "built", targets: [.executableTarget(name: "functions", path: "code")])\n'
    )
    (tmp_path / "code").mkdir()
    # A program without our library, to the same protocol.
    (tmp_path / "code" / "main.swift").write_text(
        "import Foundation\n"
        'let manifest = #"{"specVersion":"v1alpha1","endpoints":{"built":{"entryPoint":"built","httpsTrigger":{}}}}"#\n'
        'let path = ProcessInfo.processInfo.environment["FUNCTIONS_MANIFEST_OUTPUT_PATH"] ?? ""\n'
        "try manifest.write(toFile: path, atomically: false, encoding: .utf8)\n"
    )
    functions = Functions(server, "built")
    assert "created  built" in functions.command("deploy", tmp_path).stdout
