"""`--rules-compatibility emulator`: a field that no filter names counts as missing while a query is
proven, as in Google's emulator; without the switch it may be anything."""

import pytest

from support import rest, rules, server as servers
from support.tokens import unsigned

pytestmark = pytest.mark.brasa_only

PROJECT = "shop"
RULES = rules.service(
    'match /notes/{id} { allow read: if !("private" in resource.data); }\n'
    'match /tags/{id} { allow read: if resource.data.get("hidden", false) == false; }'
)


@pytest.fixture(scope="module", params=["safe", "emulator"])
def own(request, tmp_path_factory):
    running = servers.Brasa(
        tmp_path_factory.mktemp("data"), "--rules-compatibility", request.param
    ).start()
    running.is_lenient = request.param == "emulator"
    rules.RulesAPI(running.url, PROJECT).deploy(RULES)
    owner = rest.Rest(running, PROJECT)
    for path, fields in (
        ("notes/open", {}), ("notes/private", {"private": {"booleanValue": True}}),
        ("tags/seen", {"hidden": {"booleanValue": False}}), ("tags/plain", {}),
        ("tags/secret", {"hidden": {"booleanValue": True}}),
    ):
        owner.documents("PATCH", path, json={"fields": fields})
    yield running
    running.kill()


@pytest.fixture
def ana(own):
    return rest.Rest(own, PROJECT, token=unsigned(PROJECT, "ana"))


def test_documents_are_judged_alike(ana):
    for path in ("notes/open", "tags/seen", "tags/plain"):
        ana.documents("GET", path)
    for path in ("notes/private", "tags/secret"):
        ana.refused("GET", ana.name(path), 403)


def test_queries_by_a_field_that_no_filter_names(ana, own):
    for collection, ids in (("notes", ["open", "private"]), ("tags", ["plain", "secret", "seen"])):
        query = {"structuredQuery": {"from": [{"collectionId": collection}]}}
        counting = {"structuredAggregationQuery": {**query, "aggregations": [{"count": {}}]}}
        if not own.is_lenient:
            ana.refused("GET", ana.name(collection), 403)
            ana.refused("POST", f"{ana.root}:runQuery", 403, json=query)
            ana.refused("POST", f"{ana.root}:runAggregationQuery", 403, json=counting)
            continue
        # What the warning at the start says: more than the rules would allow one by one.
        listed = ana.documents("GET", collection)["documents"]
        assert [one["name"].rsplit("/", 1)[1] for one in listed] == ids
        assert len(ana.documents("POST", ":runQuery", json=query)) == len(ids)
        ana.documents("POST", ":runAggregationQuery", json=counting)


def test_queries_that_name_the_field_are_judged_alike(ana):
    def query(value):
        where = {"fieldFilter": {
            "field": {"fieldPath": "hidden"}, "op": "EQUAL", "value": {"booleanValue": value},
        }}
        return {"structuredQuery": {"from": [{"collectionId": "tags"}], "where": where}}

    (found,) = ana.documents("POST", ":runQuery", json=query(False))
    assert found["document"]["name"].endswith("/tags/seen")
    ana.refused("POST", f"{ana.root}:runQuery", 403, json=query(True))


def test_the_start_warns(own):
    assert ("EMULATOR-COMPATIBLE RULES" in own.output) == own.is_lenient
