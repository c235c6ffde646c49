import assert from "node:assert/strict";
import { test } from "node:test";

import { compare, compareNames, compareTexts, valueAt } from "../../Sources/Server/CConsoleFiles/Files/data/order.js";
import {
  cut, editText, fieldPath, initial, isSame, parseText, summary, typeOf, TYPES, ValueError,
} from "../../Sources/Server/CConsoleFiles/Files/data/value.js";

const SIMPLE = [
  { nullValue: null }, { booleanValue: true }, { booleanValue: false },
  { integerValue: "0" }, { integerValue: "9223372036854775807" }, { integerValue: "-9223372036854775808" },
  { integerValue: "9007199254740993" }, { doubleValue: 3 }, { doubleValue: 0.1 }, { doubleValue: -0 }, { doubleValue: 1e21 },
  { doubleValue: 5e-324 }, { doubleValue: "NaN" }, { doubleValue: "Infinity" }, { doubleValue: "-Infinity" },
  { stringValue: "" }, { stringValue: "  <b>\u202e\u0000 \n'\"" }, { stringValue: "🔥\ud800" },
  { timestampValue: "2026-03-01T12:00:00Z" }, { timestampValue: "0001-01-01T00:00:00Z" }, { timestampValue: "9999-12-31T23:59:59.999999Z" },
  { geoPointValue: { latitude: -90, longitude: 180 } }, { bytesValue: "" }, { bytesValue: "AP+A" },
  { referenceValue: "projects/p/databases/(default)/documents/c/d" },
];

test("every simple value comes back unchanged from the text in which it is edited", () => {
  for (const value of SIMPLE) assert.deepStrictEqual(parseText(typeOf(value), editText(value)), value, JSON.stringify(value));
});

test("a double is never taken for an integer, nor the other way round", () => {
  assert.equal(editText({ doubleValue: 3 }), "3.0");
  assert.equal(editText({ integerValue: "3" }), "3");
  assert.ok(!isSame({ doubleValue: 3 }, { integerValue: "3" }));
  assert.ok(isSame({ doubleValue: "NaN" }, { doubleValue: "NaN" }));
  assert.ok(!isSame({ doubleValue: 0 }, { doubleValue: -0 }));
});

const one = (key, inner) => ({ mapValue: { fields: { [key]: inner } } });
const pair = (first, second) => ({ mapValue: { fields: { ...first, ...second } } });

test("values of BSON types are read as such", () => {
  const cases = [
    [one("__min__", { nullValue: null }), "MinKey"], [one("__max__", { nullValue: null }), "MaxKey"],
    [one("__int__", { integerValue: "-7" }), "Int32(-7)"], [one("__decimal128__", { stringValue: "0.10" }), "Decimal128(0.10)"],
    [one("__oid__", { stringValue: "507f191e810c19729de860ea" }), "ObjectId(507f191e810c19729de860ea)"],
    [one("__binary__", { bytesValue: "gGFi" }), "Binary(128, 2 B)"],
    [one("__request_timestamp__", pair({ seconds: { integerValue: "5" } }, { increment: { integerValue: "2" } })), "Timestamp(5, 2)"],
    [one("__regex__", pair({ pattern: { stringValue: "^a" } }, { options: { stringValue: "i" } })), "/^a/i"],
  ];
  for (const [value, text] of cases) {
    assert.equal(summary(value), text);
    assert.equal(summary({ arrayValue: { values: [value] } }), `[${text}]`);
  }
  assert.equal(summary(one("__oid", { stringValue: "x" })), '{__oid: "x"}');
});

test("values of BSON types are in their places", () => {
  const decimal = (text) => one("__decimal128__", { stringValue: text });
  const ladder = [
    { nullValue: null }, one("__min__", { nullValue: null }), { booleanValue: false }, { doubleValue: "NaN" }, decimal("-Infinity"),
    one("__int__", { integerValue: "-1" }), { integerValue: "0" }, decimal("0.5"), { doubleValue: 1.5 }, decimal("Infinity"),
    { timestampValue: "2026-03-01T12:00:00Z" }, one("__request_timestamp__", { mapValue: { fields: {} } }), { stringValue: "" },
    { bytesValue: "" }, one("__binary__", { bytesValue: "gA==" }), { referenceValue: "projects/p/databases/d/documents/c/d" },
    one("__oid__", { stringValue: "0" }), { geoPointValue: { latitude: 0, longitude: 0 } }, one("__regex__", { mapValue: { fields: {} } }),
    { arrayValue: { values: [] } }, { mapValue: { fields: {} } }, one("__max__", { nullValue: null }),
  ];
  for (const [low, left] of ladder.entries()) {
    for (const [high, right] of ladder.entries()) {
      assert.equal(Math.sign(compare(left, right)), Math.sign(low - high), `${JSON.stringify(left)} ${JSON.stringify(right)}`);
    }
  }
});

