import assert from "node:assert/strict";
import { test } from "node:test";

import { FilterError, fieldText, parse, valueText, withOrder } from "../../Sources/Server/CConsoleFiles/Files/data/filter.js";
import { fullOrders, namesOf, structuredQuery } from "../../Sources/Server/CConsoleFiles/Files/data/query.js";

const ROOT = "projects/p/databases/(default)/documents";
const field = (fieldPath, op, value) => ({ fieldFilter: { field: { fieldPath }, op, value } });

test("the design's example", () => {
  assert.deepEqual(parse('price > 10 and tags contains "x" order by name desc limit 50', ROOT), {
    group: null,
    where: { compositeFilter: { op: "AND", filters: [field("price", "GREATER_THAN", { integerValue: "10" }), field("tags", "ARRAY_CONTAINS", { stringValue: "x" })] } },
    orders: [{ names: ["name"], isDescending: true }],
    limit: 50,
  });
});

test("and binds closer than or, parentheses closer than both", () => {
  const { where } = parse("a == 1 or b == 2 and (c == 3 or d == 4)", ROOT);
  assert.equal(where.compositeFilter.op, "OR");
  assert.equal(where.compositeFilter.filters[1].compositeFilter.op, "AND");
  assert.equal(where.compositeFilter.filters[1].compositeFilter.filters[1].compositeFilter.op, "OR");
});

test("every operator and every kind of value", () => {
  const cases = [
    ["a = 1.0", field("a", "EQUAL", { doubleValue: 1 })], ["a != -3", field("a", "NOT_EQUAL", { integerValue: "-3" })],
    ["a <= true", field("a", "LESS_THAN_OR_EQUAL", { booleanValue: true })],
    ['a in ["x", 2]', field("a", "IN", { arrayValue: { values: [{ stringValue: "x" }, { integerValue: "2" }] } })],
    ["a not in [1]", field("a", "NOT_IN", { arrayValue: { values: [{ integerValue: "1" }] } })],
    ["a contains any [1]", field("a", "ARRAY_CONTAINS_ANY", { arrayValue: { values: [{ integerValue: "1" }] } })],
    ["a is null", { unaryFilter: { field: { fieldPath: "a" }, op: "IS_NULL" } }],
    ["a is not null", { unaryFilter: { field: { fieldPath: "a" }, op: "IS_NOT_NULL" } }],
    ["a == NaN", { unaryFilter: { field: { fieldPath: "a" }, op: "IS_NAN" } }],
    ['`a.b`.c >= timestamp("2026-01-01T00:00:00Z")', field("`a.b`.c", "GREATER_THAN_OR_EQUAL", { timestampValue: "2026-01-01T00:00:00Z" })],
    ['__name__ > ref("users/ada")', field("__name__", "GREATER_THAN", { referenceValue: `${ROOT}/users/ada` })],
  ];
  for (const [text, where] of cases) assert.deepEqual(parse(text, ROOT).where, where, text);
});

test("groups, orders and limits alone", () => {
  assert.deepEqual(parse("", ROOT), { group: null, where: null, orders: [], limit: null });
  assert.deepEqual(parse("group(products) limit 5", ROOT), { group: "products", where: null, orders: [], limit: 5 });
  assert.deepEqual(parse("order by a, b.c desc", ROOT).orders, [{ names: ["a"], isDescending: false }, { names: ["b", "c"], isDescending: true }]);
  assert.equal(parse("where a == 1", ROOT).where.fieldFilter.op, "EQUAL");
});

test("what is no filter says where and why", () => {
  const cases = [
    ["a", "filter.noOperator", 1], ["a ==", "filter.noValue", 4], ["== 1", "filter.noField", 0], ["a == 1 b", "filter.more", 7], ["(a == 1", "filter.noClose", 7],
    ["a == 1 limit x", "filter.noLimit", 13], ["limit 0", "filter.noLimit", 6], ["a in 1", "filter.noList", 5], ["a == $", "filter.unknownSign", 5],
    ["a == timestamp(1)", "filter.noText", 15], ['a == timestamp("x")', "value.notTimestamp", 5], ["a == 9223372036854775808", "value.integerRange", 5], ["a == yes", "filter.noValue", 5],
  ];
  for (const [text, key, offset] of cases) {
    assert.throws(() => parse(text, ROOT), (error) => error instanceof FilterError && error.key === key && error.offset === offset, text);
  }
});

