"""REST v1: every route, parameters, streams as arrays, errors, and what browsers need."""

import base64
import json
import urllib.parse

import pytest
import requests


def integer(value):
    return {"integerValue": str(value)}


def documents(items, key="document"):
    return [item[key] for item in items if key in item]


# One test a route


def test_create_get_list_patch_delete(http):
    made = http.documents("POST", "c?documentId=a", json={"fields": {"n": integer(1)}})
    assert made["name"] == http.name("c/a") and made["fields"] == {"n": integer(1)}
    assert made["createTime"] == made["updateTime"] and made["createTime"].endswith("Z")
    assert http.documents("GET", "c/a") == made

    changed = http.documents(
        "PATCH",
        "c/a",
        params={"updateMask.fieldPaths": ["m.x"], "currentDocument.exists": "true"},
        json={"fields": {"m": {"mapValue": {"fields": {"x": integer(2)}}}, "ignored": integer(9)}},
    )
    assert changed["fields"] == {"n": integer(1), "m": {"mapValue": {"fields": {"x": integer(2)}}}}
    assert changed["createTime"] == made["createTime"] and changed["updateTime"] > made["updateTime"]

    http.documents("POST", "c", json={})
    listed = http.documents("GET", "c")["documents"]
    assert [d["name"] for d in listed if d["name"] == http.name("c/a")] == [http.name("c/a")]
    assert len(listed) == 2

    assert http.documents("DELETE", "c/a") == {}
    assert http.refused("GET", http.name("c/a"), 404)["status"] == "NOT_FOUND"
    assert http.documents("DELETE", "c/a") == {}


def test_a_server_made_id_has_twenty_letters_and_digits(http):
    made = http.documents("POST", "c", json={"fields": {}})
    key = made["name"].split("/")[-1]
    assert len(key) == 20 and key.isalnum()
    assert "fields" not in made


def test_masks(http):
    fields = {"a": integer(1), "b": integer(2), "c d": integer(3)}
    http.documents("PATCH", "c/a", json={"fields": fields})
    part = http.documents("GET", "c/a", params={"mask.fieldPaths": ["a", "`c d`"]})
    assert part["fields"] == {"a": integer(1), "c d": integer(3)}
    snake = http.documents("GET", "c/a", params={"mask.field_paths": "b"})
    assert snake["fields"] == {"b": integer(2)}
    patched = http.documents(
        "PATCH",
        "c/a",
        params={"updateMask.fieldPaths": "b", "mask.fieldPaths": "a"},
        json={"fields": {}},
    )
    assert patched["fields"] == {"a": integer(1)}
    assert http.documents("GET", "c/a")["fields"] == {"a": integer(1), "c d": integer(3)}


def test_lists_come_in_pages(http):
    for number in range(5):
        http.documents("POST", f"c?documentId=d{number}", json={"fields": {"n": integer(9 - number)}})
    first = http.documents("GET", "c", params={"pageSize": 2})
    assert [d["name"][-2:] for d in first["documents"]] == ["d0", "d1"]
    second = http.documents("GET", "c", params={"pageSize": 2, "pageToken": first["nextPageToken"]})
    assert [d["name"][-2:] for d in second["documents"]] == ["d2", "d3"]
    ordered = http.documents("GET", "c", params={"orderBy": "n desc, __name__ desc", "pageSize": 3})
    assert [d["name"][-2:] for d in ordered["documents"]] == ["d0", "d1", "d2"]


def test_an_empty_list_is_an_empty_object(http):
    assert http.documents("GET", "nothing") == {}


def test_missing_documents_are_listed_on_request(http):
    http.documents("PATCH", "c/ghost/sub/x", json={})
    assert http.documents("GET", "c") == {}
    assert http.documents("GET", "c", params={"showMissing": "true"}) == {
        "documents": [{"name": http.name("c/ghost")}]
    }


def test_subcollections(http):
    http.documents("POST", "c/a/sub?documentId=x", json={"fields": {"n": integer(1)}})
    assert http.documents("GET", "c/a/sub/x")["name"] == http.name("c/a/sub/x")
    assert len(http.documents("GET", "c/a/sub")["documents"]) == 1
    ids = http.documents("POST", "c/a:listCollectionIds", json={})
    assert ids["collectionIds"] == ["sub"]
    assert http.documents("POST", ":listCollectionIds", json={"pageSize": 5})["collectionIds"] == ["c"]


