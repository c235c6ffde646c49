"""Pipelines inside pipelines, and pipelines that write, by Google's client."""

import re
import threading

import pytest
import requests
from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1.pipeline_expressions import Constant, Count, Field, FunctionExpression, Variable
from google.cloud.firestore_v1.pipeline_source import PipelineSource
from google.cloud.firestore_v1.query_profile import PipelineExplainOptions

from support import server as servers
from support.rpc import OWNER, Failure, varint

pytestmark = pytest.mark.brasa_only


@pytest.fixture
def shop(client):
    batch = client.batch()
    for key, fields in {"p1": {"name": "Cup", "price": 5}, "p2": {"name": "Pot", "price": 20}}.items():
        batch.set(client.document(f"products/{key}"), fields)
    for key, (product, count) in {"o1": ("p1", 2), "o2": ("p2", 1), "o3": ("p1", 4), "o4": ("none", 1)}.items():
        batch.set(client.document(f"orders/{key}"), {"product": product, "count": count})
    for key, stars in {"r1": 5, "r2": 4}.items():
        batch.set(client.document(f"products/p1/reviews/{key}"), {"stars": stars})
    batch.commit()
    return client


def rows(pipeline):
    return [row.data() for row in pipeline.execute()]


def orders_of(client, product):
    return client.pipeline().collection("orders").where(Field.of("product").equal(product))


def test_joins_by_a_variable(shop):
    pipeline = (
        shop.pipeline()
        .collection("products")
        .define(Field.of("__name__").document_id().as_("id"))
        .add_fields(
            orders_of(shop, Variable("id"))
            .sort(Field.of("count").ascending())
            .select("count")
            .to_array_expression()
            .as_("counts"),
            orders_of(shop, Variable("id")).aggregate(Count().as_("n")).to_scalar_expression().as_("orders"),
        )
        .select("name", "counts", "orders")
        .sort(Field.of("name").ascending())
    )
    assert rows(pipeline) == [
        {"name": "Cup", "counts": [2, 4], "orders": 2},
        {"name": "Pot", "counts": [1], "orders": 1},
    ]


def test_subcollections_of_the_outer_row(shop):
    reviews = PipelineSource.subcollection("reviews").aggregate(Field.of("stars").average().as_("stars"))
    pipeline = (
        shop.pipeline()
        .collection("products")
        .sort(Field.of("name").ascending())
        .select("name", reviews.to_scalar_expression().as_("stars"))
    )
    assert rows(pipeline) == [{"name": "Cup", "stars": 4.5}, {"name": "Pot", "stars": None}]


def test_scalars_of_several_rows_and_unknown_variables_are_refused(shop):
    products = shop.pipeline().collection("products")
    with pytest.raises(exceptions.InvalidArgument, match="multiple results"):
        rows(products.select(shop.pipeline().collection("orders").to_scalar_expression().as_("x")))
    with pytest.raises(exceptions.InvalidArgument, match="(?i)unknown variable"):
        rows(products.select(Variable("nobody").as_("x")))
    with pytest.raises(exceptions.InvalidArgument, match="start of a nested pipeline"):
        products.raw_stage("union", PipelineSource.subcollection("reviews").to_array_expression().params[0]).execute()


def test_inner_variables_hide_outer_ones(shop):
    inner = shop.pipeline().literals({"a": 1}).define(Constant(2).as_("x")).select(Variable("x").as_("x"))
    pipeline = (
        shop.pipeline()
        .literals({"b": 1})
        .define(Constant(1).as_("x"))
        .select(inner.to_scalar_expression().as_("inner"), Variable("x").as_("outer"))
    )
    assert rows(pipeline) == [{"inner": 2, "outer": 1}]


def test_updates_and_deletes_tell_how_many(shop):
    cheap = shop.pipeline().collection("products").where(Field.of("price").less_than(10))
    assert rows(cheap.update(Field.of("price").add(1).as_("price"))) == [{"documents_modified": 1}]
    assert shop.document("products/p1").get().to_dict() == {"name": "Cup", "price": 6}
    assert rows(cheap.delete()) == [{"documents_modified": 1}]
    assert not shop.document("products/p1").get().exists
    assert shop.document("products/p2").get().exists


