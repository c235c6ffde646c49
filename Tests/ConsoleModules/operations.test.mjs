import assert from "node:assert/strict";
import { test } from "node:test";

import { joined, levelOf, quantile, quantilesOf, rates } from "../../Sources/Server/CConsoleFiles/Files/operations/model.js";

const samples = (...values) => values.map((one, index) => ({ number: index + 1, time: index * 5_000, values: one }));

test("counters become rates; what began anew has none", () => {
  assert.deepEqual(rates(samples([10], [20], [20], [5], [15]), (one) => one.values[0]), [null, 2, 0, null, 2]);
});

test("quantiles lie within their bucket, above the last bound at it", () => {
  const buckets = [[1, 0], [2, 50], [4, 90], [Infinity, 100]];
  assert.equal(quantile(buckets, 0.5), 2);
  assert.equal(quantile(buckets, 0.25), 1.5);
  assert.equal(quantile(buckets, 0.7), 3);
  assert.equal(quantile(buckets, 0.99), 4);
  assert.equal(quantile([[1, 10], [Infinity, 10]], 0.5), 0.5);
  assert.equal(quantile([[1, 0], [Infinity, 0]], 0.5), null);
  assert.equal(quantile([], 0.5), null);
});

test("quantiles between samples take the buckets of one histogram in the order of their bounds", () => {
  const names = ["a_bucket|+Inf", "a_bucket|10", "b_bucket|1", "a_bucket|2"];
  assert.deepEqual(quantilesOf(names, samples([0, 0, 0, 0], [10, 10, 99, 5], [10, 10, 99, 5], [0, 0, 0, 0]), "a", 0.5), [null, 2, null, null]);
});

test("samples are joined for as long as their series are the same, an hour at most", () => {
  const one = { names: ["a"], samples: samples([1], [2]) };
  assert.equal(joined(one, { names: ["a"], samples: samples([3]) }).samples.length, 3);
  assert.equal(joined(one, { names: ["a", "b"], samples: samples([3, 4]) }).samples.length, 1);
  assert.equal(joined({ names: [], samples: Array.from({ length: 719 }, () => ({})) }, { names: [], samples: samples([1], [2], [3]) }).samples.length, 720);
});

test("a line says its level", () => {
  assert.equal(levelOf("2026-11-21T04:31:46.123Z INFO  gateway: message"), "INFO");
  assert.equal(levelOf(""), "");
});
