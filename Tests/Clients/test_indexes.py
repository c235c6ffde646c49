"""Composite indexes: demanded, applied, built, listed; over the command line and over REST."""

import base64
import json
import re
import time

import pytest
import requests
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter
from google.cloud.firestore_v1.pipeline_expressions import Field
from google.cloud.firestore_v1.query_profile import PipelineExplainOptions

from support import clients, rest, server as servers

pytestmark = pytest.mark.brasa_only

DEFINITIONS = {
    "indexes": [
        {
            "collectionGroup": "products",
            "queryScope": "COLLECTION",
            "fields": [
                {"fieldPath": "userId", "order": "ASCENDING"},
                {"fieldPath": "name", "order": "ASCENDING"},
            ],
        }
    ],
    "fieldOverrides": [
        {
            "collectionGroup": "parts",
            "fieldPath": "kind",
            "indexes": [
                {"order": "ASCENDING", "queryScope": "COLLECTION"},
                {"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"},
            ],
        },
        {"collectionGroup": "notes", "fieldPath": "body", "indexes": []},
    ],
}


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    running = servers.Brasa(tmp_path_factory.mktemp("strict") / "data", "--require-indexes").start()
    yield running
    running.kill()


@pytest.fixture
def products(strict, project):
    client = clients.connect(strict, project)
    for number in range(10):
        client.document(f"products/{number}").set(
            {"userId": "ana" if number % 2 else "bruno", "name": f"N{9 - number}", "price": number}
        )
    yield client.collection("products")
    client.close()


def seed_query(products):
    return products.where(filter=FieldFilter("userId", "==", "ana")).order_by("name")


def apply(strict, project, definitions, tmp_path, *flags, **more):
    file = tmp_path / "firestore.indexes.json"
    file.write_text(json.dumps(definitions))
    return servers.run(
        "indexes", "apply", file, *flags, "--project", project, "--data", strict.data, **more
    )


COMMENTED = """\ufeff// Example (isn't "an" index):
/* { "indexes": [] } */
{ "indexes": [{ "collectionGroup": "c", "queryScope": "COLLECTION", // one
    "fields": [{ "fieldPath": "`u//v`", "order": "ASCENDING" }, { "fieldPath": "z", "order": "DESCENDING" }] }],
  "fieldOverrides": [] }
"""


def test_a_file_may_have_comments(strict, project, tmp_path):
    """`firebase init` writes them."""
    file = tmp_path / "firestore.indexes.json"
    file.write_text(COMMENTED, encoding="utf-8")
    servers.run("indexes", "apply", file, "--project", project, "--data", strict.data)
    assert "`u//v` ASC" in servers.run("indexes", "list", "--project", project, "--data", strict.data).stdout


def spelled(field, *name):
    fields = [{"fieldPath": field, "order": "ASCENDING"}, {"fieldPath": "z", "order": "DESCENDING"}]
    return {"collectionGroup": "c", "fields": fields + [{"fieldPath": one, "order": "DESCENDING"} for one in name]}


def test_a_file_that_spells_an_index_twice_is_applied_whole(strict, project, tmp_path):
    twice = {"indexes": [spelled("a"), spelled("b"), spelled("a", "__name__"), spelled("d")], "fieldOverrides": []}
    for _ in range(2):
        assert apply(strict, project, twice, tmp_path).stdout.startswith("3 indexes and 0 overrides applied")
    assert "3 indexes" in servers.run("indexes", "list", "--project", project, "--data", strict.data).stdout


def test_of_a_file_that_is_refused_nothing_is_applied(strict, project, tmp_path):
    reserved = {"collectionGroup": "__x__", "fieldPath": "a", "indexes": []}
    refused = {"indexes": [spelled("a"), spelled("b")], "fieldOverrides": [reserved]}
    done = apply(strict, project, refused, tmp_path, check=False)
    assert done.returncode != 0 and "__x__" in done.stderr
    assert "0 indexes" in servers.run("indexes", "list", "--project", project, "--data", strict.data).stdout


def wait_until_ready(strict, project):
    """Polls the listing until no index is being built; bounded."""
    for _ in range(300):
        listed = servers.run("indexes", "list", "--project", project, "--data", strict.data).stdout
        if "CREATING" not in listed.upper():
            return listed
        time.sleep(0.05)
    raise AssertionError(listed)


