"""The seed's product flow through Google's client, with users instead of an administrator: in
development with unsigned tokens, in production with tokens that the server signed, over TLS."""

import contextlib
import datetime
import json
import queue
import re
import subprocess
import sys
import textwrap
import time

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.api_core.exceptions import GoogleAPICallError, PermissionDenied
from google.cloud import firestore

from support import rules, server as servers
from support.identity import Identity
from support.rest import Rest
from support.tokens import confused, forged, signing_key, unsigned
from support.users import PASSWORD, Development, Production, UserClient
from support.webchannel import Session

pytestmark = pytest.mark.brasa_only

NOW = int(time.time())


@pytest.fixture(scope="module")
def in_production(production):
    return Production(production)


@pytest.fixture(params=["development", "production"])
def deployment(request, server):
    """Where the test's users are."""
    if request.param == "development":
        made = Development(server, request.getfixturevalue("project"))
    else:
        made = request.getfixturevalue("in_production")
    made.deploy(rules.PRODUCTS)
    yield made
    made.clear()


@pytest.fixture
def user(deployment):
    """Makes clients of users by name; None is nobody."""
    made = []

    def make(name, **options):
        made.append(UserClient(deployment, name, **options))
        return made[-1]

    yield make
    for client in made:
        client.close()


def product(owner, name="Lamp", price=12.5):
    return {"userId": owner, "name": name, "description": "d", "code": "C1", "price": price}


def ids(query):
    return sorted(snapshot.id for snapshot in query.stream())


def own(client, of=None):
    """The products of a user, the client's own unless another is named."""
    uid = (of or client).uid
    return client.collection("products").where(filter=firestore.FieldFilter("userId", "==", uid))


@pytest.fixture
def shop(user):
    """Ana and Bob with two products each."""
    ana, bob = user("ana"), user("bob")
    for name in ("a1", "a2"):
        ana.document(f"products/{name}").set(product(ana.uid, name))
    for name in ("b1", "b2"):
        bob.document(f"products/{name}").set(product(bob.uid, name))
    return ana, bob


def test_users_reach_their_own_products(shop):
    ana, bob = shop
    assert ana.document("products/a1").get().get("name") == "a1"
    assert ids(own(ana)) == ["a1", "a2"]
    assert ids(own(ana).order_by("name").limit(1)) == ["a1"]
    ana.document("products/a1").update({"price": 20, "seen": firestore.SERVER_TIMESTAMP})
    assert ana.document("products/a1").get().get("price") == 20
    assert isinstance(ana.document("products/a1").get().get("seen"), datetime.datetime)
    ana.document("products/a2").delete()
    assert ids(own(ana)) == ["a1"]
    assert ids(own(bob)) == ["b1", "b2"]


def test_a_query_without_the_filter_is_denied(shop):
    ana, bob = shop
    for query in (
        ana.collection("products"),
        ana.collection("products").limit(1),
        ana.collection("products").where(filter=firestore.FieldFilter("price", ">", 0)),
        own(ana, bob),
        ana.collection("products").where(
            filter=firestore.FieldFilter("userId", "in", [ana.uid, bob.uid])
        ),
        ana.collection_group("products"),
    ):
        with pytest.raises(PermissionDenied):
            list(query.stream(retry=None))


def test_foreign_and_missing_documents_are_denied_alike(shop):
    ana, _ = shop
    messages = set()
    for path in ("products/b1", "products/none", "other/x"):
        with pytest.raises(PermissionDenied) as denial:
            ana.document(path).get(retry=None)
        messages.add(denial.value.message)
    assert messages == {"Missing or insufficient permissions."}


def test_the_owner_cannot_be_changed_or_forged(shop):
    ana, bob = shop
    for attempt in (
        lambda: ana.document("products/a1").update({"userId": bob.uid}),
        lambda: ana.document("products/a1").set(product(bob.uid)),
        lambda: ana.document("products/a3").set(product(bob.uid)),
        lambda: ana.document("products/b1").update({"price": 0}),
        lambda: ana.document("products/b1").delete(),
        lambda: ana.document("products/a1").update({"userId": firestore.DELETE_FIELD}),
    ):
        with pytest.raises(PermissionDenied):
            attempt()
    assert ana.document("products/a1").get().get("userId") == ana.uid
    assert ids(own(ana)) == ["a1", "a2"]


