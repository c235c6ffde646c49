import assert from "node:assert/strict";
import { test } from "node:test";

import { csv, readCSV } from "../../Sources/Server/CConsoleFiles/Files/base/csv.js";
import { documentsOf, idOf, readFile, toLines, toTable } from "../../Sources/Server/CConsoleFiles/Files/data/transfer.js";

/** The documents of a file's text, and what is wrong with it. */
const parseFile = (name, text) => {
  const file = readFile(name, text);
  return documentsOf(file, { id: idOf(file) });
};

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
  assert.deepEqual(parseFile("x.jsonl", '{"name":"a/b","fields":{}}\n\nnothing\n[1]\n').problems, [{ row: 3, key: "json.noObject" }, { row: 4, key: "json.noObject" }]);
  assert.equal(parseFile("x.csv", "").problems[0].key, "transfer.noTable");
});

const text = (stringValue) => ({ stringValue });
const whole = (integerValue) => ({ integerValue });

test("plain JSON has its types inferred: arrays, objects by id, one object, lines", () => {
  const chair = { name: text("Chair"), price: { doubleValue: 9.5 }, stock: whole("9007199254740993"), tags: { arrayValue: { values: [text("a")] } }, since: { timestampValue: "2026-03-01T12:00:00Z" } };
  const source = '{"name": "Chair", "price": 9.5, "stock": 9007199254740993, "tags": ["a"], "since": {"$timestamp": "2026-03-01T12:00:00Z"}}';
  const one = { documents: [{ id: null, fields: chair }], problems: [] };
  assert.deepEqual(parseFile("x.json", source), one);
  assert.deepEqual(parseFile("x.json", `[\n${source}\n]`), one);
  assert.deepEqual(parseFile("x.jsonl", `${source}\n`), one);
  assert.deepEqual(parseFile("x.txt", `[${source}]`), one);
  assert.deepEqual(parseFile("x.json", `{\n"products/c1": ${source},\n"c2": {}}`), { documents: [{ id: "c1", fields: chair }, { id: "c2", fields: {} }], problems: [] });
  assert.deepEqual(parseFile("x.json", '[{"name": "projects/p/databases/d/documents/c/x", "fields": {"a": {"integerValue": "1"}}, "createTime": "2026-03-01T12:00:00Z"}, 3]'),
    { documents: [{ id: "x", fields: { a: whole("1") } }], problems: [{ row: 2, key: "json.noObject" }] });
  assert.deepEqual(parseFile("x.json", "[{").problems.length, 1);
  // A field of the name fields is one.
  assert.deepEqual(parseFile("x.json", '[{"fields": {"a": 1}}]').documents, [{ id: null, fields: { fields: { mapValue: { fields: { a: whole("1") } } } } }]);
});

test("semicolons and tabs are between cells too, and numbers may have a comma then", () => {
  const fields = { nome: text("Cadeira; azul"), preço: { doubleValue: 1234.5 }, código: text("007") };
  assert.deepEqual(parseFile("x.csv", '\ufeffnome;preço;código\r\n"Cadeira; azul";1.234,5;007\r\n').documents, [{ id: null, fields }]);
  assert.deepEqual(parseFile("x.tsv", "a\tb\n1\tx,y\n").documents, [{ id: null, fields: { a: whole("1"), b: text("x,y") } }]);
  assert.deepEqual(parseFile("x.csv", "a,b\n\"1;2;3\",4\n").documents[0].fields.b, whole("4"));
});

test("a column is the ids: one that is named so, another one, or none; and has another type", () => {
  const file = readFile("x.csv", "id,sku,n\na,S1,1\nb,S2,2\n");
  assert.equal(idOf(file), "id");
  assert.deepEqual(documentsOf(file, { id: "sku" }).documents, [{ id: "S1", fields: { id: text("a"), n: whole("1") } }, { id: "S2", fields: { id: text("b"), n: whole("2") } }]);
  assert.deepEqual(documentsOf(file, { id: "sku", keepsID: true, types: { n: "string" } }).documents[0], { id: "S1", fields: { id: text("a"), sku: text("S1"), n: text("1") } });
  assert.deepEqual(documentsOf(file).documents[0], { id: null, fields: { id: text("a"), sku: text("S1"), n: whole("1") } });
  assert.equal(idOf(readFile("x.csv", "id,n\na,1\na,2\n")), null);
  const objects = readFile("x.json", '[{"_id": 7, "n": 1}, {"_id": 8, "n": 1}]');
  assert.equal(idOf(objects), "_id");
  assert.deepEqual(documentsOf(objects, { id: "_id" }).documents.map(({ id }) => id), ["7", "8"]);
  // An id with a slash would be a place in another collection.
  assert.deepEqual(parseFile("x.csv", "id,n\na/b/c,1\nd,2\n"), { documents: [{ id: "d", fields: { n: whole("2") } }], problems: [{ row: 2, key: "document.badID" }] });
});

test("a column of any name is data", () => {
  const [{ fields }] = parseFile("x.csv", "__proto__,constructor\n1,2\n").documents;
  assert.deepEqual(Object.keys(fields), ["__proto__", "constructor"]);
});
