import assert from "node:assert/strict";
import { test } from "node:test";

import { ACTIONS, applied, TAKES } from "../../Sources/Server/CConsoleFiles/Files/data/bulk.js";

const integer = (number) => ({ integerValue: String(number) });
const string = (text) => ({ stringValue: text });
const map = (fields) => ({ mapValue: { fields } });
const array = (...values) => ({ arrayValue: { values } });

test("each action makes of a document what it says, and leaves what it need not change", () => {
  const cases = [
    [{ kind: "delete" }, { a: integer(1) }, null],
    [{ kind: "set", field: "a", value: integer(2) }, { a: integer(1), b: string("x") }, { a: integer(2), b: string("x") }],
    [{ kind: "set", field: "a", value: integer(1) }, { a: integer(1) }, undefined],
    [{ kind: "set", field: "a", value: { doubleValue: 1 } }, { a: integer(1) }, { a: { doubleValue: 1 } }],
    [{ kind: "set", field: "m.`a.b`", value: integer(1) }, { m: map({ c: string("y") }) }, { m: map({ c: string("y"), "a.b": integer(1) }) }],
    [{ kind: "set", field: "m.a", value: integer(1) }, { m: string("no map") }, { m: map({ a: integer(1) }) }],
    [{ kind: "remove", field: "m.a" }, { m: map({ a: integer(1) }) }, { m: map({}) }],
    [{ kind: "remove", field: "b" }, { a: integer(1) }, undefined],
    [{ kind: "remove", field: "constructor" }, { a: integer(1) }, undefined],
    [{ kind: "rename", field: "a", to: "b" }, { a: integer(1), c: integer(2) }, { c: integer(2), b: integer(1) }],
    [{ kind: "rename", field: "a", to: "m.a" }, { a: integer(1) }, { m: map({ a: integer(1) }) }],
    [{ kind: "rename", field: "x", to: "b" }, { a: integer(1) }, undefined],
    [{ kind: "append", field: "t", value: string("y") }, { t: array(string("x")) }, { t: array(string("x"), string("y")) }],
    [{ kind: "append", field: "t", value: string("x") }, { t: array(string("x")) }, undefined],
    [{ kind: "append", field: "t", value: string("x") }, { t: integer(1) }, { t: array(string("x")) }],
  ];
  for (const [action, before, after] of cases) assert.deepEqual(applied(action, before), after, JSON.stringify(action));
  assert.deepEqual(new Set(cases.map(([action]) => action.kind)), new Set(ACTIONS.filter((kind) => kind !== "increment")));
  assert.ok(Object.values(TAKES).flat().every((kind) => ACTIONS.includes(kind)));
});

test("sums are those of the server's increment", () => {
  const cases = [
    [integer(1), integer(2), integer(3)], [integer("9007199254740993"), integer(1), integer("9007199254740994")],
    [integer("9223372036854775807"), integer(1), integer("9223372036854775807")], [integer("-9223372036854775808"), integer(-1), integer("-9223372036854775808")],
    [integer(1), { doubleValue: 0.5 }, { doubleValue: 1.5 }], [{ doubleValue: "NaN" }, integer(1), { doubleValue: "NaN" }], [{ doubleValue: 1e308 }, { doubleValue: 1e308 }, { doubleValue: "Infinity" }],
    [string("x"), integer(2), integer(2)], [undefined, integer(2), integer(2)],
  ];
  for (const [before, value, after] of cases) assert.deepEqual(applied({ kind: "increment", field: "n", value }, before === undefined ? {} : { n: before }), { n: after });
});
