import assert from "node:assert/strict";
import { test } from "node:test";
import { quoted, restoreCommands, stateOf } from "../../Sources/Server/CConsoleFiles/Files/backups/model.js";
import { columnsOf, eventKeyOf, joined, levelOf, placesOf, summaryOf, toneOf } from "../../Sources/Server/CConsoleFiles/Files/functions/model.js";
import { certificateToneOf, endToneOf, idOf, rootOf, versionOf } from "../../Sources/Server/CConsoleFiles/Files/hosting/model.js";
import en from "../../Sources/Server/CConsoleFiles/Files/i18n/en/functions.js";

const HOUR = { calls: [1, 0, 3], errors: [0, 0, 1], p50: 4, p99: 9 };

test("functions are summed up, those without calls without a time", () => {
  const quiet = { hour: { calls: [0, 0], errors: [0, 0], p50: null, p99: null }, instances: 0 };
  assert.deepEqual(summaryOf([{ hour: HOUR, instances: 2 }, quiet]), { calls: 4, errors: 1, p99: 9, instances: 2 });
  assert.equal(summaryOf([quiet]).p99, null);
});

test("events of both generations have a text", () => {
  const types = {
    "google.cloud.firestore.document.v1.created": "on.document.created", "google.cloud.firestore.document.v1.written.withAuthContext": "on.document.written",
    "providers/cloud.firestore/eventTypes/document.write": "on.document.written", "google.cloud.storage.object.v1.finalized": "on.object.finalized", "google.storage.object.finalize": "on.object.finalized",
    "providers/firebase.auth/eventTypes/user.create": "on.user.created", "google.cloud.pubsub.topic.v1.messagePublished": "on.message", "google.pubsub.topic.publish": "on.message",
    "google.firebase.remoteconfig.remoteConfig.v1.updated": "on.config", "providers/cloud.auth/eventTypes/user.beforeSignIn": "on.before.beforeSignIn",
  };
  for (const [type, key] of Object.entries(types)) {
    assert.equal(eventKeyOf(type), key);
    assert.equal(typeof en[key], "string", key);
  }
  assert.equal(eventKeyOf("com.example.paid"), null);
});

test("a trigger's places leave out what every trigger has", () => {
  assert.deepEqual(placesOf({ filters: { database: "(default)", namespace: "(default)", document: "orders/{order}" } }), ["orders/{order}"]);
  assert.deepEqual(placesOf({}), []);
});

test("small drawings have a column for each value above zero, none of them invisible", () => {
  assert.deepEqual(columnsOf([0, 1, 100], 30, 20), [[10, 18, 9.5, 2], [20, 0, 9.5, 20]]);
  assert.deepEqual(columnsOf([0, 0], 30, 20), []);
});

test("lines are kept up to a number, the newest, and have a tone", () => {
  assert.deepEqual(joined([1, 2], [3], 2), [2, 3]);
  assert.deepEqual(["DEBUG", "INFO", "WARNING", "CRITICAL", "unheard of"].map(toneOf), ["plain", "plain", "warn", "danger", "plain"]);
  assert.ok(levelOf("DEBUG") < levelOf("INFO") && levelOf("WARNING") < levelOf("ERROR"));
});

test("resources are addressed segment by segment", () => {
  const channel = { name: "projects/shop/sites/shop/channels/next one" };
  assert.equal(idOf(channel), "next one");
  assert.equal(rootOf(channel), "/v1beta1/projects/shop/sites/shop/channels/next%20one");
  assert.equal(versionOf({ version: { name: "projects/p/sites/s/versions/0123456789abcdef" } }), "01234567");
  assert.equal(versionOf({}), null);
});

test("an end within a day is warned of, and so is a certificate", () => {
  const now = Date.parse("2026-11-29T00:00:00Z");
  assert.equal(endToneOf({ expireTime: "2026-11-29T23:00:00Z" }, now), "warn");
  assert.equal(endToneOf({ expireTime: "2026-12-03T00:00:00Z" }, now), "plain");
  assert.equal(endToneOf({}, now), null);
  assert.deepEqual(["CERT_ACTIVE", "CERT_EXPIRING_SOON", "CERT_EXPIRED"].map((state) => certificateToneOf({ cert: { state } })), ["ok", "warn", "danger"]);
  assert.equal(certificateToneOf({}), "danger");
});

test("a backup is well, or says what is wrong with it, the worst first", () => {
  const now = Date.parse("2026-11-29T00:00:00Z");
  const well = { failure: null, lagSeconds: 0.4, base: { base: 3, time: now }, proof: { base: 3, time: now - 86_400_000 }, proofHours: 168 };
  const keyOf = (change) => stateOf({ ...well, ...change }, now).key;
  assert.equal(keyOf({}), "backups.well");
  assert.equal(keyOf({ proof: null }), "backups.well");
  assert.equal(keyOf({ proof: { base: 3, time: now - 11 * 86_400_000 } }), "backups.unproven");
  assert.equal(keyOf({ base: null, proof: null }), "backups.begins");
  assert.equal(keyOf({ lagSeconds: 61 }), "backups.late");
  assert.equal(keyOf({ lagSeconds: 61, failure: "full" }), "backups.fails");
  assert.equal(keyOf({ proofFailure: "differs" }), "backups.proofFails");
});

test("commands can be pasted into a shell as they are", () => {
  assert.equal(quoted("s3://bucket/path"), "s3://bucket/path");
  assert.equal(quoted("/my backup/it's"), String.raw`'/my backup/it'\''s'`);
  assert.equal(restoreCommands({ target: "/b", encrypted: false }, ""), "brasa restore --from /b --to restored");
  assert.equal(restoreCommands({ target: "/b c", encrypted: true }, "2026-11-27T15:00:00Z"), "brasa restore --from '/b c' --backup-key backup.key --to restored --at 2026-11-27T15:00:00Z");
});
