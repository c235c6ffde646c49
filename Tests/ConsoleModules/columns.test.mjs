import assert from "node:assert/strict";
import { test } from "node:test";

import { arranged, columnsOf, moved, readArrangement } from "../../Sources/Server/CConsoleFiles/Files/data/columns.js";
import { instantFrom, localText } from "../../Sources/Server/CConsoleFiles/Files/data/instants.js";
import { compareNames } from "../../Sources/Server/CConsoleFiles/Files/data/order.js";
import { descendantsQuery } from "../../Sources/Server/CConsoleFiles/Files/data/query.js";

const text = (stringValue) => ({ stringValue });
const DOCUMENTS = [
  { name: "projects/p/databases/d/documents/products/p0001", fields: {
    zebra: text("z"), active: { booleanValue: true }, created: { timestampValue: "2026-03-01T12:00:00Z" }, description: text("long ".repeat(40)), name: text("Chair"), price: { doubleValue: 9.5 },
    tags: { arrayValue: { values: [] } }, owner: { referenceValue: "projects/p/databases/d/documents/users/ada" }, constructor: text("x"),
  } },
  { name: "projects/p/databases/d/documents/products/p0002", fields: { zebra: text("z"), name: text("Table") } },
];
const ids = (columns) => columns.map(({ id }) => id);

test("columns begin with the id and names, then short texts, numbers, dates, flags, and the rest", () => {
  const columns = columnsOf([], DOCUMENTS);
  assert.deepEqual(ids(columns), ["id", ".name", ".zebra", ".constructor", ".price", ".created", ".active", ".owner", ".description", ".tags"]);
  const width = Object.fromEntries(columns.map((column) => [column.id, column.width]));
  assert.ok(width[".price"] < width[".description"] && width[".description"] === 300 && width.id >= 96);
});

test("columns that are shown stay where they are when others come", () => {
  const before = columnsOf([], [DOCUMENTS[1]]);
  assert.deepEqual(ids(columnsOf(before, DOCUMENTS)).slice(0, 3), ["id", ".name", ".zebra"]);
  assert.deepEqual(columnsOf(before, DOCUMENTS).slice(0, 3), before);
});

test("columns are arranged, and those that the arrangement does not know follow", () => {
  const columns = columnsOf([], DOCUMENTS);
  const shown = arranged(columns, { order: [".price", ".name"], hidden: [".zebra", ".tags", "id"], widths: { ".price": 333 } });
  assert.deepEqual(ids(shown), ["id", ".price", ".name", ".constructor", ".created", ".active", ".owner", ".description"]);
  assert.equal(shown[1].width, 333);
  assert.deepEqual(arranged(columns), columns);
  assert.deepEqual(arranged([]), []);
});

test("what was kept is an arrangement or none", () => {
  const none = { order: [], hidden: [], widths: {} };
  for (const kept of [null, "", "null", "[]", '"x"', '{"order":[1],"hidden":{},"widths":{"a":"<b>"}}', '{"widths":{"a":1e9}}']) assert.deepEqual(readArrangement(kept), none, kept);
  assert.deepEqual(readArrangement('{"order":["a"],"hidden":["b"],"widths":{"a":90}}'), { order: ["a"], hidden: ["b"], widths: { a: 90 } });
  assert.deepEqual([moved(["a", "b", "c"], "a", 1), moved(["a", "b", "c"], "a", -1), moved(["a", "b", "c"], "b", 5)], [["b", "a", "c"], ["a", "b", "c"], ["a", "c", "b"]]);
});

test("what is below a document is everything, and a collection's is no other's", () => {
  assert.deepEqual(descendantsQuery("root", ["c", "d"]).where, undefined);
  const [from, to] = descendantsQuery("root", ["c"]).where.compositeFilter.filters.map(({ fieldFilter }) => fieldFilter.value.referenceValue);
  const isWithin = (name) => compareNames(from, name) <= 0 && compareNames(name, to) < 0;
  assert.deepEqual(["root/c/a", "root/c/a/b/c", "root/c2/a", "root/c /a", "root/b/a"].map(isWithin), [true, true, false, false, false]);
});

test("an instant is picked to the second, and stays as it was to the last digit", () => {
  const before = "2026-03-01T12:00:00.123456Z";
  assert.equal(localText(before, true), "2026-03-01T12:00:00");
  assert.equal(instantFrom(localText(before, true), true, before), before);
  assert.equal(instantFrom(localText(before, false), false, before), before);
  assert.equal(instantFrom("2026-03-01T12:00:01", true, before), "2026-03-01T12:00:01Z");
  assert.equal(instantFrom("2026-03-01T12:00", true), "2026-03-01T12:00:00Z");
  assert.deepEqual([instantFrom("", true), localText("x", true)], [null, ""]);
});