test("an id is that of a document of the open collection, or a path", () => {
  const inOpen = (text) => parse(text, ROOT, ["shops", "s1", "products"]).where;
  const ada = (op, path = "shops/s1/products/ada") => field("__name__", op, { referenceValue: `${ROOT}/${path}` });
  assert.deepEqual(inOpen('id == "ada"'), ada("EQUAL"));
  assert.deepEqual(inOpen("id == 'ada'"), ada("EQUAL"));
  assert.deepEqual(inOpen('__name__ >= "ada"'), ada("GREATER_THAN_OR_EQUAL"));
  assert.deepEqual(inOpen("id == 42"), ada("EQUAL", "shops/s1/products/42"));
  assert.deepEqual(inOpen('id < "/users/ada"'), ada("LESS_THAN", "users/ada"));
  assert.deepEqual(inOpen('id in ["a", "b"]').fieldFilter.value.arrayValue.values.map((one) => one.referenceValue.split("/").pop()), ["a", "b"]);
  // A field of that name, and one below a map.
  assert.deepEqual(inOpen('`id` == "ada"'), field("id", "EQUAL", { stringValue: "ada" }));
  assert.deepEqual(inOpen('id.x == "ada"'), field("id.x", "EQUAL", { stringValue: "ada" }));
  assert.deepEqual(parse("order by id desc", ROOT).orders, [{ names: ["__name__"], isDescending: true }]);
  assert.deepEqual(parse("a == 'it\\'s \"so\"'", ROOT).where, field("a", "EQUAL", { stringValue: 'it\'s "so"' }));
  const wrong = [["id == true", "filter.noID", 6], ['id contains "a"', "filter.noID", 12], ["id is null", "filter.noID", 6], ['group(c) where id == "a"', "filter.noPath", 21], ['id == "users"', null], ["a == 'x", "filter.noQuote", 5], ['id == "a/b/c"', "value.notReference", 6]];
  for (const [text, key, offset] of wrong) {
    if (key === null) assert.ok(inOpen(text));
    else assert.throws(() => inOpen(text), (error) => error instanceof FilterError && error.key === key && error.offset === offset, text);
  }
});

test("another order takes the place of a filter's own", () => {
  assert.equal(withOrder("", ["price"]), "order by price");
  assert.equal(withOrder('a == "order by x" order by b desc, c limit 5', ["price"], true), 'a == "order by x" order by price desc limit 5');
  assert.equal(withOrder("limit 5", ["a.b"]), "order by `a.b` limit 5");
  assert.equal(withOrder("limit > 3", ["id"]), "limit > 3 order by `id`");
  assert.equal(withOrder("order by b", null), "");
  assert.equal(withOrder("a == 1", ["__name__"], true), "a == 1 order by id desc");
  assert.deepEqual(["id", "a b", "c"].map((name) => fieldText([name])), ["`id`", "`a b`", "c"]);
});

test("a query's order is that of the server, in full", () => {
  const orders = (text) => fullOrders(parse(text, ROOT)).map((one) => `${one.names.join(".")}${one.isDescending ? " desc" : ""}`);
  assert.deepEqual(orders(""), ["__name__"]);
  assert.deepEqual(orders("a == 1"), ["__name__"]);
  assert.deepEqual(orders("b > 1 and a != 2"), ["a", "b", "__name__"]);
  assert.deepEqual(orders("b > 1 order by c desc"), ["c desc", "b desc", "__name__ desc"]);
  assert.deepEqual(orders("a is not null or c not in [1] order by c"), ["c", "a", "__name__"]);
  assert.deepEqual(namesOf("`a.b`.c.`d\\`e`"), ["a.b", "c", "d`e"]);
});

test("cursors are the values of the orders", () => {
  const query = structuredQuery({ collection: "c", group: null, where: null, orders: fullOrders(parse("", ROOT)), limit: 3, after: [{ referenceValue: "x" }] });
  assert.deepEqual(query, {
    from: [{ collectionId: "c" }], limit: 3, orderBy: [{ field: { fieldPath: "__name__" }, direction: "ASCENDING" }], startAt: { values: [{ referenceValue: "x" }], before: false },
  });
});

test("values are written as they are read", () => {
  for (const text of ['"a \\" b"', "1", "1.0", "NaN", "true", "null", 'timestamp("2026-01-01T00:00:00Z")']) {
    const { where } = parse(`a in [${text}]`, ROOT);
    assert.equal(valueText(where.fieldFilter.value.arrayValue.values[0]), text);
  }
});