def test_batch_get(http):
    http.documents("PATCH", "c/a", json={"fields": {"n": integer(1)}})
    answer = http.documents(
        "POST", ":batchGet", json={"documents": [http.name("c/a"), http.name("c/b")]}
    )
    assert isinstance(answer, list)
    assert [found["name"] for found in documents(answer, "found")] == [http.name("c/a")]
    assert documents(answer, "missing") == [http.name("c/b")]
    assert all(item["readTime"].endswith("Z") for item in answer if "transaction" not in item)


def test_commit_with_every_kind_of_write(http):
    answer = http.documents(
        "POST",
        ":commit",
        json={
            "writes": [
                {"update": {"name": http.name("c/a"), "fields": {"n": integer(1)}}},
                {
                    "update": {"name": http.name("c/a"), "fields": {"m": integer(5)}},
                    "updateMask": {"fieldPaths": ["m"]},
                    "updateTransforms": [
                        {"fieldPath": "n", "increment": integer(4)},
                        {"fieldPath": "t", "setToServerValue": "REQUEST_TIME"},
                        {"fieldPath": "l", "appendMissingElements": {"values": [integer(1)]}},
                    ],
                    "currentDocument": {"exists": True},
                },
                {"delete": http.name("c/none")},
                {
                    "transform": {
                        "document": http.name("c/b"),
                        "fieldTransforms": [{"fieldPath": "x", "maximum": {"doubleValue": 1.5}}],
                    }
                },
            ]
        },
    )
    first, second, third, fourth = answer["writeResults"]
    assert first == {"updateTime": answer["commitTime"]}
    assert second["transformResults"][0] == integer(5)
    assert "timestampValue" in second["transformResults"][1]
    assert second["transformResults"][2] == {"nullValue": None}
    assert third == {}
    assert fourth["transformResults"] == [{"doubleValue": 1.5}]
    fields = http.documents("GET", "c/a")["fields"]
    assert (fields["n"], fields["m"]) == (integer(5), integer(5))
    assert fields["l"] == {"arrayValue": {"values": [integer(1)]}}


def test_batch_write(http):
    answer = http.documents(
        "POST",
        ":batchWrite",
        json={
            "writes": [
                {"update": {"name": http.name("c/a"), "fields": {}}},
                {"delete": http.name("c/b"), "currentDocument": {"exists": True}},
            ],
            "labels": {"a": "b"},
        },
    )
    assert answer["status"][0] == {}
    assert answer["status"][1]["code"] == 5
    assert len(answer["writeResults"]) == 2 and answer["writeResults"][1] == {}


def test_a_transaction(http):
    http.documents("PATCH", "c/a", json={"fields": {"n": integer(1)}})
    begun = http.documents("POST", ":beginTransaction", json={"options": {"readWrite": {}}})
    token = begun["transaction"]
    assert base64.b64decode(token)
    read = http.documents(
        "POST", ":batchGet", json={"documents": [http.name("c/a")], "transaction": token}
    )
    assert documents(read, "found")[0]["fields"] == {"n": integer(1)}
    write = {"update": {"name": http.name("c/a"), "fields": {"n": integer(2)}}}
    http.documents("POST", ":commit", json={"writes": [write], "transaction": token})
    assert http.documents("GET", "c/a")["fields"] == {"n": integer(2)}
    other = http.documents("POST", ":beginTransaction", json={})["transaction"]
    assert http.documents("POST", ":rollback", json={"transaction": other}) == {}


@pytest.mark.emulator_differs("never answers")
def test_a_get_inside_a_transaction(http):
    http.documents("PATCH", "c/a", json={"fields": {"n": integer(1)}})
    token = http.documents("POST", ":beginTransaction", json={})["transaction"]
    read = http.documents("GET", "c/a", params={"transaction": token}, timeout=60)
    assert read["fields"] == {"n": integer(1)}
    listed = http.documents("GET", "c", params={"transaction": token}, timeout=60)
    assert len(listed["documents"]) == 1
    http.documents("POST", ":rollback", json={"transaction": token})


def query(collection="c", **more):
    return {"structuredQuery": {"from": [{"collectionId": collection}], **more}}