LINK = re.compile(
    r"The query requires an index\. You can create it here: "
    r"https://console\.firebase\.google\.com/v1/r/project/([^/]+)/firestore/indexes"
    r"\?create_composite=([A-Za-z0-9_-]+)"
)


def test_a_query_without_its_index_names_it(products, project):
    with pytest.raises(exceptions.FailedPrecondition) as refusal:
        seed_query(products).get()
    found = LINK.search(str(refusal.value))
    assert found, str(refusal.value)
    assert found.group(1) == project
    encoded = found.group(2)
    index = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    name = f"projects/{project}/databases/(default)/collectionGroups/products/indexes/_"
    field = lambda path: bytes([0x1A, len(path) + 4, 0x0A, len(path)]) + path + bytes([0x10, 0x01])
    assert index == (
        bytes([0x0A, len(name)])
        + name.encode()
        + bytes([0x10, 0x01])
        + field(b"userId")
        + field(b"name")
        + field(b"__name__")
    )


def test_single_fields_and_merged_equalities_need_no_composite(products):
    assert len(products.order_by("name").get()) == 10
    assert len(products.where(filter=FieldFilter("price", ">", 4)).get()) == 5
    both = products.where(filter=FieldFilter("userId", "==", "ana")).where(
        filter=FieldFilter("price", "==", 3)
    )
    assert [s.id for s in both.stream()] == ["3"]


NAMES_DESCENDING = {
    "indexes": [
        {
            "collectionGroup": "products",
            "queryScope": scope,
            "fields": [{"fieldPath": "__name__", "order": "DESCENDING"}],
        }
        for scope in ("COLLECTION", "COLLECTION_GROUP")
    ]
}


def test_names_descending_need_an_index_of_their_own(strict, products, project, tmp_path):
    client = products._client
    queries = [
        scope.order_by("__name__", direction=firestore.Query.DESCENDING).limit(2)
        for scope in (products, client.collection_group("products"))
    ]
    for query in queries:
        with pytest.raises(exceptions.FailedPrecondition) as refusal:
            query.get()
        encoded = LINK.search(str(refusal.value)).group(2)
        index = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        assert index.endswith(b"\x1a\x0c\x0a\x08__name__\x10\x02")
    apply(strict, project, NAMES_DESCENDING, tmp_path)
    wait_until_ready(strict, project)
    for query in queries:
        assert [found.id for found in query.stream()] == ["9", "8"]


def test_a_sum_under_an_equality_needs_its_field_in_the_index(products):
    mine = products.where(filter=FieldFilter("userId", "==", "ana"))
    with pytest.raises(exceptions.FailedPrecondition) as refusal:
        mine.sum("price").get()
    assert LINK.search(str(refusal.value))
    assert mine.count().get()[0][0].value == 5
    assert products.sum("price").get()[0][0].value == 45


def test_groups_need_an_exemption(products):
    client = products._client
    group = client.collection_group("parts")
    assert group.get() == []
    with pytest.raises(exceptions.FailedPrecondition) as refusal:
        group.where(filter=FieldFilter("kind", "==", "x")).get()
    assert "COLLECTION_GROUP_ASC index for collection parts and field kind" in str(refusal.value)
    assert "create_exemption=" in str(refusal.value)


def test_an_applied_index_is_built_and_used(strict, products, project, tmp_path):
    apply(strict, project, DEFINITIONS, tmp_path)
    listed = wait_until_ready(strict, project)
    assert "products" in listed and "userId" in listed and "READY" in listed.upper()
    assert [s.get("name") for s in seed_query(products).stream()] == ["N0", "N2", "N4", "N6", "N8"]
    # An index may be read backwards.
    backwards = products.where(filter=FieldFilter("userId", "==", "ana")).order_by(
        "name", direction=firestore.Query.DESCENDING
    )
    assert [s.get("name") for s in backwards.stream()] == ["N8", "N6", "N4", "N2", "N0"]
    # It is kept up to date.
    products.document("1").update({"name": "A"})
    products.document("3").delete()
    assert [s.get("name") for s in seed_query(products).stream()] == ["A", "N0", "N2", "N4"]
    group = products._client.collection_group("parts")
    products._client.document("products/1/parts/p").set({"kind": "x"})
    assert [s.id for s in group.where(filter=FieldFilter("kind", "==", "x")).stream()] == ["p"]
    # Applying the same again changes nothing; what a file does not name goes only by force.
    apply(strict, project, DEFINITIONS, tmp_path)
    nothing = {"indexes": [], "fieldOverrides": []}
    apply(strict, project, nothing, tmp_path)
    assert len(seed_query(products).get()) == 4
    apply(strict, project, nothing, tmp_path, "--force")
    with pytest.raises(exceptions.FailedPrecondition):
        seed_query(products).get()


