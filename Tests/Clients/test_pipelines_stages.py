"""Each stage of Google's pipeline API, by the sync and the async client: the same pipelines, the same rows."""

import asyncio

import pytest
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.pipeline_expressions import Constant, Count, Field, FunctionExpression, Variable
from google.cloud.firestore_v1.pipeline_source import PipelineSource
from google.cloud.firestore_v1.pipeline_types import FindNearestOptions, SampleOptions, UnnestOptions
from google.cloud.firestore_v1.vector import Vector

from support import clients

pytestmark = pytest.mark.brasa_only

ITEMS = {
    "a": {"n": 1, "kind": "x", "tags": ["s", "t"], "at": Vector([1.0, 0.0]), "m": {"k": 7}},
    "b": {"n": 2, "kind": "y", "tags": [], "at": Vector([0.0, 3.0]), "m": {"n": 8}},
    "c": {"n": 3, "kind": "x"},
}


@pytest.fixture
def items(client):
    batch = client.batch()
    for key, fields in ITEMS.items():
        batch.set(client.document(f"items/{key}"), fields)
    for key, parent in {"p": "a", "q": "a", "r": "b"}.items():
        batch.set(client.document(f"items/{parent}/parts/{key}"), {"part": key})
    batch.commit()
    return client


def items_of(client):
    return client.pipeline().collection("items")


def by_n(pipeline):
    return pipeline.sort(Field.of("n").ascending())


def nearest(client):
    options = FindNearestOptions(limit=1, distance_field=Field.of("far"))
    near = items_of(client).find_nearest("at", Vector([0.0, 0.0]), DistanceMeasure.EUCLIDEAN, options)
    return near.select("n", "far")


def parts(client):
    inner = PipelineSource.subcollection("parts").sort(Field.of("part").descending()).select("part")
    return by_n(items_of(client)).select("n", inner.to_array_expression().as_("parts"))


def defined(client):
    smaller = items_of(client).where(Field.of("n").less_than(Variable("n"))).aggregate(Count().as_("count"))
    return by_n(items_of(client)).define(Field.of("n").as_("n")).select(smaller.to_scalar_expression().as_("smaller"))


# What each stage gives; a stage of the client's API is the beginning of its name.
STAGES = {
    "collection": (lambda client: by_n(items_of(client)).select("n"), [{"n": 1}, {"n": 2}, {"n": 3}]),
    "collection_group": (
        lambda client: client.pipeline().collection_group("parts").sort(Field.of("part").ascending()),
        [{"part": "p"}, {"part": "q"}, {"part": "r"}],
    ),
    "database": (lambda client: client.pipeline().database().aggregate(Count().as_("n")), [{"n": 6}]),
    "documents": (
        lambda client: client.pipeline().documents(client.document("items/b"), client.document("items/z")).select("n"),
        [{"n": 2}],
    ),
    "literals": (lambda client: client.pipeline().literals({"a": 1}, {"a": Constant(2)}), [{"a": 1}, {"a": 2}]),
    "subcollection": (parts, [{"n": 1, "parts": ["q", "p"]}, {"n": 2, "parts": ["r"]}, {"n": 3, "parts": []}]),
    "where": (lambda client: items_of(client).where(Field.of("n").equal(2)).select("kind"), [{"kind": "y"}]),
    "select": (lambda client: items_of(client).where(Field.of("n").equal(1)).select("m.k"), [{"m": {"k": 7}}]),
    "add_fields": (
        lambda client: by_n(items_of(client)).add_fields(Field.of("n").add(1).as_("next")).select("next").limit(1),
        [{"next": 2}],
    ),
    "remove_fields": (
        lambda client: items_of(client).where(Field.of("n").equal(3)).remove_fields("kind", "none"), [{"n": 3}],
    ),
    "aggregate": (
        lambda client: items_of(client)
        .aggregate(Field.of("n").sum().as_("sum"), groups=["kind"])
        .sort(Field.of("sum").ascending()),
        [{"kind": "y", "sum": 2}, {"kind": "x", "sum": 4}],
    ),
    "distinct": (
        lambda client: items_of(client).distinct("kind").sort(Field.of("kind").ascending()),
        [{"kind": "x"}, {"kind": "y"}],
    ),
    "sort": (
        lambda client: items_of(client).sort(Field.of("kind").ascending(), Field.of("n").descending()).select("n"),
        [{"n": 3}, {"n": 1}, {"n": 2}],
    ),
    "offset": (lambda client: by_n(items_of(client)).offset(2).select("n"), [{"n": 3}]),
    "limit": (lambda client: by_n(items_of(client)).limit(1).select("n"), [{"n": 1}]),
    "find_nearest": (nearest, [{"n": 1, "far": 1.0}]),
    "replace_with": (
        lambda client: by_n(items_of(client)).where(Field.of("m").exists()).replace_with(Field.of("m")),
        [{"k": 7}, {"n": 8}],
    ),
    "sample": (lambda client: items_of(client).sample(2).aggregate(Count().as_("n")), [{"n": 2}]),
    "sample by percent": (
        lambda client: items_of(client).sample(SampleOptions.percentage(1.0)).aggregate(Count().as_("n")), [{"n": 3}],
    ),
    "union": (
        lambda client: items_of(client).union(client.pipeline().collection_group("parts")).aggregate(Count().as_("n")),
        [{"n": 6}],
    ),
    "unnest": (
        lambda client: by_n(items_of(client))
        .unnest("tags", "tag", options=UnnestOptions(index_field="at"))
        .select("n", "tag", "at"),
        [{"n": 1, "tag": "s", "at": 0}, {"n": 1, "tag": "t", "at": 1}, {"n": 3, "at": None}],
    ),
    "define": (defined, [{"smaller": 0}, {"smaller": 1}, {"smaller": 2}]),
    "raw_stage": (
        lambda client: items_of(client).raw_stage("where", Field.of("n").equal(1)).select("n"),
        [{"n": 1}],
    ),
    "update": (
        lambda client: items_of(client).where(Field.of("n").equal(1)).update(Constant("new").as_("kind")),
        [{"documents_modified": 1}],
    ),
    "delete": (lambda client: items_of(client).where(Field.of("kind").equal("x")).delete(), [{"documents_modified": 2}]),
}