def test_counts_and_sums_are_judged_as_their_query(shop):
    ana, bob = shop
    assert own(ana).count().get()[0][0].value == 2
    assert own(ana).sum("price").get()[0][0].value == 25
    for query in (ana.collection("products"), own(ana, bob)):
        with pytest.raises(PermissionDenied):
            query.count().get(retry=None)


def test_one_denied_write_fails_a_batch(shop):
    ana, bob = shop
    batch = ana.batch()
    batch.update(ana.document("products/a1"), {"price": 1})
    batch.update(ana.document("products/b1"), {"price": 1})
    with pytest.raises(PermissionDenied):
        batch.commit()
    assert ana.document("products/a1").get().get("price") == 12.5
    assert bob.document("products/b1").get().get("price") == 12.5
    batch = ana.batch()
    batch.update(ana.document("products/a1"), {"price": 1})
    batch.create(ana.document("products/a9"), product(ana.uid))
    batch.commit()
    assert ana.document("products/a1").get().get("price") == 1


def test_transactions_read_and_write_under_the_rules(shop):
    ana, bob = shop

    @firestore.transactional
    def raise_price(transaction, path):
        reference = ana.document(path)
        price = reference.get(transaction=transaction).get("price")
        transaction.update(reference, {"price": price + 1})

    raise_price(ana.transaction(max_attempts=1), "products/a1")
    assert ana.document("products/a1").get().get("price") == 13.5
    with pytest.raises(PermissionDenied):
        raise_price(ana.transaction(max_attempts=1), "products/b1")

    @firestore.transactional
    def give_away(transaction):
        transaction.update(ana.document("products/a1"), {"userId": bob.uid})

    with pytest.raises(PermissionDenied):
        give_away(ana.transaction(max_attempts=1))
    assert ana.document("products/a1").get().get("userId") == ana.uid


def test_several_documents_are_read_all_or_not_at_all(shop):
    ana, _ = shop
    both = [ana.document("products/a1"), ana.document("products/a2")]
    assert sorted(s.get("name") for s in ana.get_all(both)) == ["a1", "a2"]
    with pytest.raises(PermissionDenied):
        list(ana.get_all([*both, ana.document("products/b1")], retry=None))


def test_nobody_reaches_nothing(shop, user):
    ana, _ = shop
    nobody = user(None)
    for attempt in (
        lambda: nobody.document("products/a1").get(retry=None),
        lambda: list(own(nobody, ana).stream(retry=None)),
        lambda: nobody.document("products/n").set(product(ana.uid)),
        lambda: own(nobody, ana).count().get(retry=None),
    ):
        with pytest.raises(PermissionDenied):
            attempt()


def test_what_only_administrators_may(shop):
    ana, _ = shop
    with pytest.raises(PermissionDenied):
        list(ana.collections())
    with pytest.raises(PermissionDenied):
        list(ana.collection("products").list_documents())


def test_bulk_writers_are_for_administrators(shop):
    """They send BatchWrite, which Google's service too takes from back ends only."""
    ana, _ = shop
    failures = queue.Queue()
    writer = ana.bulk_writer()
    writer.on_write_error(lambda failure, _: failures.put(failure) or False)
    with contextlib.suppress(PermissionDenied):
        writer.create(ana.document("products/a9"), product(ana.uid))
        writer.close()
    assert ids(own(ana)) == ["a1", "a2"]
    with pytest.raises(PermissionDenied):
        ana._firestore_api.batch_write(
            request={"database": ana._database_string, "writes": []}, retry=None
        )


@contextlib.contextmanager
def watching(target):
    """A listener of Google's client: gives the watch and a queue of the ids that it saw."""
    seen = queue.Queue()
    watch = target.on_snapshot(
        lambda documents, changes, time: seen.put(sorted(document.id for document in documents))
    )
    try:
        yield watch, seen
    finally:
        watch.unsubscribe()


def test_listeners_are_judged_as_their_query(shop):
    ana, bob = shop
    with watching(own(ana)) as (_, seen):
        assert seen.get(timeout=30) == ["a1", "a2"]
        bob.document("products/b1").update({"price": 3})
        ana.document("products/a3").set(product(ana.uid))
        assert seen.get(timeout=30) == ["a1", "a2", "a3"]
    with watching(ana.document("products/a1")) as (_, seen):
        assert seen.get(timeout=30) == ["a1"]
    for foreign in (ana.collection("products"), own(ana, bob), ana.document("products/b1")):
        with watching(foreign) as (watch, seen):
            servers.wait_for(lambda watch=watch: not watch.is_active, "the end of the listener")
            assert seen.empty()


