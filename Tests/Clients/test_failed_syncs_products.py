"""A sync of the store's log that fails: what each product refused does not come back, and nothing of it went out."""

import contextlib
import json
import sys

import pytest
import requests
from google.cloud import firestore

from support import (
    analytics, certificates, clients, events, mail as mails, messaging, programs, remote_config, rest, rules, shim,
    server as servers,
)
from support.failing_store import IO_ERROR, PROJECT, FailingStore
from support.identity import Identity, Refused, code_of
from support.tokens import unsigned

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return shim.build(tmp_path_factory.mktemp("shim"))


def unavailable(answer):
    """Checks that an answer is the one to a write that the disk refused; gives its error."""
    error = answer.json()["error"]
    assert answer.status_code == 503 and error["status"] == "UNAVAILABLE", answer.text
    return error


def sign_up(store):
    def call(verb, name="ana"):
        url = f"{store.server.url}/identitytoolkit.googleapis.com/v1/accounts:{verb}"
        body = {"email": f"{name}@example.com", "password": "correct horse", "returnSecureToken": True}
        return requests.post(url, params={"key": PROJECT}, json=body, timeout=30)

    # So that it is the account itself that the disk refuses, and not the project's first keys.
    assert call("signUp", "first").status_code == 200
    store.fail()
    unavailable(call("signUp"))
    store.restart()
    assert call("signInWithPassword").status_code == 400
    assert call("signUp").status_code == 200


def register(store):
    messaging.Device(store.server, PROJECT).register()
    device = messaging.Device(store.server, PROJECT)
    store.fail()
    unavailable(device.post("registrations", {"direct": {"platform": "linux"}}))
    store.restart()
    assert send(store, fid=device.fid).status_code == 404
    device.url = store.server.url
    device.register()
    sent(store, fid=device.fid)


def publish(store):
    config = remote_config.RemoteConfig(store.server, PROJECT)
    _, etag = config.publish({"parameters": {"a": {"defaultValue": {"value": "1"}}}})
    store.fail()
    changed = {"parameters": {"a": {"defaultValue": {"value": "2"}}}}
    error = config.refused("PUT", "remoteConfig", 503, json=changed, headers={"If-Match": etag})
    assert error["status"] == "UNAVAILABLE"
    store.restart()
    found, known = remote_config.RemoteConfig(store.server, PROJECT).get()
    assert known == etag and found["parameters"]["a"]["defaultValue"] == {"value": "1"}


def send_events(store):
    batches = analytics.Analytics(store.server, PROJECT)
    instance = "0123456789abcdef0123456789abcdef"
    batches.accepted(analytics.batch(instance, analytics.event("first"), number=1))
    store.fail()
    unavailable(batches.send(analytics.batch(instance, analytics.event("second"), number=2)))
    store.restart()
    batches = analytics.Analytics(store.server, PROJECT)
    # The batch was never taken, so that its number is new.
    again = batches.accepted(analytics.batch(instance, analytics.event("second"), number=2))
    assert not again.get("repeated"), again


def send(store, **message):
    url = f"{store.server.url}/v1/projects/{PROJECT}/messages:send"
    owner = {"Authorization": "Bearer owner"}
    return requests.post(url, json={"message": message}, headers=owner, timeout=30)


def sent(store, **message):
    answer = send(store, **message)
    assert answer.status_code == 200, answer.text
    return last_part(answer.json()["name"])


def last_part(name):
    return name.rsplit("/", 1)[1]


def rest_of(stream):
    """The ids of the messages on a stream, to its end."""
    found = []
    with contextlib.suppress(EOFError, requests.RequestException):
        while True:
            found.append(stream.line().get("messageId"))
    return [one for one in found if one]


def send_a_message(store):
    """To a device that listens: it gets what was accepted, and of what was refused nothing, now or later."""
    device = messaging.Device(store.server, PROJECT).register()
    with device.connect() as stream:
        before = sent(store, token=device.token)
        assert [line["messageId"] for line in stream.messages(1)] == [before]
        store.fail()
        for _ in range(2):
            assert unavailable(send(store, token=device.token))["details"][0]["errorCode"] == "UNAVAILABLE"
        store.restart()
        assert rest_of(stream) == []
    device.url = store.server.url
    after = sent(store, token=device.token)
    # What was not acknowledged comes again, in its order.
    with device.connect() as stream:
        assert [line["messageId"] for line in stream.messages(2)] == [before, after]


def send_to_a_topic(store):
    device = messaging.Device(store.server, PROJECT).register()
    device.post(f"registrations/{device.token}/topicSubscriptions/news:subscribe", {})
    store.fail()
    unavailable(send(store, topic="news"))
    store.restart()
    device.url = store.server.url
    with device.connect() as stream:
        after = sent(store, topic="news")
        assert [line["messageId"] for line in stream.messages(1)] == [after]


