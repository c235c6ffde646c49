import assert from "node:assert/strict";
import { test } from "node:test";

import { JSONTextError, read, write } from "../../Sources/Server/CConsoleFiles/Files/data/jsonText.js";

const ALL = {
  text: { stringValue: 'a "quoted" \u0001 🔥' }, whole: { integerValue: "9223372036854775807" }, real: { doubleValue: 3 }, negative: { doubleValue: -0 },
  nan: { doubleValue: "NaN" }, yes: { booleanValue: true }, nothing: { nullValue: null }, when: { timestampValue: "2026-03-01T12:00:00.5Z" },
  where: { geoPointValue: { latitude: 1.5, longitude: -2 } }, bytes: { bytesValue: "AP+A" },
  other: { referenceValue: "projects/p/databases/(default)/documents/c/d" },
  vector: { mapValue: { fields: { __type__: { stringValue: "__vector__" }, value: { arrayValue: { values: [{ doubleValue: 1 }, { doubleValue: 0.5 }] } } } } },
  list: { arrayValue: { values: [{ integerValue: "1" }, { mapValue: { fields: {} } }, { arrayValue: { values: [] } }] } },
  map: { mapValue: { fields: { "": { nullValue: null }, inner: { mapValue: { fields: { $timestamp: { stringValue: "not one" } } } } } } },
  $dollar: { mapValue: { fields: { $$map: { mapValue: { fields: { $: { nullValue: null } } } } } } },
  "__proto__x": { stringValue: "<script>alert(1)</script>" },
};

test("a document with every type comes back unchanged", () => {
  assert.deepStrictEqual(read(write(ALL)), ALL);
  assert.deepStrictEqual(read(write({})), {});
});

test("names that objects have by birth are only names", () => {
  const fields = JSON.parse('{"__proto__": {"stringValue": "x"}, "constructor": {"nullValue": null}}');
  assert.equal(write(read(write(fields))), write(fields));
  assert.ok(Object.hasOwn(read(write(fields)), "__proto__"));
});

test("a number with a point is a double, without an integer", () => {
  assert.deepEqual(read('{"a": 1, "b": 1.0, "c": 1e2}'), { a: { integerValue: "1" }, b: { doubleValue: 1 }, c: { doubleValue: 100 } });
});

test("what is no document says where and why", () => {
  const cases = [
    ["", "json.noObject", 0], ["[]", "json.noObject", 0], ["{} x", "json.more", 3], ['{"a" 1}', "json.noColon", 5], ["{a: 1}", "json.noName", 1],
    ['{"a": 1 "b": 2}', "json.noComma", 8], ['{"a": 01}', "json.noValue", 6], ['{"a": 9223372036854775808}', "value.integerRange", 6],
    ['{"a": "\\x"}', "json.noString", 6], ['{"a": 1, "a": 2}', "json.twice", 9], ['{"a": {"$date": "x"}}', "json.unknownType", 6],
    ['{"a": {"$timestamp": "x"}}', "value.notTimestamp", 6], ['{"a": }', "json.noValue", 6],
    [`{"a": ${"[".repeat(500)}`, "json.tooDeep", 206],
  ];
  for (const [text, key, offset] of cases) {
    assert.throws(() => read(text), (error) => error instanceof JSONTextError && error.key === key && error.offset === offset, `${text.slice(0, 40)}`);
  }
});

test("a hundred levels come back unchanged", () => {
  let value = { stringValue: "x" };
  for (let level = 0; level < 100; level += 1) value = level % 2 ? { mapValue: { fields: { a: value } } } : { arrayValue: { values: [value] } };
  assert.deepStrictEqual(read(write({ a: value })), { a: value });
});
