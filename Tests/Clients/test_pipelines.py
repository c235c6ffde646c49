"""Pipelines of Google's client, sync and async, each stage against a real server."""

import asyncio

import pytest
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1 import pipeline_stages
from google.cloud.firestore_v1._helpers import encode_value
from google.cloud.firestore_v1.pipeline_expressions import (
    And,
    Constant,
    Count,
    Field,
    FunctionExpression,
    Or,
)
from google.cloud.firestore_v1.pipeline_types import SampleOptions, UnnestOptions
from google.cloud.firestore_v1.query_profile import PipelineExplainOptions
from google.cloud.firestore_v1.vector import Vector
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure

from support import clients

pytestmark = pytest.mark.brasa_only

BOOKS = {
    "b1": {"title": "Emma", "year": 1815, "rating": 4.0, "tags": ["love", "class"], "author": "austen"},
    "b2": {"title": "Persuasion", "year": 1817, "rating": 4.5, "tags": ["love"], "author": "austen"},
    "b3": {"title": "Dune", "year": 1965, "rating": 4.6, "tags": ["space", "class"], "author": "herbert"},
    "b4": {"title": "Ulysses", "year": 1922, "rating": 3.7, "tags": [], "author": "joyce", "awards": {"hugo": False}},
    "b5": {"title": "Untitled", "author": None},
}


@pytest.fixture
def books(client):
    batch = client.batch()
    for key, fields in BOOKS.items():
        batch.set(client.document(f"books/{key}"), fields)
    for name in ("austen", "herbert"):
        batch.set(client.document(f"authors/{name}"), {"name": name.title()})
    batch.set(client.document("books/b1/reviews/r1"), {"stars": 5})
    batch.set(client.document("books/b1/reviews/r2"), {"stars": 3})
    batch.commit()
    return client


class IndexedCollection(pipeline_stages.Collection):
    """The input `collection` with the option that chooses an index, for which the client has no argument."""

    def __init__(self, index):
        super().__init__("books")
        self.name = "collection"
        self.index = index

    def _pb_options(self):
        return {"force_index": encode_value(self.index)}


def rows(pipeline, **options):
    return [row.data() for row in pipeline.execute(**options)]


def titles(pipeline, **options):
    return [row.get("title") for row in pipeline.execute(**options)]


def collection(client):
    return client.pipeline().collection("books")


def test_where_select_sort_and_limit(books):
    pipeline = (
        collection(books)
        .where(Field.of("year").greater_than(1816))
        .sort(Field.of("year").descending())
        .select("title", Field.of("awards.hugo"))
        .limit(3)
    )
    assert rows(pipeline) == [
        {"title": "Dune"},
        {"title": "Ulysses", "awards": {"hugo": False}},
        {"title": "Persuasion"},
    ]


def test_documents_keep_their_names_and_times_until_a_stage_drops_them(books):
    whole = list(collection(books).where(Field.of("title").equal("Emma")).execute())
    assert [row.id for row in whole] == ["b1"]
    assert whole[0].create_time is not None and whole[0].update_time is not None
    assert whole[0].data() == BOOKS["b1"]
    selected = list(collection(books).select("title").limit(1).execute())
    assert selected[0].id is None
    named = list(collection(books).where(Field.of("title").equal("Emma")).select("__name__").execute())
    assert named[0].ref.path == "books/b1"


def test_a_sort_keeps_documents_without_the_field(books):
    assert titles(collection(books).sort(Field.of("rating").ascending()).limit(2)) == ["Untitled", "Ulysses"]


def test_conditions_that_are_not_true_drop_rows(books):
    assert titles(collection(books).where(FunctionExpression("offset", [Field.of("title"), Constant(0)]))) == []
    either = Or(Field.of("year").equal(1965), And(Field.of("rating").less_than(4), Field.of("year").exists()))
    assert sorted(titles(collection(books).where(either))) == ["Dune", "Ulysses"]
    assert sorted(titles(collection(books).where(Field.of("year").not_equal(1815)))) == [
        "Dune",
        "Persuasion",
        "Ulysses",
        "Untitled",
    ]