def test_run_query(http):
    for number in range(4):
        fields = {"n": integer(number), "g": {"stringValue": "ab"[number % 2]}}
        http.documents("PATCH", f"c/d{number}", json={"fields": fields})
    answer = http.documents(
        "POST",
        ":runQuery",
        json=query(
            where={
                "compositeFilter": {
                    "op": "AND",
                    "filters": [
                        {
                            "fieldFilter": {
                                "field": {"fieldPath": "g"},
                                "op": "EQUAL",
                                "value": {"stringValue": "a"},
                            }
                        },
                        {
                            "fieldFilter": {
                                "field": {"fieldPath": "n"},
                                "op": "GREATER_THAN_OR_EQUAL",
                                "value": integer(0),
                            }
                        },
                    ],
                }
            },
            orderBy=[{"field": {"fieldPath": "n"}, "direction": "DESCENDING"}],
            select={"fields": [{"fieldPath": "n"}]},
            limit=5,
        ),
    )
    assert [d["fields"] for d in documents(answer)] == [{"n": integer(2)}, {"n": integer(0)}]
    assert len({item["readTime"] for item in answer}) == 1


def test_run_query_below_a_document(http):
    http.documents("PATCH", "c/a/sub/x", json={})
    http.documents("PATCH", "sub/y", json={})
    answer = http.documents("POST", "c/a:runQuery", json=query("sub"))
    assert [d["name"] for d in documents(answer)] == [http.name("c/a/sub/x")]


def test_a_query_without_results_gives_its_read_time(http):
    (only,) = http.documents("POST", ":runQuery", json=query())
    assert set(only) - {"done"} == {"readTime"}


def test_enums_may_be_numbers(http):
    http.documents("PATCH", "c/a", json={"fields": {"n": integer(1)}})
    filter_ = {"field": {"fieldPath": "n"}, "op": 5, "value": {"integerValue": 1}}
    answer = http.documents("POST", ":runQuery", json=query(where={"fieldFilter": filter_}))
    assert len(documents(answer)) == 1


def test_run_aggregation_query(http):
    for number in range(3):
        http.documents("PATCH", f"c/d{number}", json={"fields": {"n": integer(number)}})
    body = {
        "structuredAggregationQuery": {
            **query(),
            "aggregations": [
                {"alias": "c", "count": {}},
                {"alias": "up", "count": {"upTo": "2"}},
                {"alias": "s", "sum": {"field": {"fieldPath": "n"}}},
                {"alias": "a", "avg": {"field": {"fieldPath": "n"}}},
            ],
        }
    }
    (answer,) = http.documents("POST", ":runAggregationQuery", json=body)
    assert answer["result"]["aggregateFields"] == {
        "c": integer(3),
        "up": integer(2),
        "s": integer(3),
        "a": {"doubleValue": 1},
    }
    assert answer["readTime"].endswith("Z")


@pytest.mark.emulator_differs("no partitions")
def test_partition_query(http):
    http.documents("PATCH", "c/a", json={})
    body = {
        "structuredQuery": {
            "from": [{"collectionId": "c", "allDescendants": True}],
            "orderBy": [{"field": {"fieldPath": "__name__"}, "direction": "ASCENDING"}],
        },
        "partitionCount": "4",
    }
    answer = http.documents("POST", ":partitionQuery", json=body)
    assert set(answer) <= {"partitions", "nextPageToken"}
    for cursor in answer.get("partitions", []):
        assert list(cursor["values"][0]) == ["referenceValue"]


@pytest.mark.brasa_only
def test_pipelines(http):
    http.documents("PATCH", "c/d", json={"fields": {"n": {"integerValue": "1"}}})
    body = {"structuredPipeline": {"pipeline": {"stages": [{"name": "database"}]}}}
    answer = http.documents("POST", ":executePipeline", json=body)
    assert answer[0]["executionTime"]
    assert [row["fields"] for row in answer[0]["results"]] == [{"n": {"integerValue": "1"}}]
    body = {"structuredPipeline": {"pipeline": {"stages": [{"name": "nonsense"}]}}}
    error = http.refused("POST", f"{http.root}:executePipeline", 400, json=body)
    assert error["status"] == "INVALID_ARGUMENT"


@pytest.mark.brasa_only
@pytest.mark.parametrize("body", ['{"writes": []}', "{}", "nonsense", ""])
@pytest.mark.parametrize("verb", ["write", "listen"])
def test_streams_are_not_for_rest(http, verb, body):
    error = http.refused("POST", f"{http.root}:{verb}", 501, data=body)
    assert error["status"] == "UNIMPLEMENTED"
    assert error["message"] == (
        f"{verb.capitalize()} is only available over gRPC and WebChannel, not over REST."
    )


