import assert from "node:assert/strict";
import { test } from "node:test";

import { mergedDetails, topEvents } from "../../Sources/Server/CConsoleFiles/Files/analytics/model.js";
import { circlesOf } from "../../Sources/Server/CConsoleFiles/Files/analytics/world.js";
import { pointsOf } from "../../Sources/Server/CConsoleFiles/Files/base/spark.js";
import { findings, inParts } from "../../Sources/Server/CConsoleFiles/Files/overview/attention.js";
import { idOf } from "../../Sources/Server/CConsoleFiles/Files/overview/ids.js";
import { groupsOf, PAGES } from "../../Sources/Server/CConsoleFiles/Files/shell/pages.js";

const NOW = 1_800_000_000_000;
const keys = (asked) => findings(asked, NOW).map(({ key }) => key);

test("a server in order needs nobody", () => {
  assert.deepEqual(keys({}), []);
  assert.deepEqual(keys({ denials: [], indexes: [], value: () => 0, certificate: { validUntil: NOW + 90 * 86_400_000 }, jobs: [{ kind: "verify", state: "done" }] }).filter((key) => key !== "disk"), []);
});

test("what is worse comes first, and leads to its remedy", () => {
  const metrics = { brasa_kv_background_errors: 1, brasa_storage_free_bytes: 1_000, brasa_backup_lag_seconds: 1_200 };
  const found = findings({ value: (name) => metrics[name], certificate: { validUntil: NOW + 86_400_000 }, jobs: [{ kind: "export", state: "failed", end: NOW - 1_000 }], mismatched: ["checkout"] }, NOW);
  assert.deepEqual(found.map(({ key }) => key), ["background", "disk", "backupLags", "certificate", "job", "experiment"]);
  assert.deepEqual(found.at(-1), { key: "experiment", values: ["checkout"], to: ["config", ["experiments", "checkout"]], isWorse: false });
  assert.deepEqual(keys({ certificate: { validUntil: NOW - 1 } }), ["certificate"]);
  assert.equal(findings({ certificate: { validUntil: NOW - 1 } }, NOW)[0].isWorse, true);
});

test("denials count by their shape, from five of the last day", () => {
  const denied = (count, path, time = NOW - 1_000) => Array.from({ length: count }, (_, number) => ({ number, time, method: "get", path, why: "", uid: "ada" }));
  assert.deepEqual(findings({ denials: [...denied(5, "products/a"), ...denied(4, "orders/a"), ...denied(9, "old/a", NOW - 2 * 86_400_000)] }, NOW).map(({ values }) => values), [[5, "get products/*"]]);
  assert.deepEqual(keys({ indexes: [{ database: "(default)", collection: "products", count: 3 }] }), ["index"]);
});

test("times are counted in equal parts of the last hour", () => {
  const parts = inParts([NOW, NOW - 1, NOW - 59 * 60_000, NOW - 61 * 60_000], NOW, 6);
  assert.deepEqual(parts, [1, 0, 0, 0, 0, 2]);
});

test("a small line is broken where nothing is known, and zero is above its edge", () => {
  assert.deepEqual(pointsOf([0, 10, null, 5, 0]), [[[0, 37], [50, 3]], [[150, 20], [200, 37]]]);
  assert.deepEqual(pointsOf([0, 0]), [[[0, 37], [200, 37]]]);
});

test("an id is made of a name", () => {
  assert.deepEqual(["Minha Loja", "  Ação & Reação  ", "42 things", "日本", "a".repeat(40)].map(idOf), ["minha-loja", "acao-reacao", "things", "", "a".repeat(30)]);
});

test("the events of DebugView are counted, and what they carried is in one list", () => {
  const entries = [{ event: "view", params: { id: "a", price: 1 } }, { event: "view", params: { id: "b" } }, { event: "view", params: { id: "a" } }, { event: "open" }, { dropped: {} }];
  assert.deepEqual(topEvents(entries), [["view", 3], ["open", 1]]);
  assert.deepEqual(mergedDetails(entries, "view"), [["id", [["a", 2], ["b", 1]]], ["price", [["1", 1]]]]);
  assert.deepEqual(mergedDetails(entries, "open"), []);
});

test("countries are circles by their users, the largest below", () => {
  const circles = circlesOf([["PT", 1], ["BR", 100], ["ZZ", 50], ["US", 0]]);
  assert.deepEqual(circles.map(({ code }) => code), ["BR", "PT"]);
  assert.ok(circles[0].r > 4 * circles[1].r && circles[0].x < circles[1].x && circles[0].y > circles[1].y);
});

test("every page is in a group of the rail", () => {
  const groups = groupsOf(PAGES);
  assert.deepEqual(groups.map(([name]) => name), ["", "build", "engage", "operate"]);
  assert.equal(groups.flatMap(([, pages]) => pages).length, PAGES.length);
});
