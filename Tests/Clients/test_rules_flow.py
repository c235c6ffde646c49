"""The seed's product flow through Google's client, with users instead of an administrator."""

import datetime
import re

import google.auth.credentials
import grpc
import pytest
from google.api_core.exceptions import PermissionDenied
from google.cloud import firestore
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports.grpc import FirestoreGrpcTransport

from support import rest, rules, server as servers
from support.tokens import unsigned

pytestmark = pytest.mark.brasa_only


class BearerInterceptor(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    """Sends a token with every call, as call credentials do over TLS."""

    def __init__(self, token):
        self.token = token

    def _with_token(self, details):
        metadata = [*(details.metadata or ()), ("authorization", f"Bearer {self.token}")]
        return details._replace(metadata=metadata)

    def intercept_unary_unary(self, continuation, details, request):
        return continuation(self._with_token(details), request)

    def intercept_unary_stream(self, continuation, details, request):
        return continuation(self._with_token(details), request)


class UserClient(firestore.Client):
    """Google's client for a user: the emulator's environment variable would make it the owner."""

    def __init__(self, server, project, token, database=None):
        credentials = google.auth.credentials.AnonymousCredentials()
        super().__init__(project=project, credentials=credentials, database=database)
        channel = grpc.insecure_channel(server.host)
        if token is not None:
            channel = grpc.intercept_channel(channel, BearerInterceptor(token))
        transport = FirestoreGrpcTransport(host=server.host, channel=channel)
        self._firestore_api_internal = FirestoreClient(transport=transport)


@pytest.fixture
def deployed(server, project):
    return rules.RulesAPI(server.url, project).deploy(rules.PRODUCTS)


@pytest.fixture
def user(server, project, deployed):
    """Makes clients of users by name."""
    made = []

    def make(uid, **options):
        token = None if uid is None else unsigned(project, uid)
        made.append(UserClient(server, project, token, **options))
        return made[-1]

    yield make
    for client in made:
        client.close()


def product(owner, name="Lamp", price=12.5):
    return {"userId": owner, "name": name, "description": "d", "code": "C1", "price": price}


def ids(query):
    return sorted(snapshot.id for snapshot in query.stream())


def own(client, uid):
    return client.collection("products").where(filter=firestore.FieldFilter("userId", "==", uid))


@pytest.fixture
def shop(user):
    """Ana and Bob with two products each."""
    ana, bob = user("ana"), user("bob")
    for name in ("a1", "a2"):
        ana.document(f"products/{name}").set(product("ana", name))
    for name in ("b1", "b2"):
        bob.document(f"products/{name}").set(product("bob", name))
    return ana, bob


def test_users_reach_their_own_products(shop):
    ana, bob = shop
    assert ana.document("products/a1").get().get("name") == "a1"
    assert ids(own(ana, "ana")) == ["a1", "a2"]
    assert ids(own(ana, "ana").order_by("name").limit(1)) == ["a1"]
    ana.document("products/a1").update({"price": 20, "seen": firestore.SERVER_TIMESTAMP})
    assert ana.document("products/a1").get().get("price") == 20
    assert isinstance(ana.document("products/a1").get().get("seen"), datetime.datetime)
    ana.document("products/a2").delete()
    assert ids(own(ana, "ana")) == ["a1"]
    assert ids(own(bob, "bob")) == ["b1", "b2"]


def test_a_query_without_the_filter_is_denied(shop):
    ana, _ = shop
    for query in (
        ana.collection("products"),
        ana.collection("products").limit(1),
        ana.collection("products").where(filter=firestore.FieldFilter("price", ">", 0)),
        own(ana, "bob"),
        ana.collection("products").where(
            filter=firestore.FieldFilter("userId", "in", ["ana", "bob"])
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
    ana, _ = shop
    for attempt in (
        lambda: ana.document("products/a1").update({"userId": "bob"}),
        lambda: ana.document("products/a1").set(product("bob")),
        lambda: ana.document("products/a3").set(product("bob")),
        lambda: ana.document("products/b1").update({"price": 0}),
        lambda: ana.document("products/b1").delete(),
        lambda: ana.document("products/a1").update({"userId": firestore.DELETE_FIELD}),
    ):
        with pytest.raises(PermissionDenied):
            attempt()
    assert ana.document("products/a1").get().get("userId") == "ana"
    assert ids(own(ana, "ana")) == ["a1", "a2"]


def test_counts_and_sums_are_judged_as_their_query(shop):
    ana, _ = shop
    assert own(ana, "ana").count().get()[0][0].value == 2
    assert own(ana, "ana").sum("price").get()[0][0].value == 25
    for query in (ana.collection("products"), own(ana, "bob")):
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
    batch.create(ana.document("products/a9"), product("ana"))
    batch.commit()
    assert ana.document("products/a1").get().get("price") == 1


def test_transactions_read_and_write_under_the_rules(shop):
    ana, _ = shop

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
        transaction.update(ana.document("products/a1"), {"userId": "bob"})

    with pytest.raises(PermissionDenied):
        give_away(ana.transaction(max_attempts=1))
    assert ana.document("products/a1").get().get("userId") == "ana"


def test_several_documents_are_read_all_or_not_at_all(shop):
    ana, _ = shop
    both = [ana.document("products/a1"), ana.document("products/a2")]
    assert sorted(s.get("name") for s in ana.get_all(both)) == ["a1", "a2"]
    with pytest.raises(PermissionDenied):
        list(ana.get_all([*both, ana.document("products/b1")], retry=None))


def test_nobody_reaches_nothing(shop, user):
    nobody = user(None)
    for attempt in (
        lambda: nobody.document("products/a1").get(retry=None),
        lambda: list(own(nobody, "ana").stream(retry=None)),
        lambda: nobody.document("products/n").set(product("ana")),
        lambda: own(nobody, "ana").count().get(retry=None),
    ):
        with pytest.raises(PermissionDenied):
            attempt()


def test_what_only_administrators_may(shop):
    ana, _ = shop
    with pytest.raises(PermissionDenied):
        list(ana.collections())
    with pytest.raises(PermissionDenied):
        list(ana.collection("products").list_documents())
    with pytest.raises(PermissionDenied):
        writer = ana.bulk_writer()
        writer._client._firestore_api.batch_write(
            request={"database": ana._database_string, "writes": []}, retry=None
        )


def test_rest_is_judged_alike(shop, server, project):
    ana = rest.Rest(server, project, token=unsigned(project, "ana"))
    assert ana.documents("GET", "products/a1")["fields"]["name"] == {"stringValue": "a1"}
    assert ana.refused("GET", ana.name("products/b1"), 403)["status"] == "PERMISSION_DENIED"
    assert ana.refused("GET", ana.name("products"), 403)["status"] == "PERMISSION_DENIED"

    def query(owner):
        where = {"fieldFilter": {
            "field": {"fieldPath": "userId"}, "op": "EQUAL", "value": {"stringValue": owner},
        }}
        return {"structuredQuery": {"from": [{"collectionId": "products"}], "where": where}}

    found = ana.documents("POST", ":runQuery", json=query("ana"))
    assert sorted(f["document"]["name"].rsplit("/", 1)[1] for f in found) == ["a1", "a2"]
    ana.refused("POST", f"{ana.root}:runQuery", 403, json=query("bob"))
    counted = {"structuredAggregationQuery": {
        **query("bob"), "aggregations": [{"alias": "n", "count": {}}],
    }}
    ana.refused("POST", f"{ana.root}:runAggregationQuery", 403, json=counted)
    ana.refused("PATCH", ana.name("products/b1"), 403, json={"fields": {}})
    ana.refused("DELETE", ana.name("products/b1"), 403)


def test_named_databases_have_their_rules(user, server, project):
    rules.RulesAPI(server.url, project).deploy(
        rules.service("match /products/{id} { allow read, write: if false; }"),
        "cloud.firestore/orders",
    )
    ana = user("ana", database="orders")
    with pytest.raises(PermissionDenied):
        ana.document("products/x").set(product("ana"))
    user("ana").document("products/x").set(product("ana"))


def test_a_denial_is_explained_to_operators_only(shop, server, project):
    ana, _ = shop

    def line():
        # Only some denials of one second are written: asked again until this one was.
        with pytest.raises(PermissionDenied) as denial:
            ana.document("products/b2").get(retry=None)
        assert denial.value.message == "Missing or insufficient permissions."
        found = [
            text
            for text in list(server.lines)
            if "denied by the rules" in text and project in text and "products/b2" in text
        ]
        return found and found[-1]

    text = servers.wait_for(line, "the log's line about the denial")
    place = rules.PRODUCTS.split("allow read, delete")[0].count("\n") + 1
    assert f"L{place}" in text and "products/b2" in text and project in text, text
    assert re.search(r"resource\.data\.userId = .*bob", text), text