def test_rest_is_judged_alike(shop, deployment):
    ana, bob = shop
    own_rest = deployment.rest("ana")
    assert own_rest.documents("GET", "products/a1")["fields"]["name"] == {"stringValue": "a1"}
    for path in ("products/b1", "products"):
        refusal = own_rest.refused("GET", own_rest.name(path), 403)
        assert refusal["status"] == "PERMISSION_DENIED"

    def query(owner):
        where = {"fieldFilter": {
            "field": {"fieldPath": "userId"}, "op": "EQUAL", "value": {"stringValue": owner.uid},
        }}
        return {"structuredQuery": {"from": [{"collectionId": "products"}], "where": where}}

    found = own_rest.documents("POST", ":runQuery", json=query(ana))
    assert sorted(f["document"]["name"].rsplit("/", 1)[1] for f in found) == ["a1", "a2"]
    own_rest.refused("POST", f"{own_rest.root}:runQuery", 403, json=query(bob))
    counted = {"structuredAggregationQuery": {
        **query(bob), "aggregations": [{"alias": "n", "count": {}}],
    }}
    own_rest.refused("POST", f"{own_rest.root}:runAggregationQuery", 403, json=counted)
    own_rest.refused("PATCH", own_rest.name("products/b1"), 403, json={"fields": {}})
    own_rest.refused("DELETE", own_rest.name("products/b1"), 403)


def test_named_databases_have_their_rules(user, deployment):
    deployment.deploy(
        rules.service("match /products/{id} { allow read, write: if false; }"),
        "cloud.firestore/orders",
    )
    ana = user("ana", database="orders")
    with pytest.raises(PermissionDenied):
        ana.document("products/x").set(product(ana.uid))
    user("ana").document("products/x").set(product(ana.uid))


def test_a_denial_is_explained_to_operators_only(shop, deployment):
    ana, bob = shop

    def line():
        # Only some denials of one second are written: asked again until this one was.
        with pytest.raises(PermissionDenied) as denial:
            ana.document("products/b2").get(retry=None)
        assert denial.value.message == "Missing or insufficient permissions."
        found = [
            text
            for text in list(deployment.server.lines)
            if "denied by the rules" in text and deployment.project in text and "products/b2" in text
        ]
        return found and found[-1]

    text = servers.wait_for(line, "the log's line about the denial")
    row = rules.PRODUCTS.split("allow read, delete")[0].count("\n") + 1
    assert f"L{row}" in text and "products/b2" in text and deployment.project in text, text
    assert re.search(rf"resource\.data\.userId = .*{bob.uid}", text), text
    assert ana.uid in text


# What administrators do beside reading and writing documents; `{p}` is the project.
ADMINISTRATION = [
    ("GET", "/v1/projects/{p}/databases", None),
    ("POST", "/v1/projects/{p}/databases?databaseId=of-my-own", {}),
    ("GET", "/v1/projects/{p}/databases/(default)", None),
    ("DELETE", "/v1/projects/{p}/databases/orders", None),
    ("GET", "/v1/projects/{p}/databases/(default)/operations", None),
    ("GET", "/v1/projects/{p}/databases/(default)/collectionGroups/products/indexes", None),
    ("POST", "/v1/projects/{p}/databases/(default)/collectionGroups/products/indexes", {}),
    ("GET", "/v1/projects/{p}/databases/(default)/collectionGroups/products/fields/price", None),
    ("GET", "/v1/projects/{p}/rulesets", None),
    ("POST", "/v1/projects/{p}/rulesets", {}),
    ("GET", "/v1/projects/{p}/releases", None),
    ("PATCH", "/v1/projects/{p}/releases/cloud.firestore", {}),
    ("DELETE", "/v1/projects/{p}/releases/cloud.firestore", None),
    ("GET", "/v1/projects/{p}/releases/cloud.firestore:getExecutable", None),
    ("POST", "/v1/projects/{p}:test", {}),
    ("POST", "/identitytoolkit.googleapis.com/v1/projects/{p}/accounts", {}),
    ("GET", "/identitytoolkit.googleapis.com/v1/projects/{p}/accounts:batchGet", None),
    ("POST", "/identitytoolkit.googleapis.com/v1/projects/{p}/accounts:query", {}),
    ("POST", "/identitytoolkit.googleapis.com/v1/projects/{p}/accounts:update", {}),
    ("POST", "/identitytoolkit.googleapis.com/v1/projects/{p}/accounts:delete", {}),
    ("POST", "/identitytoolkit.googleapis.com/v1/projects/{p}:createSessionCookie", {}),
    ("GET", "/identitytoolkit.googleapis.com/v2/projects/{p}/config", None),
    ("PATCH", "/identitytoolkit.googleapis.com/v2/projects/{p}/config", {}),
    ("PUT", "/emulator/v1/projects/{p}:securityRules", {}),
    ("GET", "/emulator/v1/projects/{p}:ruleCoverage", None),
    ("DELETE", "/emulator/v1/projects/{p}/databases/(default)/documents", None),
    ("DELETE", "/emulator/v1/projects/{p}/databases/(default)/documents/products/a1", None),
    ("POST", "/reset", None),
]


