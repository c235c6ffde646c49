import assert from "node:assert/strict";
import { test } from "node:test";

import { isWriting } from "../../Sources/Server/CConsoleFiles/Files/base/access.js";
import { changeOf, frameOf, runsOf, sparse, ticksOf } from "../../Sources/Server/CConsoleFiles/Files/base/chart.js";
import { csv } from "../../Sources/Server/CConsoleFiles/Files/base/csv.js";
import { duration, eventsOf, minutesOf, periodTo, ruleOf, stepsOf } from "../../Sources/Server/CConsoleFiles/Files/analytics/model.js";

test("ticks are round, begin at zero and reach the most", () => {
  assert.deepEqual(ticksOf(0), [0, 1]);
  assert.deepEqual(ticksOf(7), [0, 2, 4, 6, 8]);
  assert.deepEqual(ticksOf(2), [0, 1, 2]);
  for (const most of [1, 3, 19, 100, 999, 12_345, 8e9]) {
    const ticks = ticksOf(most);
    assert.ok(ticks.at(-1) >= most && ticks.length <= 6 && ticks[0] === 0, `${most}: ${ticks}`);
    assert.ok(ticks.every(Number.isInteger));
  }
});

test("labels are thinned out evenly", () => {
  assert.deepEqual(sparse(3, 8), [0, 1, 2]);
  assert.deepEqual(sparse(28, 8), [0, 4, 8, 12, 16, 20, 24]);
  assert.deepEqual(sparse(0, 8), []);
});

test("a change is in percent, and what was not there before is new", () => {
  assert.deepEqual([changeOf(15, 10), changeOf(5, 10), changeOf(10, 10), changeOf(10_010, 10), changeOf(1, 0), changeOf(0, 0)], ["+50%", "-50%", "0%", "+100,000%", "chart.new", "–"]);
});

test("the labels of a chart have room, at every width and length", () => {
  const labels = Array.from({ length: 60 }, (_, index) => `12:${index} PM`);
  for (const width of [260, 390, 1200, 2400]) {
    for (const text of ["0", "1,000 ms", "1.234.567,8 GB"]) {
      const { left, right, written, x, indexAt } = frameOf(width, labels, [{ value: 0, text: "0" }, { value: 1_000, text }]);
      // Twelve pixels' digits are less than seven wide.
      assert.ok(left - 6 >= text.length * 6.7 && right <= width);
      const apart = written.slice(1).map((index, at) => x(index) - x(written[at]));
      assert.ok(apart.every((distance) => distance > "12:59 PM".length * 6.7), `${width}: ${apart}`);
      assert.ok(labels.every((_, index) => indexAt(x(index)) === index));
      assert.deepEqual([indexAt(-50), indexAt(width + 50)], [0, 59]);
    }
  }
});

test("no line is drawn over what is not known", () => {
  assert.deepEqual(runsOf([1, 2, null, 3, null, null, 4, 5]), [[[0, 1], [1, 2]], [[3, 3]], [[6, 4], [7, 5]]]);
  assert.deepEqual([runsOf([]), runsOf([null, null])], [[], []]);
});

test("CSV quotes what needs it, and runs nothing in a spreadsheet", () => {
  assert.equal(csv([["a", "b,c", 'd"e'], [1, "=1+1", "line\nbreak"], [-2, "-2", null]]), 'a,"b,c","d""e"\r\n1,\'=1+1,"line\nbreak"\r\n-2,\'-2,\r\n');
});

test("days are counted by the calendar", () => {
  assert.deepEqual(periodTo("2026-03-01", 28), { from: "2026-02-02", to: "2026-03-01" });
});

test("minutes have their counts, and what is older or to come has none", () => {
  const at = Date.parse("2026-11-23T12:00:30Z");
  const found = minutesOf([{ time: "2026-11-23T12:00:00Z" }, { time: "2026-11-23T12:00:59Z" }, { time: "2026-11-23T11:31:00Z", count: 5 }, { time: "2026-11-23T11:30:59Z" }, { time: "2026-11-23T12:01:00Z" }], at);
  assert.equal(found.length, 30);
  assert.deepEqual([found[0], found[29], found.reduce((sum, one) => sum + one)], [5, 2, 7]);
});

test("events of all minutes come together, the most first", () => {
  assert.deepEqual(eventsOf([{ events: { b: 1, a: 1 } }, { events: { c: 2, a: 1 } }]), [["a", 2], ["c", 2], ["b", 1]]);
});

test("shares of a funnel are of the first step and of the one before", () => {
  const steps = [{ event: "a", users: 200 }, { event: "b", users: 100 }, { event: "c", users: 50 }, { event: "d", users: 0 }];
  assert.deepEqual(stepsOf(steps).map(({ ofFirst, ofBefore }) => [ofFirst, ofBefore]), [[100, 100], [50, 50], [25, 50], [0, 0]]);
  assert.deepEqual(stepsOf([{ event: "a", users: 0 }])[0].ofFirst, 0);
});

test("conditions are an audience's rule", () => {
  const event = { kind: "event", value: "buy", isNot: false };
  assert.deepEqual(ruleOf([event], false), { event: "buy" });
  assert.deepEqual(ruleOf([event, { kind: "property", value: "level = a=b", isNot: true }], true), { any: [{ event: "buy" }, { not: { property: { name: "level", value: "a=b" } } }] });
});

test("time is in minutes and seconds", () => assert.deepEqual([duration(0), duration("59400"), duration(61_000)], ["0 s", "59 s", "1 min 1 s"]));

test("what is posted to read is no writing, everything else but GET is", () => {
  const documents = "/v1/projects/p/databases/(default)/documents";
  for (const path of [`${documents}:runQuery`, `${documents}/a/b:runAggregationQuery`, `${documents}:batchGet`, `${documents}:listCollectionIds`, "/v1/projects/p:test", "/v1/projects/p/accounts:lookup", "/v1/projects/p/analytics/funnel?from=2026-01-01", "/v1/projects/p/remoteConfig:evaluate"]) {
    assert.equal(isWriting("POST", path), false, path);
  }
  assert.equal(isWriting("PUT", "/v1/projects/p/remoteConfig?validateOnly=true"), false);
  for (const path of [`${documents}:commit`, `${documents}:batchWrite`, "/v1/projects/p/accounts", "/v1/projects/p/accounts:delete", "/v1/projects/p/messages:send", "/v1/projects/p/analytics/erase"]) assert.equal(isWriting("POST", path), true, path);
  assert.equal(isWriting("DELETE", `${documents}/a/b:runQuery`), true);
  assert.equal(isWriting("GET", documents), false);
});