def acknowledge_a_message(store):
    """A message whose acknowledgement was refused comes again."""
    device = messaging.Device(store.server, PROJECT).register()
    first = sent(store, token=device.token)
    with device.connect() as stream:
        (line,) = stream.messages(1)
    body = {"token": device.token, "sequence": line["sequence"]}
    store.fail()
    unavailable(device.post("registrations:acknowledge", body))
    store.restart()
    device.url = store.server.url
    sent(store, token=device.token)
    with device.connect() as stream:
        assert [line["messageId"] for line in stream.messages(1)] == [first]


OPEN = rules.service("match /{any=**} { allow read, write: if true; }")
SHUT = rules.service("match /{any=**} { allow read, write: if false; }")


def status_of_write(store):
    """The status of a user's write: 403 where the rules refuse it, 503 where only the disk does."""
    user = rest.Rest(store.server, PROJECT, token=unsigned(PROJECT, "ana"))
    return user.request("PATCH", user.name("ruled/a"), json={"fields": {}}, timeout=30).status_code


def deploy_rules(store):
    """Rules of one call, as the tests of an app deploy them."""
    rules.RulesAPI(store.server.url, PROJECT).deploy(OPEN)
    assert status_of_write(store) == 200
    store.fail()
    unavailable(rules.put(store.server, PROJECT, SHUT))
    assert status_of_write(store) == 503
    store.restart()
    assert status_of_write(store) == 200
    assert rules.put(store.server, PROJECT, SHUT).status_code == 200
    assert status_of_write(store) == 403


def release_a_ruleset(store):
    api = rules.RulesAPI(store.server.url, PROJECT)
    first, second = api.deploy(OPEN), api.create_ruleset(SHUT)
    known = api.call("GET", "/rulesets")
    release = api.call("GET", "/releases/cloud.firestore")
    for verb, path, body in (
        ("PATCH", "/releases/cloud.firestore", {"release": {"name": release["name"], "rulesetName": second["name"]}}),
        ("POST", "/rulesets", {"source": {"files": [{"name": "firestore.rules", "content": SHUT}]}}),
        ("DELETE", f"/rulesets/{last_part(second['name'])}", None),
        ("DELETE", "/releases/cloud.firestore", None),
    ):
        store.fail()
        unavailable(api.request(verb, path, json=body))
        assert status_of_write(store) == 503, f"{verb} {path}"
        store.restart()
        api = rules.RulesAPI(store.server.url, PROJECT)
        assert status_of_write(store) == 200, f"{verb} {path}"
        assert api.call("GET", "/rulesets") == known, f"{verb} {path}"
        assert api.call("GET", "/releases/cloud.firestore") == release, f"{verb} {path}"
    assert release["rulesetName"] == first["name"]


def indexes_of(store):
    return servers.run("indexes", "list", "--project", PROJECT, "--data", store.data).stdout


def index_of(*names):
    return {"queryScope": "COLLECTION", "fields": [{"fieldPath": name, "order": "ASCENDING"} for name in names]}


def apply_indexes(store):
    """A file of two indexes and an override: all of it, or nothing."""
    clients.connect(store.server, PROJECT).document("parts/a").set({"a": 1, "b": 2})
    override = {"collectionGroup": "parts", "fieldPath": "c", "indexes": []}
    both = [{"collectionGroup": "parts", **index_of(*names)} for names in (("a", "b"), ("b", "a"))]
    file = store.data.with_name("firestore.indexes.json")
    file.write_text(json.dumps({"indexes": both, "fieldOverrides": [override]}))
    words = ["indexes", "apply", file, "--project", PROJECT, "--data", store.data]
    before = indexes_of(store)
    store.fail()
    refused = servers.run(*words, check=False)
    assert refused.returncode != 0 and "unavailable" in refused.stderr.lower(), refused.stdout + refused.stderr
    assert indexes_of(store) == before
    store.restart()
    assert indexes_of(store) == before
    assert servers.run(*words).stdout.startswith("2 indexes and 1 override applied")


def make_an_index(store):
    http = rest.Rest(store.server, PROJECT)
    group = f"{http.database}/collectionGroups/made"
    clients.connect(store.server, PROJECT).document("made/a").set({"a": 1, "b": 2})
    store.fail()
    assert http.refused("POST", f"{group}/indexes", 503, json=index_of("a", "b"))["status"] == "UNAVAILABLE"
    assert http.call("GET", f"{group}/indexes").get("indexes", []) == []
    store.restart()
    http = rest.Rest(store.server, PROJECT)
    assert http.call("GET", f"{group}/indexes").get("indexes", []) == []
    http.call("POST", f"{group}/indexes", json=index_of("a", "b"))