def test_a_field_s_indexes_are_changed_over_rest(strict, products, project):
    """As Google's command line deploys `fieldOverrides`."""
    owner = {"authorization": "Bearer owner"}
    database = f"projects/{project}/databases/(default)"
    field = f"{strict.url}/v1/{database}/collectionGroups/parts/fields/kind"
    products._client.document("products/1/parts/p").set({"kind": "x"})
    group = products._client.collection_group("parts").where(filter=FieldFilter("kind", "==", "x"))
    wanted = {"indexConfig": {"indexes": [{"queryScope": "COLLECTION_GROUP", "fields": [{"fieldPath": "kind", "order": "ASCENDING"}]}]}}

    def change(body, **parameters):
        answer = requests.patch(field, params=parameters, json=body, headers=owner, timeout=30)
        assert answer.status_code == 200, answer.text
        operation = answer.json()
        assert operation["metadata"]["@type"].endswith("google.firestore.admin.v1.FieldOperationMetadata")
        assert operation["metadata"]["field"].endswith("/collectionGroups/parts/fields/kind")
        while not operation.get("done"):
            operation = requests.get(f"{strict.url}/v1/{operation['name']}", headers=owner, timeout=30).json()
        return operation["response"]["indexConfig"]

    assert change(wanted, updateMask="indexConfig")["indexes"][0]["queryScope"] == "COLLECTION_GROUP"
    assert [found.id for found in group.stream()] == ["p"]
    # An empty configuration exempts the field; none at all gives it back what every field has.
    assert "indexes" not in change({"indexConfig": {}})
    with pytest.raises(exceptions.FailedPrecondition):
        products._client.collection("products/1/parts").where(filter=FieldFilter("kind", "==", "x")).get()
    assert change({})["usesAncestorConfig"] is True
    assert len(products._client.collection("products/1/parts").where(filter=FieldFilter("kind", "==", "x")).get()) == 1
    # A field without indexes of its own has those of all fields of its collection.
    everything = field.replace("/kind", "/*")
    assert requests.patch(everything, json={"indexConfig": {}}, headers=owner, timeout=30).status_code == 200
    inherited = requests.get(field, headers=owner, timeout=30).json()["indexConfig"]
    assert "indexes" not in inherited and inherited["ancestorField"].endswith("/collectionGroups/parts/fields/*")
    for body, parameters, code in [
        ({"ttlConfig": {"expirationOffset": "0.5s"}}, {}, 400), ({"ttlConfig": {"expirationOffset": "-1s"}}, {}, 400),
        ({"ttlConfig": {"expirationOffset": "2147483648s"}}, {}, 400), ({}, {"updateMask": "name"}, 501), ({}, {"mask": "x"}, 400),
        ({"indexConfig": {"indexes": [{"fields": [{"fieldPath": "other", "order": "ASCENDING"}]}]}}, {}, 400),
        ({"indexConfig": {"indexes": [{"fields": [{"fieldPath": "kind"}]}]}}, {}, 400),
    ]:
        assert requests.patch(field, params=parameters, json=body, headers=owner, timeout=30).status_code == code, body


def test_a_disabled_field_is_not_queried(strict, products, project, tmp_path):
    apply(strict, project, DEFINITIONS, tmp_path)
    wait_until_ready(strict, project)
    notes = products._client.collection("notes")
    notes.document("a").set({"body": "text", "title": "t"})
    assert [s.id for s in notes.where(filter=FieldFilter("title", "==", "t")).stream()] == ["a"]
    with pytest.raises(exceptions.FailedPrecondition):
        notes.where(filter=FieldFilter("body", "==", "text")).get()