def test_updates_replace_the_document_by_the_row(shop):
    pot = shop.pipeline().collection("products").where(Field.of("name").equal("Pot"))
    changed = pot.add_fields(Field.of("price").as_("cost.now")).remove_fields("price").update()
    assert rows(changed) == [{"documents_modified": 1}]
    assert shop.document("products/p2").get().to_dict() == {"name": "Pot", "cost": {"now": 20}}


def test_updates_lose_no_write_of_others(client):
    documents = [client.document(f"stock/{number:03}") for number in range(60)]
    batch = client.batch()
    for document in documents:
        batch.set(document, {"mine": 0, "theirs": 0})
    batch.commit()
    acknowledged = [0] * len(documents)
    ended = threading.Event()

    def increment():
        while not ended.is_set():
            for index in range(len(documents) - 1, -1, -1):
                documents[index].update({"theirs": firestore.Increment(1)})
                acknowledged[index] += 1
                if ended.is_set():
                    return

    other = threading.Thread(target=increment)
    other.start()
    try:
        for _ in range(3):
            everything = client.pipeline().collection("stock")
            assert rows(everything.update(Field.of("mine").add(1).as_("mine"))) == [{"documents_modified": 60}]
    finally:
        ended.set()
        other.join()
    found = [document.get().to_dict() for document in documents]
    assert [fields["mine"] for fields in found] == [3] * len(documents)
    assert [fields["theirs"] for fields in found] == acknowledged


def test_deletes_spare_what_does_not_match_any_more(client):
    documents = [client.document(f"carts/{number:03}") for number in range(60)]
    batch = client.batch()
    for document in documents:
        batch.set(document, {"old": True})
    batch.commit()
    kept = []

    def rescue():
        for document in reversed(documents):
            try:
                document.update({"old": False})
            except exceptions.NotFound:
                return
            kept.append(document.id)

    other = threading.Thread(target=rescue)
    other.start()
    [result] = rows(client.pipeline().collection("carts").where(Field.of("old").equal(True)).delete())
    other.join()
    assert sorted(document.id for document in client.collection("carts").stream()) == sorted(kept)
    assert result["documents_modified"] == len(documents) - len(kept)


def test_joins_of_many_rows_look_up_in_batches(client):
    batch = client.batch()
    for number in range(120):
        batch.set(client.document(f"orders/o{number:03}"), {"product": f"p{number % 5}", "n": number})
    for number in range(4):
        batch.set(client.document(f"products/p{number}"), {"name": f"n{number}"})
    batch.commit()
    name = (
        client.pipeline()
        .collection("products")
        .where(Field.of("__name__").document_id().equal(Variable("product")))
        .select("name")
    )
    pipeline = (
        client.pipeline()
        .collection("orders")
        .define(Field.of("product").as_("product"))
        .select("n", name.to_scalar_expression().as_("name"))
        .sort(Field.of("n").ascending())
    )
    result = pipeline.execute(explain_options=PipelineExplainOptions())
    names = [f"n{number % 5}" if number % 5 < 4 else None for number in range(120)]
    assert [row.data() for row in result] == [{"n": n, "name": name} for n, name in enumerate(names)]
    text = result.explain_stats.get_text()
    assert re.search(r"- NestedLoopJoin in batches \(rows: 120, bytes: [1-9]\d*, time: \d+\.\d{3} ms\)", text), text
    assert re.search(r"- LookupById /products by __name__ \(rows: 4,", text), text


def test_writing_stages_are_the_last_ones(shop):
    products = shop.pipeline().collection("products")
    for wrong in (products.delete().limit(1), products.aggregate(Count().as_("n")).delete()):
        with pytest.raises(exceptions.InvalidArgument):
            wrong.execute()
    transaction = shop.transaction()
    transaction._begin()
    with pytest.raises(exceptions.InvalidArgument, match="transaction"):
        products.delete().execute(transaction=transaction)
    transaction._rollback()
    assert len(rows(products)) == 2


