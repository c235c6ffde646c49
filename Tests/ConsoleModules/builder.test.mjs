import assert from "node:assert/strict";
import { test } from "node:test";

import { formOf, textOf } from "../../Sources/Server/CConsoleFiles/Files/data/builderModel.js";
import { parse } from "../../Sources/Server/CConsoleFiles/Files/data/filter.js";
import { fullOrders, structuredQuery } from "../../Sources/Server/CConsoleFiles/Files/data/query.js";
import { codeOf, NAMES } from "../../Sources/Server/CConsoleFiles/Files/data/queryCode.js";

const ROOT = "projects/p/databases/(default)/documents";
const read = (text) => parse(text, ROOT, ["products"]);
const QUERY = 'price > 10 and tags contains "x" order by name desc limit 50';
const code = (name, text, collection = ["products"]) => {
  const query = read(text);
  return codeOf(name, query, collection, structuredQuery({ ...query, collection: collection.at(-1), orders: fullOrders(query) }), "http://127.0.0.1:8080/v1/x/documents");
};

test("a form says what the filter bar says, and back", () => {
  const texts = [
    "", QUERY, 'a == "x, y" or b == 1.5 or c == true', 'group(products) where id == "users/ada"', 'id in ["a", "b"]', 'at >= timestamp("2026-03-01T12:00:00Z") limit 5',
    "`odd name` is null", "a != null", "a == NaN", 'owner == ref("users/ada") order by at, id desc', "tags contains any [1, 2]", "group(products) order by name",
  ];
  for (const text of texts) {
    const again = textOf(formOf(read(text)), "products");
    assert.deepEqual(read(again), read(text), `${text} as ${again}`);
  }
  assert.equal(formOf(read("(a == 1 or b == 2) and c == 3")), null);
  assert.equal(formOf(read('a in [1, "x"]')), null);
  assert.equal(textOf({ group: false, isAny: false, rows: [{ field: " ", op: "EQUAL", type: "string", text: "" }], orders: [{ field: "" }], limit: "" }, "products"), "");
});

test("a query is code of the libraries", () => {
  assert.equal(code("Swift", QUERY), 'let query = db.collection("products")\n  .whereFilter(Filter.andFilter([Filter.whereField("price", isGreaterThan: 10), Filter.whereField("tags", arrayContains: "x")]))\n  .order(by: "name", descending: true)\n  .limit(to: 50)\nlet documents = try await query.getDocuments().documents');
  assert.equal(code("JavaScript", QUERY), 'const found = await getDocs(query(\n  collection(db, "products"),\n  and(where("price", ">", 10), where("tags", "array-contains", "x")),\n  orderBy("name", "desc"),\n  limit(50),\n));');
  assert.equal(code("Python", QUERY), 'query = db.collection("products")\nquery = query.where(filter=And([FieldFilter("price", ">", 10), FieldFilter("tags", "array_contains", "x")]))\nquery = query.order_by("name", direction=firestore.Query.DESCENDING)\nquery = query.limit(50)\ndocuments = list(query.stream())');
  assert.match(code("curl", "name == \"it's\""), /^curl -X POST 'http:\/\/127\.0\.0\.1:8080\/v1\/x\/documents:runQuery'[^]*it'\\''s/);
  assert.deepEqual(JSON.parse(code("curl", QUERY).split("-d '")[1].slice(0, -1)).structuredQuery.limit, 50);
});

test("values and names are written as each language has them", () => {
  const text = '`odd.name` == ref("users/ada") and at < timestamp("2026-03-01T12:00:00Z") and id != "x" and a == NaN and b is null and c in [true, 2.0]';
  const [swift, script, python] = NAMES.map((name) => code(name, text, ["users", "ada", "orders"]));
  for (const part of ['FieldPath(["odd.name"]), isEqualTo: db.document("users/ada")', "Timestamp(date: Date(timeIntervalSince1970: 1772366400))", "FieldPath.documentID(), isNotEqualTo: db.document(", 'whereField("a", isEqualTo: Double.nan)', "isEqualTo: NSNull()", "in: [true, 2.0]", '"users/ada/orders"']) assert.ok(swift.includes(part), `${part}\n${swift}`);
  for (const part of ['new FieldPath("odd.name"), "==", doc(db, "users/ada")', 'Timestamp.fromDate(new Date("2026-03-01T12:00:00Z"))', 'where(documentId(), "!="', 'where("a", "==", NaN)', 'where("b", "==", null)', '"in", [true, 2.0]']) assert.ok(script.includes(part), `${part}\n${script}`);
  for (const part of ['FieldFilter("`odd.name`", "==", db.document("users/ada"))', 'datetime.fromisoformat("2026-03-01T12:00:00+00:00")', 'FieldFilter("__name__", "!="', 'float("nan")', '"==", None', '"in", [True, 2.0]']) assert.ok(python.includes(part), `${part}\n${python}`);
  assert.ok(code("Python", "group(products) where a not in [1]").includes('collection_group("products")\nquery = query.where(filter=FieldFilter("a", "not-in", [1]))'));
});