test("texts that are no value say why", () => {
  const cases = [
    ["integer", "1.5", "value.notInteger"], ["integer", "", "value.notInteger"], ["integer", "9223372036854775808", "value.integerRange"],
    ["double", "0x10", "value.notNumber"], ["double", "", "value.notNumber"], ["boolean", "TRUE", "value.notBoolean"],
    ["boolean", "constructor", "value.notBoolean"],
    ["timestamp", "yesterday", "value.notTimestamp"], ["timestamp", "2026-02-30T00:00:00Z", "value.notTimestamp"],
    ["geopoint", "1", "value.notGeopoint"], ["geopoint", "91, 0", "value.geopointRange"], ["geopoint", "a, b", "value.geopointRange"],
    ["bytes", "A", "value.notBytes"], ["bytes", "é===", "value.notBytes"],
    ["reference", "users/ada", "value.notReference"], ["reference", "projects/p/databases/d/documents/c", "value.notReference"],
    ["vector", "1, x", "value.notNumber"],
  ];
  for (const [type, text, key] of cases) {
    assert.throws(() => parseText(type, text), (error) => error instanceof ValueError && error.key === key, `${type} ${text}`);
  }
});

test("instants of other zones become UTC and keep every digit", () => {
  assert.deepEqual(parseText("timestamp", "2026-03-01 12:00:00.123456789+02:00"), { timestampValue: "2026-03-01T10:00:00.123456789Z" });
});

test("each type has a beginning of its own type", () => {
  for (const type of TYPES) assert.equal(typeOf(initial(type)), type);
});

test("a cell's text is short, whatever the value", () => {
  let deep = { stringValue: "x" };
  for (let level = 0; level < 100; level += 1) deep = { mapValue: { fields: { [`level ${level}`]: deep } } };
  const long = { stringValue: "x".repeat(1 << 20) };
  const wide = { arrayValue: { values: Array.from({ length: 10_000 }, () => long) } };
  for (const value of [deep, long, wide, { mapValue: { fields: { ["n".repeat(100_000)]: wide } } }]) {
    assert.ok(summary(value).length < 1_000);
  }
  assert.equal(cut("ab🔥", 3), "ab…");
});

test("field paths quote what is no identifier", () => {
  assert.equal(fieldPath("a", "b_1"), "a.b_1");
  assert.equal(fieldPath("a.b", "`\\"), "`a.b`.`\\`\\\\`");
});

test("names that every object has are fields like others", () => {
  assert.equal(valueAt({ name: "n", fields: {} }, ["toString"]), undefined);
  assert.equal(valueAt({ name: "n", fields: {} }, ["__proto__"]), undefined);
});

test("values have Firestore's order", () => {
  const ordered = [
    { nullValue: null }, { booleanValue: false }, { booleanValue: true }, { doubleValue: "NaN" }, { doubleValue: "-Infinity" },
    { integerValue: "-9223372036854775808" }, { integerValue: "1" }, { doubleValue: 1.5 }, { integerValue: "9007199254740992" },
    { integerValue: "9007199254740993" }, { doubleValue: "Infinity" }, { timestampValue: "2026-01-01T00:00:00Z" },
    { timestampValue: "2026-01-01T00:00:00.000000001Z" }, { stringValue: "" }, { stringValue: "a" }, { stringValue: "a\u0000" },
    { stringValue: "\uffff" }, { stringValue: "🔥" }, { bytesValue: "" }, { bytesValue: "AA==" }, { bytesValue: "/w==" },
    { referenceValue: "projects/p/databases/d/documents/c/__id7__" }, { referenceValue: "projects/p/databases/d/documents/c/a" },
    { geoPointValue: { latitude: -1, longitude: 5 } }, { geoPointValue: { longitude: 1 } }, { arrayValue: {} },
    { arrayValue: { values: [{ integerValue: "1" }] } }, initial("vector"), { mapValue: {} }, { mapValue: { fields: { a: { nullValue: null } } } },
  ];
  ordered.forEach((one, index) => ordered.forEach((other, otherIndex) => {
    assert.equal(Math.sign(compare(one, other)), Math.sign(index - otherIndex), `${JSON.stringify(one)} ${JSON.stringify(other)}`);
  }));
  assert.ok(compareTexts("\ue000", "🔥") < 0);
  assert.ok(compareNames("c/__id9__", "c/__id10__") < 0);
});