def delete_an_index(store):
    http = rest.Rest(store.server, PROJECT)
    group = f"{http.database}/collectionGroups/made"

    def ready():
        (index,) = http.call("GET", f"{group}/indexes")["indexes"]
        return index["state"] == "READY" and index

    index = servers.wait_for(ready, "the index")
    store.fail()
    assert http.refused("DELETE", index["name"], 503)["status"] == "UNAVAILABLE"
    assert ready() == index
    store.restart()
    http = rest.Rest(store.server, PROJECT)
    assert ready() == index
    # The index has what was written meanwhile.
    client = clients.connect(store.server, PROJECT)
    client.document("made/b").set({"a": 1, "b": 1})
    found = client.collection("made").where(filter=firestore.FieldFilter("a", "==", 1)).order_by("b").stream()
    assert [one.id for one in found] == ["b", "a"]


PRODUCTS = {
    "accounts": [sign_up],
    "messages": [register, send_a_message, send_to_a_topic, acknowledge_a_message],
    "configuration": [publish],
    "analytics": [send_events],
    "rules": [deploy_rules, release_a_ruleset],
    "indexes": [apply_indexes, make_an_index, delete_an_index],
}


@pytest.mark.parametrize("product", PRODUCTS)
def test_refused_writes_of_every_product_are_unavailable_and_do_not_come_back(tmp_path, library, product):
    with FailingStore(library, tmp_path) as store:
        for act in PRODUCTS[product]:
            act(store)
        assert store.server.stop() == 0
    done = servers.run("verify", "--data", store.data)
    assert done.returncode == 0, done.stdout + done.stderr


def hello(store):
    return requests.get(f"{store.server.url}/{PROJECT}/us-central1/hello", timeout=60).text


@pytest.fixture
def hosted(tmp_path, library):
    """A server that runs functions, and the receiver of what they are called with."""
    receiver = events.Receiver()
    settings = {"BRASA_FUNCTIONS": "true", "BRASA_FUNCTIONS_ENVIRONMENTS": str(tmp_path / "environments")}
    with FailingStore(library, tmp_path, settings=settings) as store:
        yield store, receiver
    receiver.close()


def functions_of(store):
    """The functions in force and the releases that are kept, as the commands list them."""
    def lines(*words):
        return servers.run("functions", *words, "--project", PROJECT, "--data", store.data).stdout.splitlines()

    return [line.split()[1] for line in lines("list")], lines("releases", "--codebase", "default")


def write(store, *names):
    client = clients.connect(store.server, PROJECT)
    for name in names:
        client.document(name).set({"n": 1})


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_a_deployment_of_functions_that_was_refused_does_not_come_back(tmp_path, hosted, ending):
    store, receiver = hosted
    one = programs.source(tmp_path / "one", receiver, "one", ledger=programs.written("c/{d}"))
    two = programs.source(tmp_path / "two", receiver, "two", pings=programs.written("d/{d}"))
    programs.deploy(store.server, one)
    known = functions_of(store)
    assert hello(store) == "one 0" and known[0] == ["hello", "ledger"]
    store.fail()
    refused = programs.deploy(store.server, two, check=False)
    assert refused.returncode == 1 and IO_ERROR in refused.stderr, refused.stderr
    assert hello(store) == "one 0" and functions_of(store) == known
    store.restart(ending)
    assert hello(store) == "one 0" and functions_of(store) == known
    # Events go to the functions in force, and to no others.
    write(store, "d/first", "c/first")
    receiver.wait(1)
    programs.deploy(store.server, two)
    assert hello(store) == "two 0"
    write(store, "c/second", "d/second")
    receiver.wait(2)
    assert programs.documents(receiver) == {"c/first", "d/second"}


def test_a_first_deployment_of_functions_that_was_refused_does_not_come_back(tmp_path, hosted):
    store, receiver = hosted
    source = programs.source(tmp_path / "one", receiver, "one", ledger=programs.written("c/{d}"))
    store.fail()
    refused = programs.deploy(store.server, source, check=False)
    assert refused.returncode == 1 and IO_ERROR in refused.stderr, refused.stderr
    store.restart()
    assert "functions=0" in store.started_with("deployed functions were loaded")
    programs.deploy(store.server, source)
    names, releases = functions_of(store)
    assert names == ["hello", "ledger"] and len(releases) == 1, releases