def test_the_older_prefix_works_too(http):
    http.documents("PATCH", "c/a", json={"fields": {"n": integer(1)}})
    answer = http.session.get(f"{http.base}/v1beta1/{http.name('c/a')}", timeout=30)
    assert answer.status_code == 200 and answer.json()["fields"] == {"n": integer(1)}


# Names in addresses


@pytest.mark.parametrize("key", ["a b", "a:b", "ä😀", "100%", "a?b#c", "x:commit", "~!$&'()*+,;=@"])
def test_ids_are_percent_encoded(http, key):
    address = f"c/{urllib.parse.quote(key, safe='')}"
    http.documents("PATCH", address, json={"fields": {"n": integer(1)}})
    assert http.documents("GET", address)["name"] == http.name(f"c/{key}")
    assert http.documents("GET", f"c/{urllib.parse.quote(key, safe=':')}")["fields"] == {"n": integer(1)}


@pytest.mark.emulator_differs("splits after decoding")
def test_an_encoded_slash_does_not_split(http):
    error = http.request("GET", http.name("c/a%2Fb"))
    assert error.status_code in (400, 404)
    http.documents("PATCH", "c/a", json={})
    http.documents("PATCH", "c/a/b/d", json={})
    assert http.request("GET", http.name("c%2Fa")).status_code != 200


# Bodies and headers


def test_a_body_is_json_whatever_its_type_says(http):
    """Browser SDKs post JSON as text/plain, which needs no preflight."""
    http.documents("PATCH", "c/a", json={"fields": {"n": integer(1)}})
    for kind in ("text/plain", "text/plain;charset=UTF-8", "application/json; charset=utf-8", ""):
        answer = http.documents(
            "POST", ":runQuery", data=json.dumps(query()), headers={"Content-Type": kind}
        )
        assert len(documents(answer)) == 1


def test_browsers_of_other_origins_are_answered(http):
    origin = "https://app.example"
    preflight = requests.options(
        f"{http.base}/v1/{http.root}:runQuery",
        headers={
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type,x-goog-api-client",
        },
        timeout=30,
    )
    assert preflight.status_code in (200, 204)
    assert preflight.headers["Access-Control-Allow-Origin"] in (origin, "*")
    assert "POST" in preflight.headers["Access-Control-Allow-Methods"]
    allowed = preflight.headers["Access-Control-Allow-Headers"].lower()
    assert allowed == "*" or "authorization" in allowed
    for path in (f"{http.root}:listCollectionIds", f"{http.root}/c/none:nonsense"):
        answer = http.request("POST", path, json={}, headers={"Origin": origin})
        assert answer.headers["Access-Control-Allow-Origin"] in (origin, "*")


@pytest.mark.emulator_differs("takes the plus as it is")
def test_a_plus_in_parameters_is_a_space(http):
    for number in range(2):
        http.documents("PATCH", f"c/{number}", json={"fields": {"n": integer(number)}})
    listed = http.documents("GET", "c?orderBy=n+desc")["documents"]
    assert [document["fields"]["n"] for document in listed] == [integer(1), integer(0)]


@pytest.mark.parametrize("names", [{"pageSize": "2"}, {"page_size": "2"}, {"pageSize": "2", "key": "k", "alt": "json", "prettyPrint": "false", "$.xgafv": "2"}])
def test_parameters_in_both_spellings_and_those_of_the_platform(http, names):
    for number in range(3):
        http.documents("PATCH", f"c/{number}", json={})
    assert len(http.documents("GET", "c", params=names)["documents"]) == 2


def test_messages_accept_snake_case(http):
    http.documents("PATCH", "c/a", json={"fields": {"n": {"integer_value": "7"}}})
    body = {"structured_query": {"from": [{"collection_id": "c"}]}}
    (answer,) = http.documents("POST", ":runQuery", json=body)
    assert answer["document"]["fields"] == {"n": integer(7)}


# Errors