def field(number, content):
    """A field of a message, as bytes: the client's own library refuses to nest so deep."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def function(name, argument):
    return field(20, field(1, name) + field(2, argument))


def execute(calls, names, *stages):
    """The responses to a pipeline of stages that are pairs of a name and its arguments."""
    pipeline = b"".join(field(1, field(1, name) + arguments) for name, arguments in stages)
    request = field(1, names.database.encode()) + field(2, field(1, pipeline))
    return calls.raw("/google.firestore.v1.Firestore/ExecutePipeline", request, streams=True)


def condition(depth):
    """A stage with so many functions inside each other, and a constant inside the last one."""
    value = field(17, b"x")
    for _ in range(depth):
        value = function(b"abs", value)
    return b"where", field(2, value)


@pytest.mark.parametrize("depth", [120, 130, 10_000])
def test_deep_pipelines_are_refused(calls, names, depth):
    with pytest.raises(Failure) as refusal:
        execute(calls, names, (b"database", b""), condition(depth))
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert refusal.value.message == "The pipeline is nested too deeply. Nest expressions at most 120 levels deep."


def test_pipelines_of_the_greatest_depth_are_answered(calls, names):
    assert len(execute(calls, names, (b"database", b""), condition(119))) == 1


ONE = b"\x10\x01"


def entry(value):
    """The field `a` of a map."""
    return field(1, field(1, b"a") + field(2, value))


def inside(depth):
    """Arguments of a `select`: so many sub-pipelines inside each other."""
    arguments = field(2, field(6, entry(ONE)))
    for _ in range(depth):
        stages = (b"literals", field(2, field(6, entry(ONE)))), (b"select", arguments)
        pipeline = b"".join(field(1, field(1, name) + content) for name, content in stages)
        arguments = field(2, field(6, entry(function(b"scalar", field(21, pipeline)))))
    return arguments


def test_sub_pipelines_nest_20_deep(calls, names):
    literals = b"literals", field(2, field(6, entry(ONE)))
    [response] = execute(calls, names, literals, (b"select", inside(20)))
    # The value of the innermost row.
    assert field(1, b"a") + field(2, ONE) in response
    with pytest.raises(Failure) as refusal:
        execute(calls, names, literals, (b"select", inside(21)))
    assert refusal.value.code.name == "INVALID_ARGUMENT"
    assert refusal.value.message == "Sub-pipelines are nested more than 20 deep."


def test_a_deadline_ends_a_long_pipeline(calls, names, client, server):
    def reference(name):
        return {"field_reference_value": name}

    def entries(**values):
        return {"map_value": {"fields": values}}

    # A thousand million rows, and memory for a thousand groups.
    numbers = {"array_value": {"values": [{"integer_value": number} for number in range(1_000)]}}
    stages = [{"name": "literals", "args": [entries(a=numbers)]}]
    stages += [{"name": "unnest", "args": [reference("a"), reference(name)]} for name in "bcd"]
    stages.append({"name": "distinct", "args": [entries(d=reference("d"))]})
    with pytest.raises(Failure) as refusal:
        calls.ExecutePipeline(
            database=names.database, structured_pipeline={"pipeline": {"stages": stages}}, timeout=1
        )
    assert refusal.value.code.name == "DEADLINE_EXCEEDED"

    def held():
        page = requests.get(f"{server.url}/metrics", headers=dict(OWNER), timeout=30).text
        return [line for line in page.splitlines() if "client_memory_response_bytes" in line and line[0] != "#"]

    servers.wait_for(lambda: [line for line in held() if float(line.split()[-1]) == 0], "nothing held")
    assert rows(client.pipeline().literals({"a": 1})) == [{"a": 1}]


def test_many_stages_are_refused_or_answered(shop):
    long = shop.pipeline().literals({"a": 0})
    for _ in range(1_000):
        long = long.add_fields(Field.of("a").add(1).as_("a"))
    assert rows(long) == [{"a": 1_000}]
    with pytest.raises(exceptions.InvalidArgument, match="1024 stages"):
        rows(long.union(long))


def test_wide_unions_are_refused_or_answered(shop):
    wide = shop.pipeline().literals({"a": 0})
    for number in range(500):
        wide = wide.union(shop.pipeline().literals({"a": number}))
    assert len(rows(wide)) == 501
    with pytest.raises(exceptions.InvalidArgument, match="1024 stages"):
        rows(wide.union(wide))


@pytest.mark.parametrize("function, argument", [("like", "%" + "a" * 400 + "b"), ("regex_match", "(a|a)*(a|aa)*b")])
def test_patterns_that_explode_elsewhere(client, function, argument):
    text = Constant("a" * 5_000)
    pipeline = client.pipeline().literals({"a": 0})
    result = rows(pipeline.select(FunctionExpression(function, [text, Constant(argument)]).as_("x")))
    assert result == [{"x": False}]