def test_other_inputs(books):
    assert sorted(row["stars"] for row in rows(books.pipeline().collection_group("reviews"))) == [3, 5]
    assert len(rows(books.pipeline().database())) == 9
    found = books.pipeline().documents(
        books.document("books/b3"), books.document("books/none"), books.document("books/b1")
    )
    assert titles(found) == ["Dune", "Emma"]
    literals = books.pipeline().literals({"a": 1}, {"a": Constant(1).add(1)})
    assert rows(literals) == [{"a": 1}, {"a": 2}]


def test_stages_that_change_fields(books):
    emma = collection(books).where(Field.of("title").equal("Emma"))
    added = emma.add_fields(Field.of("year").add(1).as_("next"), Field.of("none").as_("absent"))
    assert rows(added.select("next", "absent")) == [{"next": 1816}]
    removed = emma.remove_fields("tags", "rating", "none")
    assert rows(removed) == [{"title": "Emma", "year": 1815, "author": "austen"}]
    ulysses = collection(books).where(Field.of("title").equal("Ulysses"))
    assert rows(ulysses.replace_with(Field.of("awards"))) == [{"hugo": False}]


def test_aggregates_and_groups(books):
    whole = collection(books).aggregate(
        Count().as_("books"), Field.of("rating").average().as_("rating"), Field.of("year").maximum().as_("newest")
    )
    assert rows(whole) == [{"books": 5, "rating": pytest.approx(4.2), "newest": 1965}]
    grouped = collection(books).aggregate(Count().as_("n"), groups=["author"])
    assert sorted((row["author"] or "", row["n"]) for row in rows(grouped)) == [
        ("", 1),
        ("austen", 2),
        ("herbert", 1),
        ("joyce", 1),
    ]
    nothing = collection(books).where(Field.of("year").equal(1)).aggregate(Count().as_("n"))
    assert rows(nothing) == [{"n": 0}]
    distinct = collection(books).where(Field.of("year").exists()).distinct("author")
    assert sorted(row["author"] for row in rows(distinct)) == ["austen", "herbert", "joyce"]


def test_unnest_union_sample_and_offset(books):
    tags = (
        collection(books)
        .where(Field.of("year").less_than(1900))
        .unnest("tags", "tag", options=UnnestOptions(index_field="at"))
        .select("title", "tag", "at")
        .sort(Field.of("title").ascending(), Field.of("at").ascending())
    )
    assert rows(tags) == [
        {"title": "Emma", "tag": "love", "at": 0},
        {"title": "Emma", "tag": "class", "at": 1},
        {"title": "Persuasion", "tag": "love", "at": 0},
    ]
    both = collection(books).limit(1).union(books.pipeline().collection("authors"))
    assert len(rows(both)) == 3
    assert len(rows(collection(books).sample(2))) == 2
    assert len(rows(collection(books).sample(SampleOptions.percentage(1.0)))) == 5
    assert titles(collection(books).sort(Field.of("title").ascending()).offset(1).limit(1)) == ["Emma"]


def test_nearest(books):
    for key, vector in {"b1": [1.0, 0.0], "b2": [0.0, 1.0], "b3": [3.0, 4.0]}.items():
        books.document(f"books/{key}").update({"at": Vector(vector)})
    from google.cloud.firestore_v1.pipeline_types import FindNearestOptions

    near = collection(books).find_nearest(
        "at",
        Vector([0.0, 0.0]),
        DistanceMeasure.EUCLIDEAN,
        FindNearestOptions(limit=2, distance_field=Field.of("distance")),
    )
    assert sorted(rows(near.select("title", "distance")), key=lambda row: row["title"]) == [
        {"title": "Emma", "distance": 1.0},
        {"title": "Persuasion", "distance": 1.0},
    ]