ERRORS = [
    ("GET", "{root}/c/none", None, 404, "NOT_FOUND"),
    ("PATCH", "{root}/c/none?currentDocument.exists=true", {}, 404, "NOT_FOUND"),
    ("PATCH", "{root}/c/none?currentDocument.updateTime=2020-01-01T00:00:00Z", {}, 400, "FAILED_PRECONDITION"),
    ("PATCH", "{root}/c/a?currentDocument.exists=false", {}, 409, "ALREADY_EXISTS"),
    ("POST", "{root}/c?documentId=a", {}, 409, "ALREADY_EXISTS"),
    ("GET", "{root}/c/.", None, None, None),
    ("GET", "{root}/c/__x__", None, 400, "INVALID_ARGUMENT"),
    ("POST", "{root}:commit", {"writes": [{"delete": "nonsense"}]}, 400, "INVALID_ARGUMENT"),
    ("POST", "{root}:commit", {"transaction": "bm9uc2Vuc2U="}, 400, "INVALID_ARGUMENT"),
    ("POST", "{root}:rollback", {"transaction": "bm9uc2Vuc2U="}, 400, "INVALID_ARGUMENT"),
    ("POST", "{root}:commit", {"unknown": 1}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "{root}/c/b", {"fields": {"a": {"integerValue": "x"}}}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "{root}/c/b", {"fields": {"a": {"integerValue": "9223372036854775808"}}}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "{root}/c/b", {"fields": {"a": {"integerValue": 1.5}}}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "{root}/c/b", {"fields": {"a": {"bytesValue": "%%"}}}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "{root}/c/b", {"fields": {"a": {"timestampValue": "yesterday"}}}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "{root}/c/b", {"fields": {"a": {"booleanValue": "maybe"}}}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "{root}/c/b", {"fields": {"a": {"unknownValue": 1}}}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "{root}/c/b", {"fields": {"a": 1}}, 400, "INVALID_ARGUMENT"),
    ("PATCH", "{root}/c/b", {"fields": []}, 400, "INVALID_ARGUMENT"),
    ("POST", "{root}/c?documentId=__x__", {}, 400, "INVALID_ARGUMENT"),
    ("GET", "{root}/c?pageSize=many", None, 400, "INVALID_ARGUMENT"),
]


@pytest.mark.emulator_differs("laxer here and there")
@pytest.mark.parametrize("verb, path, body, status, name", ERRORS, ids=lambda value: str(value)[:60])
def test_errors(http, verb, path, body, status, name):
    http.documents("PATCH", "c/a", json={})
    path = path.format(root=http.root)
    if status is None:
        assert http.request(verb, path).status_code in (400, 404)
        return
    error = http.refused(verb, path, status, json=body)
    assert error["status"] == name
    assert isinstance(error["message"], str) and error["message"]


@pytest.mark.emulator_differs("another text")
def test_an_unknown_member_is_named(http):
    body = query()
    body["structuredQuery"]["extra"] = 1
    answer = http.request("POST", f"{http.root}:runQuery", json=body)
    assert answer.status_code == 400
    (wrapped,) = answer.json()
    error = wrapped["error"]
    assert "Invalid JSON payload received." in error["message"]
    assert '"extra"' in error["message"] and "Cannot find field" in error["message"]
    assert error["details"][0]["@type"] == "type.googleapis.com/google.rpc.BadRequest"


@pytest.mark.emulator_differs("accepts the last one")
def test_two_members_of_one_choice_are_refused(http):
    value = {"stringValue": "a", "integerValue": "1"}
    error = http.refused("PATCH", http.name("c/a"), 400, json={"fields": {"v": value}})
    assert error["status"] == "INVALID_ARGUMENT"


@pytest.mark.emulator_differs("reads only the first value")
@pytest.mark.parametrize("body", ["{", "[]", "nonsense", '{"writes":[}', '"text"', "\xff", "{}{}"])
def test_malformed_json(http, body):
    answer = http.request("POST", f"{http.root}:commit", data=body.encode("latin-1"))
    assert answer.status_code == 400, answer.text


@pytest.mark.emulator_differs("does not wrap them")
def test_errors_of_streaming_methods_are_wrapped_in_an_array(http):
    body = query(limit=-1)
    answer = http.request("POST", f"{http.root}:runQuery", json=body)
    assert answer.status_code == 400
    (wrapped,) = answer.json()
    assert wrapped["error"]["code"] == 400 and wrapped["error"]["status"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize("verb, path", [
    ("GET", "v1/nonsense"),
    ("GET", "v2/projects/p/databases/(default)/documents/c/a"),
    ("POST", "v1/projects/p/databases/(default)/documents:nonsense"),
    ("PUT", "v1/projects/p/databases/(default)/documents/c/a"),
])
def test_unknown_routes(http, verb, path):
    answer = requests.request(verb, f"{http.base}/{path}", json={}, timeout=30)
    assert answer.status_code in (400, 404, 405)


def test_the_root_says_ok(server):
    answer = requests.get(server.url + "/", timeout=30)
    assert answer.status_code == 200 and answer.text.strip().lower().startswith("ok")