def test_privileges_do_not_escalate(shop, deployment):
    """A user's good token is no administrator's, whatever it is shown to."""
    ana, _ = shop
    session = deployment.rest("ana").session
    for verb, path, body in ADMINISTRATION:
        url = deployment.server.url + path.format(p=deployment.project)
        refusal = session.request(verb, url, json=body, timeout=30)
        assert refusal.status_code in (401, 403, 404), f"{verb} {path}: {refusal.text}"
        assert "userId ==" not in refusal.text and ana.uid not in refusal.text, f"{verb} {path}"
    assert ids(own(ana)) == ["a1", "a2"]
    with pytest.raises(PermissionDenied):
        list(ana.collection("products").stream(retry=None))


class TestTokensInProduction:
    """What is no good token of one of the project's users opens nothing, whoever signed it."""

    @pytest.fixture(scope="class")
    def deployment(self, in_production):
        in_production.deploy(rules.PRODUCTS)
        administrator = in_production.rest()
        fields = {
            "userId": {"stringValue": in_production.uid("ana")}, "name": {"stringValue": "secret"},
        }
        administrator.documents("PATCH", "products/mine", json={"fields": fields})
        yield in_production
        in_production.clear()

    @pytest.fixture(scope="class")
    def key(self, deployment):
        return signing_key(deployment.server.data)

    def outcome(self, deployment, token):
        """What REST, gRPC and WebChannel say to somebody with that token: the same."""
        client = Rest(deployment.server, deployment.project, token=token)
        answer = client.request("GET", client.name("products/mine"))
        told = self.listened(deployment, client.database, token)
        client = UserClient(deployment, token=token)
        try:
            client.document("products/mine").get(retry=None)
            code = "OK"
        except GoogleAPICallError as error:
            code = error.grpc_status_code.name
            assert "secret" not in str(error)
        finally:
            client.close()
        expected = {200: "OK", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED"}
        assert expected[answer.status_code] == code
        assert ("secret" in answer.text) == (code == "OK")
        assert told == ("OK", True) if code == "OK" else (code, False)
        return code

    def listened(self, deployment, database, token):
        """How a browser's listener to the document ends or becomes current, and whether it was shown."""
        session = Session(deployment.server, database, "Listen", verify=deployment.server.authority)
        name = f"{database}/documents/products/mine"
        target = {"targetId": 1, "documents": {"documents": [name]}}
        request = {"database": database, "addTarget": target}
        assert session.open([request], authorization=f"Bearer {token}").status_code == 200
        channel = session.get()
        is_shown = False
        try:
            while True:
                message = channel.message()[1][0]
                is_shown = is_shown or "secret" in json.dumps(message)
                change = message.get("targetChange", {})
                if "error" in message:
                    return message["error"]["status"], is_shown
                if "cause" in change:
                    return {7: "PERMISSION_DENIED"}[change["cause"]["code"]], is_shown
                if change.get("targetChangeType") == "CURRENT":
                    return "OK", is_shown
        finally:
            channel.close()
            session.terminate()
            session.close()

    def test_the_token_as_it_is_opens(self, deployment, key):
        assert self.outcome(deployment, deployment.token("ana")) == "OK"
        # So what the next test changes is what is refused there.
        assert self.outcome(deployment, forged(key, deployment.token("ana"))) == "OK"

    @pytest.mark.parametrize(
        "changes, code",
        [
            ({"iat": NOW - 7200, "exp": NOW - 3600}, "UNAUTHENTICATED"),
            ({"exp": NOW - 1}, "UNAUTHENTICATED"),
            ({"exp": None}, "UNAUTHENTICATED"),
            ({"iat": NOW + 3600, "exp": NOW + 7200}, "UNAUTHENTICATED"),
            ({"iss": "https://securetoken.google.com/other"}, "UNAUTHENTICATED"),
            ({"iss": "https://accounts.google.com"}, "UNAUTHENTICATED"),
            ({"iss": None}, "UNAUTHENTICATED"),
            ({"aud": "other"}, "UNAUTHENTICATED"),
            ({"aud": [servers.PROJECT]}, "UNAUTHENTICATED"),
            ({"aud": None}, "UNAUTHENTICATED"),
            ({"sub": ""}, "UNAUTHENTICATED"),
            ({"sub": None}, "UNAUTHENTICATED"),
            ({"sub": "nobody-of-that-name"}, "UNAUTHENTICATED"),
        ],
        ids=lambda value: "-".join(value) if isinstance(value, dict) else value,
    )
    def test_issuer_and_audience_and_times_are_pinned(self, deployment, key, changes, code):
        assert self.outcome(deployment, forged(key, deployment.token("ana"), **changes)) == code

    @pytest.mark.parametrize("kind", ["unsigned", "owner", "access token"])
    def test_emulator_style_tokens_are_refused(self, deployment, kind):
        """What the emulators take without a signature, on every protocol."""
        uid = deployment.uid("ana")
        tokens = {
            "unsigned": unsigned(deployment.project, uid, email="ana@example.com"), "owner": "owner",
            "access token": "ya29.of-an-owner",
        }
        assert self.outcome(deployment, tokens[kind]) == "UNAUTHENTICATED"

    def test_other_keys_and_algorithms_are_refused(self, deployment, key):
        token = deployment.token("ana")
        other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        for bad in (
            forged(other, token), confused(public, token), forged(None, token, "none"),
            token[:-4] + "AAAA", token + "x",
        ):
            assert self.outcome(deployment, bad) == "UNAUTHENTICATED"

    def test_other_tokens_of_the_server_are_refused(self, deployment, key):
        """A session cookie and a refresh token are its own too, but not for this."""
        account = deployment.account("ana")
        cookie = deployment.identity.admin(
            ":createSessionCookie", token=deployment.server.administrator_key,
            idToken=account["idToken"], validDuration="3600",
        )["sessionCookie"]
        for bad in (cookie, account["refreshToken"]):
            assert self.outcome(deployment, bad) == "UNAUTHENTICATED"

    def test_a_user_of_another_project_reaches_nothing(self, deployment):
        """Their token is good, for another project on the same server."""
        elsewhere = Identity(deployment.server, "elsewhere", verify=deployment.server.authority)
        account = {"email": "eve@example.com", "password": PASSWORD}
        key = deployment.server.administrator_key
        elsewhere.admin("/accounts", token=key, localId=deployment.uid("ana"), **account)
        eve = elsewhere.client("signInWithPassword", returnSecureToken=True, **account)
        assert eve["localId"] == deployment.uid("ana")
        assert self.outcome(deployment, eve["idToken"]) == "PERMISSION_DENIED"

    def test_googles_client_takes_the_token_as_credentials(self, deployment):
        """All of Google's own ways, in a process that trusts the authority as an operator would."""
        done = subprocess.run(
            [sys.executable, "-c", CLIENT, deployment.host, deployment.project, deployment.token("ana"),
             deployment.uid("ana")],
            capture_output=True, text=True, timeout=120,
            env=servers.clean_environment(
                {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": deployment.server.authority}
            ),
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {"own": ["mine"], "count": 1, "all": "PermissionDenied"}


CLIENT = textwrap.dedent(
    """
    import json, sys
    from google.api_core.exceptions import GoogleAPICallError
    from google.cloud import firestore
    from google.oauth2.credentials import Credentials

    host, project, token, uid = sys.argv[1:]
    client = firestore.Client(
        project=project, credentials=Credentials(token=token),
        client_options={"api_endpoint": host},
    )
    products = client.collection("products")
    own = products.where(filter=firestore.FieldFilter("userId", "==", uid))
    found = {"own": [one.id for one in own.stream()], "count": own.count().get()[0][0].value}
    try:
        found["all"] = [one.id for one in products.stream(retry=None)]
    except GoogleAPICallError as error:
        found["all"] = type(error).__name__
    print(json.dumps(found))
    """
)