def test_transactions_read_times_and_explanations(books):
    @firestore.transactional
    def count(transaction):
        return [row.data() for row in collection(books).aggregate(Count().as_("n")).execute(transaction=transaction)]

    assert count(books.transaction()) == [{"n": 5}]
    before = collection(books).execute().execution_time
    books.document("books/b6").set({"title": "New"})
    assert "New" not in titles(collection(books), read_time=before)
    result = collection(books).sort(Field.of("title").ascending()).execute(explain_options=PipelineExplainOptions())
    assert len(result) == 6
    text = result.explain_stats.get_text()
    assert text and not text.startswith("{") and "MajorSort" in text and "TableScan" in text


def test_memory_limits_are_told_with_the_plan(books):
    with pytest.raises(exceptions.ResourceExhausted) as refusal:
        collection(books).sort(Field.of("title").ascending()).execute(
            explain_options=PipelineExplainOptions(), additional_options={"memory_limit": Constant(1)}
        )
    assert "memory" in str(refusal.value)


@pytest.mark.parametrize(
    "stage, arguments, words",
    [
        ("nonsense", [], "Unknown stage"),
        ("select", [Field.of("title")], "Expected fields to be MAP_VALUE, but was FIELD_REFERENCE_VALUE."),
        ("where", [FunctionExpression("nonsense", [])], "Unknown function"),
        ("where", [FunctionExpression("equal", [Constant(1)])], "2 arguments"),
        ("limit", [Constant(-1)], "negative"),
        ("collection", [Constant("x")], "first"),
        ("limit", [Constant("many")], "limit"),
        ("limit", [Constant(1), Constant(2)], "limit"),
        ("sort", [Constant(1)], "Expected fields to be MAP_VALUE"),
        ("where", [FunctionExpression("array", [Constant(1)] * 2), Constant(True)], "where"),
        ("sample", [Constant(2), Constant("litres")], "sample"),
        ("find_nearest", [Field.of("at"), Constant([1, 2]), Constant("miles")], "find_nearest"),
        ("replace_with", [Field.of("awards"), Constant("merge")], "replace_with"),
    ],
)
def test_what_is_wrong_is_refused_before_it_runs(books, stage, arguments, words):
    with pytest.raises(exceptions.InvalidArgument, match=words):
        collection(books).raw_stage(stage, *arguments).execute()


@pytest.mark.parametrize(
    "options, words",
    [
        ({"surprise": Constant(1)}, "Unknown option \"surprise\""),
        ({"memory_limit": Constant("much")}, "memory_limit"),
        ({"memory_limit": Constant(0)}, "memory_limit"),
        ({"index_mode": Constant("none")}, "index_mode"),
        ({"explain_options": Constant({"mode": "guess"})}, "explain_options"),
    ],
)
def test_options_that_are_unknown_or_wrong_are_refused(books, options, words):
    with pytest.raises(exceptions.InvalidArgument, match=words):
        collection(books).execute(additional_options=options)


def test_options_of_stages_that_are_unknown_or_wrong_are_refused(books):
    with pytest.raises(exceptions.InvalidArgument, match="option"):
        collection(books).raw_stage("where", Field.of("year").exists(), options={"surprise": Constant(1)}).execute()
    with pytest.raises(exceptions.InvalidArgument, match="Invalid index"):
        books.pipeline()._create_pipeline(IndexedCollection("none")).execute()
    assert len(rows(books.pipeline()._create_pipeline(IndexedCollection("primary")))) == 5


def test_failures_of_expressions_end_the_call_outside_of_where(books):
    with pytest.raises(exceptions.InvalidArgument, match="divide"):
        rows(collection(books).select(Constant(1).divide(0).as_("x")))
    with pytest.raises(exceptions.InvalidArgument, match="string_repeat"):
        rows(collection(books).select(FunctionExpression("string_repeat", [Constant("a"), Constant(1 << 30)]).as_("x")))


def test_the_async_client(server, project, books):
    async def run():
        made = clients.connect_async(server, project)
        pipeline = made.pipeline().collection("books").where(Field.of("year").greater_than(1900))
        return [row.get("title") async for row in pipeline.stream()]

    assert sorted(asyncio.run(run())) == ["Dune", "Ulysses"]
