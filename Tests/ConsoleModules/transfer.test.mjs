import assert from "node:assert/strict";
import { test } from "node:test";

import { csv, readCSV } from "../../Sources/Server/CConsoleFiles/Files/base/csv.js";
import { parseFile, toLines, toTable } from "../../Sources/Server/CConsoleFiles/Files/data/transfer.js";

const name = (id) => `projects/p/databases/(default)/documents/c/${id}`;
const DOCUMENTS = [
  { name: name("a"), fields: {
    s: { stringValue: "=1+1" }, i: { integerValue: "9223372036854775807" }, d: { doubleValue: -3 }, b: { booleanValue: true }, t: { timestampValue: "2026-03-01T12:00:00.000001Z" }, x: { stringValue: "1" },
    m: { mapValue: { fields: { "a,b": { arrayValue: { values: [{ nullValue: null }, { doubleValue: 1 }] } } } } }, y: { bytesValue: "AAEC" }, g: { geoPointValue: { latitude: 1.5, longitude: -2 } }, e: { stringValue: "" },
  } },
  { name: name("b"), fields: { s: { stringValue: "'quoted\"\n, line" }, i: { integerValue: "-1" }, d: { doubleValue: "-Infinity" }, x: { integerValue: "1" }, n: { nullValue: null } } },
  { name: name("-c"), fields: { d: { doubleValue: -0 } } },
];

test("CSV comes back as it was, whatever spreadsheets make of signs", () => {
  const rows = [["a", null, ""], ["=x", "'y", "-1"], ['"', "\r\n", ","], [null, "é", "''="]];
  assert.deepEqual(readCSV(csv(rows)), rows);
  assert.deepEqual(readCSV("a,b\n1,2"), [["a", "b"], ["1", "2"]]);
  assert.deepEqual(readCSV("\ufeffa\r\n"), [["a"]]);
  assert.equal(readCSV('a"b,c\n'), null);
  assert.deepEqual(readCSV(""), []);
});

test("documents come back from both forms byte for byte", () => {
  const expected = DOCUMENTS.map((document) => ({ id: document.name.split("/").pop(), fields: document.fields }));
  // JSON's writer drops the sign of a zero, so it is a text there, as the API takes it too.
  const lines = expected.map((one) => (one.id === "-c" ? { ...one, fields: { d: { doubleValue: "-0" } } } : one));
  assert.deepEqual(parseFile("c.jsonl", toLines(DOCUMENTS)), { documents: lines, problems: [] });
  const found = parseFile("c.csv", toTable(DOCUMENTS));
  assert.deepEqual(found.problems, []);
  assert.deepEqual(found.documents, expected);
});

test("a table of others has its types guessed, or says them", () => {
  const { documents, problems } = parseFile("x.CSV", "name,price,weight:double,active,since,note\nChair,10,2,true,2026-03-01T12:00:00Z,\nTable,-3,2.5,false,2026-03-02T12:00:00Z,7\n");
  assert.deepEqual(problems, []);
  assert.deepEqual(documents[0], { id: null, fields: {
    name: { stringValue: "Chair" }, price: { integerValue: "10" }, weight: { doubleValue: 2 }, active: { booleanValue: true }, since: { timestampValue: "2026-03-01T12:00:00Z" },
  } });
  assert.deepEqual(documents[1].fields.note, { integerValue: "7" });
});

test("rows that are wrong are named and left out", () => {
  assert.deepEqual(parseFile("x.csv", "n:integer\n1\nx\n3\n"), { documents: [{ id: null, fields: { n: { integerValue: "1" } } }, { id: null, fields: { n: { integerValue: "3" } } }], problems: [{ row: 3, key: "value.notInteger" }] });
  assert.deepEqual(parseFile("x.jsonl", '{"name":"a/b","fields":{}}\n\nnothing\n{"fields":1}\n').problems, [{ row: 3, key: "json.noObject" }, { row: 4, key: "json.noObject" }]);
  assert.equal(parseFile("x.csv", "").problems[0].key, "transfer.noTable");
});