@pytest.mark.parametrize(
    "definitions, word",
    [
        ({"indexes": [], "fieldOverrides": [{"collectionGroup": "c", "fieldPath": "f", "ttl": 1, "indexes": []}]}, "ttl"),
        ({"indexes": [{"collectionGroup": "c", "queryScope": "NONSENSE", "fields": []}]}, "NONSENSE"),
        ({"indexes": [{"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [{"fieldPath": "f", "order": "UP"}]}]}, "UP"),
        ({"surprise": []}, "surprise"),
        ({"indexes": [{"collectionGroup": "c", "unique": 1, "fields": []}]}, "unique"),
        ({"indexes": [{"collectionGroup": "c", "density": "THICK", "fields": []}]}, "density"),
    ],
    ids=["ttl", "scope", "order", "member", "unique", "density"],
)
def test_what_is_not_supported_is_refused_by_name(strict, project, tmp_path, definitions, word):
    clients.connect(strict, project).document("c/d").set({})
    done = apply(strict, project, definitions, tmp_path, check=False)
    assert done.returncode != 0
    assert word.lower() in (done.stdout + done.stderr).lower()


def test_development_mode_answers_without_the_index_and_names_it(server, client):
    collection = client.collection("products")
    collection.document("a").set({"userId": "ana", "name": "N"})
    assert [s.id for s in seed_query(collection).stream()] == ["a"]
    server.wait_for_output("index", "products")


def test_indexes_over_rest(strict, project, products):
    http = rest.Rest(strict, project)
    group = f"{http.database}/collectionGroups/products"
    body = {
        "queryScope": "COLLECTION",
        "fields": [
            {"fieldPath": "userId", "order": "ASCENDING"},
            {"fieldPath": "price", "order": "DESCENDING"},
        ],
    }
    operation = http.call("POST", f"{group}/indexes", json=body)
    assert operation["name"].startswith(f"{http.database}/operations/")
    wait_until_ready(strict, project)
    (index,) = http.call("GET", f"{group}/indexes")["indexes"]
    assert index["name"].startswith(f"{group}/indexes/")
    assert index["state"] == "READY" and index["queryScope"] == "COLLECTION"
    assert [field["fieldPath"] for field in index["fields"]][:2] == ["userId", "price"]
    assert http.call("GET", index["name"])["name"] == index["name"]
    query = products.where(filter=FieldFilter("userId", "==", "ana")).order_by(
        "price", direction=firestore.Query.DESCENDING
    )
    assert [s.get("price") for s in query.stream()] == [9, 7, 5, 3, 1]
    assert http.call("DELETE", index["name"]) == {}
    assert http.call("GET", f"{group}/indexes").get("indexes", []) == []
    assert http.refused("GET", index["name"], 404)["status"] == "NOT_FOUND"


def settled(http, group):
    """The only index of a group, once it is built or has failed."""
    while True:
        (index,) = http.call("GET", f"{group}/indexes")["indexes"]
        if index["state"] != "CREATING":
            return index


def test_a_unique_index_refuses_a_second_document(strict, products, project, tmp_path):
    members = {"collectionGroup": "members", "queryScope": "COLLECTION", "unique": True}
    definitions = {"indexes": [{**members, "fields": [{"fieldPath": "email", "order": "ASCENDING"}]}], "fieldOverrides": []}
    collection = products._client.collection("members")
    collection.document("a").set({"email": "a@example.com"})
    apply(strict, project, definitions, tmp_path)
    http = rest.Rest(strict, project)
    group = f"{http.database}/collectionGroups/members"
    index = settled(http, group)
    assert index["unique"] is True and index["state"] == "READY"
    with pytest.raises(exceptions.AlreadyExists, match="the same email"):
        collection.document("b").set({"email": "a@example.com"})
    assert not collection.document("b").get().exists
    collection.document("b").set({"email": "b@example.com"})
    with pytest.raises(exceptions.AlreadyExists):
        collection.document("b").update({"email": "a@example.com"})
    collection.document("a").delete()
    collection.document("b").update({"email": "a@example.com"})
    listed = servers.run("indexes", "list", "--project", project, "--data", strict.data).stdout
    assert "members" in listed and "UNIQUE" in listed


def test_a_unique_index_over_duplicates_fails(strict, products, project):
    collection = products._client.collection("members")
    for name in "ab":
        collection.document(name).set({"code": 7})
    http = rest.Rest(strict, project)
    group = f"{http.database}/collectionGroups/members"
    body = {"queryScope": "COLLECTION", "unique": True, "fields": [{"fieldPath": "code", "order": "ASCENDING"}]}
    operation = http.call("POST", f"{group}/indexes", json=body)
    index = settled(http, group)
    assert index["state"] == "NEEDS_REPAIR"
    ended = http.call("GET", operation["name"])
    assert ended["done"] is True and ended["metadata"]["state"] == "FAILED"
    assert "equal values, or values that are too long, for code" in ended["error"]["message"]
    collection.document("c").set({"code": 7})
    assert http.call("DELETE", index["name"]) == {}
    for name in "bc":
        collection.document(name).delete()
    http.call("POST", f"{group}/indexes", json=body)
    assert settled(http, group)["state"] == "READY"
    refused = {**body, "density": "DENSE", "fields": [{"fieldPath": "other", "arrayConfig": "CONTAINS"}]}
    assert "DENSE" in http.refused("POST", f"{group}/indexes", 400, json={**refused, "unique": False})["message"]


def test_indexes_of_other_densities(strict, products, project, tmp_path):
    ranked = products._client.collection("ranked")
    for name, fields in {"a": {"rank": 2}, "b": {"rank": 1}, "c": {"rank": None}, "d": {"other": 1}}.items():
        ranked.document(name).set(fields)
    entry = {"collectionGroup": "ranked", "queryScope": "COLLECTION", "density": "DENSE"}
    fields = [{"fieldPath": "rank", "order": "ASCENDING"}, {"fieldPath": "__name__", "order": "DESCENDING"}]
    by_rank = products._client.pipeline().collection("ranked").sort(Field.of("rank").ascending(), Field.of("__name__").descending())

    def explained():
        result = by_rank.execute(explain_options=PipelineExplainOptions())
        return [row.id for row in result], result.explain_stats.get_text()

    found, plan = explained()
    assert found == ["d", "c", "b", "a"] and "MajorSort" in plan
    apply(strict, project, {"indexes": [{**entry, "fields": fields}], "fieldOverrides": []}, tmp_path)
    http = rest.Rest(strict, project)
    group = f"{http.database}/collectionGroups/ranked"
    assert settled(http, group)["density"] == "DENSE"
    found, plan = explained()
    assert found == ["d", "c", "b", "a"]
    assert "IndexSeek /ranked index (rank ASC, __name__ DESC)" in plan and "MajorSort" not in plan
    # An ordinary query has the documents with the field alone.
    ordered = ranked.order_by("rank").order_by("__name__", direction=firestore.Query.DESCENDING)
    assert [document.id for document in ordered.stream()] == ["c", "b", "a"]
    assert [document.id for document in ranked.where(filter=FieldFilter("rank", "==", None)).stream()] == ["c"]
    ranked.document("c").update({"rank": firestore.DELETE_FIELD})
    ranked.document("d").set({"rank": 0})
    assert explained()[0] == ["c", "d", "b", "a"]
    assert [document.id for document in ordered.stream()] == ["d", "b", "a"]
    listed = servers.run("indexes", "list", "--project", project, "--data", strict.data).stdout
    assert "ranked" in listed and listed.count("DENSE") == 1
    body = {"queryScope": "COLLECTION", "density": "SPARSE_ANY", "fields": [{"fieldPath": "other", "order": "ASCENDING"}]}
    http.call("POST", f"{group}/indexes", json=body)
    wait_until_ready(strict, project)
    shown = http.call("GET", f"{group}/indexes")["indexes"]
    assert sorted(index["density"] for index in shown) == ["DENSE", "SPARSE_ANY"]


def test_databases_over_rest(strict, project, products):
    http = rest.Rest(strict, project)
    created = http.call(
        "POST", f"projects/{project}/databases?databaseId=orders", json={"type": "FIRESTORE_NATIVE"}
    )
    assert created["done"] is True or created["name"]
    listed = http.call("GET", f"projects/{project}/databases")["databases"]
    assert {database["name"].split("/")[-1] for database in listed} == {"(default)", "orders"}
    one = http.call("GET", f"projects/{project}/databases/orders")
    assert one["name"] == f"projects/{project}/databases/orders"
    assert one["type"] == "FIRESTORE_NATIVE"
    http.call("DELETE", f"projects/{project}/databases/orders")
    assert http.request("GET", f"projects/{project}/databases/orders").status_code == 404