def by_execute(server, project, client, build):
    return [row.data() for row in build(client).execute()]


def by_stream(server, project, client, build):
    return [row.data() for row in build(client).stream()]


def by_async_execute(server, project, client, build):
    async def run():
        return [row.data() for row in await build(clients.connect_async(server, project)).execute()]

    return asyncio.run(run())


def by_async_stream(server, project, client, build):
    async def run():
        return [row.data() async for row in build(clients.connect_async(server, project)).stream()]

    return asyncio.run(run())


@pytest.mark.parametrize("call", [by_execute, by_stream, by_async_execute, by_async_stream])
def test_every_stage_gives_its_rows(server, project, items, call):
    for name, (build, expected) in STAGES.items():
        if name == "delete":
            # The stage before has changed one of the two.
            items.document("items/a").update({"kind": "x"})
        assert call(server, project, items, build) == expected, name


def test_no_stage_of_the_client_is_left_out(items):
    own = {name for name in dir(items_of(items)) if not name.startswith("_")}
    own |= {name for name in dir(items.pipeline()) if not name.startswith("_")}
    helpers = {"client", "create_from", "execute", "stream", "stages", "to_array_expression", "to_scalar_expression"}
    # The stage search is refused by name; its tests are elsewhere.
    assert own - helpers - {"search"} == {name.split(" ")[0] for name in STAGES}


def test_fields_may_be_named_like_stages_and_functions(client):
    names = ["where", "select", "limit", "sort", "let", "union", "delete", "equal", "add", "collection", "array", "count"]
    client.document("odd/a").set({name: number for number, name in enumerate(names)})
    client.document("odd/b").set({name: -1 for name in names})
    for number, name in enumerate(names):
        pipeline = (
            client.pipeline().collection("odd")
            .where(Field.of(name).equal(number))
            .define(Field.of(name).as_(name))
            .add_fields(Variable(name).add(1).as_(name))
            .sort(Field.of(name).descending())
            .select(name)
        )
        assert [row.data() for row in pipeline.execute()] == [{name: number + 1}]
        groups = client.pipeline().collection("odd").aggregate(Count().as_(name), groups=[Field.of(name).as_("group")])
        assert sorted(row.data()["group"] for row in groups.execute()) == [-1, number]
    rewritten = client.pipeline().collection("odd").where(Field.of("where").equal(0)).update(Constant(5).as_("delete"))
    assert [row.data() for row in rewritten.execute()] == [{"documents_modified": 1}]
    assert client.document("odd/a").get().to_dict()["delete"] == 5


def test_the_regular_expression_of_a_field_named_like_it(client):
    client.document("odd/r").set({"regex_match": "abc"})
    matched = FunctionExpression("regex_match", [Field.of("regex_match"), Constant("a.c")])
    pipeline = client.pipeline().collection("odd").where(matched).select("regex_match")
    assert [row.data() for row in pipeline.execute()] == [{"regex_match": "abc"}]
