"""What a query cost, in its own words."""

import pytest
from google.cloud.firestore_v1.base_query import FieldFilter
from google.cloud.firestore_v1.query_profile import ExplainOptions

pytestmark = pytest.mark.emulator_differs("explains nothing")


@pytest.fixture
def numbers(client):
    batch = client.batch()
    for number in range(200):
        batch.set(client.document(f"n/{number:03}"), {"n": number, "g": number % 10})
    batch.commit()
    return client.collection("n")


def explained(query, analyze=True):
    results = query.get(explain_options=ExplainOptions(analyze=analyze))
    return results, results.get_explain_metrics()


def test_a_plan_names_its_index(numbers):
    results, metrics = explained(numbers.where(filter=FieldFilter("n", ">", 10)), analyze=False)
    assert list(results) == []
    (index,) = [dict(index) for index in metrics.plan_summary.indexes_used]
    assert index["query_scope"] == "Collection"
    assert index["properties"] == "(n ASC, __name__ ASC)"


def test_statistics_count_what_was_read(numbers):
    query = numbers.where(filter=FieldFilter("n", ">=", 50)).limit(20)
    results, metrics = explained(query)
    stats = metrics.execution_stats
    assert len(list(results)) == stats.results_returned == 20
    assert stats.read_operations == 20
    assert stats.execution_duration.total_seconds() > 0
    assert int(stats.debug_stats["documents_scanned"]) == 20
    assert 20 <= int(stats.debug_stats["index_entries_scanned"]) <= 22


def test_an_equality_reads_its_matches_only(numbers):
    results, metrics = explained(numbers.where(filter=FieldFilter("g", "==", 3)))
    assert len(list(results)) == 20
    assert int(metrics.execution_stats.debug_stats["index_entries_scanned"]) <= 22


def test_a_count_reads_no_documents(numbers):
    query = numbers.where(filter=FieldFilter("g", "==", 3)).count("c")
    results = query.get(explain_options=ExplainOptions(analyze=True))
    assert [row[0].value for row in results] == [20]
    stats = results.get_explain_metrics().execution_stats
    assert int(stats.debug_stats["documents_scanned"]) == 0


def test_the_last_document_brings_the_statistics(calls, names, numbers):
    query = {
        "from_": [{"collection_id": "n"}],
        "where": {
            "field_filter": {
                "field": {"field_path": "g"}, "op": "EQUAL", "value": {"integer_value": 3}
            }
        },
    }
    reply = calls.RunQuery(parent=names.root, structured_query=query, explain_options={"analyze": True})
    messages = list(reply)
    # Google's Node client counts on as many messages as documents.
    assert [bool(message.document.name) for message in messages] == [True] * 20
    told = [message.explain_metrics.execution_stats.results_returned for message in messages]
    assert told == [0] * 19 + [20]


def test_a_query_without_results_tells_its_statistics(calls, names, numbers):
    query = {"from_": [{"collection_id": "nothing"}]}
    reply = calls.RunQuery(parent=names.root, structured_query=query, explain_options={"analyze": True})
    (message,) = list(reply)
    assert message.read_time and message.explain_metrics.execution_stats.read_operations == 1