def test_functions_whose_deletion_was_refused_go_on(tmp_path, hosted):
    store, receiver = hosted
    programs.deploy(store.server, programs.source(tmp_path / "one", receiver, "one", ledger=programs.written("c/{d}")))
    known = functions_of(store)
    store.fail()
    words = ["functions", "delete", "default", "--project", PROJECT, "--data", store.data]
    refused = servers.run(*words, check=False)
    assert refused.returncode == 1 and IO_ERROR in refused.stderr, refused.stderr
    assert hello(store) == "one 0" and functions_of(store) == known
    store.restart()
    assert hello(store) == "one 0" and functions_of(store) == known
    write(store, "c/first")
    receiver.wait(1)


PASSWORD, ANA, NEW, GUEST = "correct horse 7", "ana@customer.example", "new@customer.example", "guest@customer.example"


@pytest.fixture(scope="module")
def mail_certificates(tmp_path_factory):
    return certificates.certificate_for(["localhost"], tmp_path_factory.mktemp("mail"))


@pytest.fixture
def post(mail_certificates):
    """The mail server."""
    made = mails.MailServer(mail_certificates)
    yield made
    made.close()


@pytest.fixture
def sender(tmp_path, library, post, mail_certificates):
    """A production server that sends emails, with an account; an orderly stop delivers all that it queued."""
    settings = mails.environment(post, mail_certificates / "authority.pem", BRASA_PROJECT=PROJECT)
    origin = ["--origin", "https://shop.example"]
    with FailingStore(library, tmp_path, *origin, settings=settings, development=False) as store:
        sign_in = {"email": {"enabled": True, "passwordRequired": False}}
        people(store).admin("/config", "PATCH", store.server.administrator_key, "v2", signIn=sign_in)
        people(store).client("signUp", email=ANA, password=PASSWORD)
        yield store


def people(store):
    return Identity(store.server, PROJECT)


def signed_in(store, email=ANA, password=PASSWORD):
    return people(store).client("signInWithPassword", email=email, password=password)


def refuse(act):
    with pytest.raises(Refused) as refusal:
        act()
    error = refusal.value.body["error"]
    assert refusal.value.status == 503 and error["status"] == "UNAVAILABLE", refusal.value


def ask_for_email(store, kind):
    body = {"email": ANA}
    if kind == "EMAIL_SIGNIN":
        body = {"email": GUEST, "continueUrl": "https://shop.example/"}
    elif kind != "PASSWORD_RESET":
        body = {"idToken": signed_in(store)["idToken"], "newEmail": NEW}
    return lambda: people(store).client("sendOobCode", requestType=kind, **body)


def use(store, kind, code):
    if kind == "PASSWORD_RESET":
        return people(store).client("resetPassword", oobCode=code, newPassword=PASSWORD)
    if kind == "EMAIL_SIGNIN":
        return people(store).client("signInWithEmailLink", email=GUEST, oobCode=code)
    return people(store).client("update", oobCode=code)


RECIPIENTS = {"VERIFY_EMAIL": ANA, "PASSWORD_RESET": ANA, "EMAIL_SIGNIN": GUEST, "VERIFY_AND_CHANGE_EMAIL": NEW}


@pytest.mark.parametrize("kind", RECIPIENTS)
def test_no_email_goes_out_with_a_code_that_was_refused(sender, post, kind):
    ask = ask_for_email(sender, kind)
    sender.fail()
    for _ in range(2):
        refuse(ask)
    sender.restart()
    assert post.emails == []
    # The one that goes out on a disk that is well has a code that works.
    ask_for_email(sender, kind)()
    use(sender, kind, code_of(post.wait_for(RECIPIENTS[kind]).link))
    assert len(post.to(RECIPIENTS[kind])) == 1


def test_a_code_whose_use_was_refused_works_later(sender, post):
    for kind, recipient in RECIPIENTS.items():
        before = len(post.to(recipient))
        ask_for_email(sender, kind)()
        code = code_of(post.wait_for(recipient, before + 1).link)
        known, emails = accounts(sender), len(post.emails)
        sender.fail()
        refuse(lambda: use(sender, kind, code))
        sender.restart()
        # Nor was an old address told of the change that was refused.
        assert (accounts(sender), len(post.emails)) == (known, emails), kind
        use(sender, kind, code)
        assert accounts(sender) != known, kind
        with pytest.raises(Refused, match="INVALID_OOB_CODE"):
            use(sender, kind, code)
    # It is told of the one that came into force, behind the two emails that it asked for.
    assert NEW in post.wait_for(ANA, 3).text


def accounts(store):
    """The project's accounts as an administrator sees them."""
    answer = requests.get(
        f"{store.server.url}/identitytoolkit.googleapis.com/v1/projects/{PROJECT}/accounts:batchGet",
        headers={"Authorization": f"Bearer {store.server.administrator_key}"}, timeout=30,
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["users"]
