import assert from "node:assert/strict";
import { test } from "node:test";

import { messageOf, reasonsOf, requestOf, stageOf, totalsOf } from "../../Sources/Server/CConsoleFiles/Files/messages/model.js";
import { reachOf } from "../../Sources/Server/CConsoleFiles/Files/messages/reach.js";

const START = Date.parse("2027-01-15T08:00:00Z");

test("what is left empty is not in a message", () => {
  assert.deepEqual(messageOf({ title: "Order", body: "", image: "", data: {} }, START), {
    notification: { title: "Order" }, android: { priority: "HIGH" }, apns: { headers: { "apns-priority": "10" } }, webpush: { headers: { Urgency: "high" } },
  });
});

test("each option goes to every platform in its own words", () => {
  const typed = { title: "a", data: { k: "v" }, priority: "normal", life: "60", collapse: "c", link: "https://x.example/", badge: "3", sound: "s.caf", label: "sale" };
  assert.deepEqual(messageOf(typed, START), {
    notification: { title: "a" }, data: { k: "v" },
    android: { priority: "NORMAL", ttl: "60s", collapse_key: "c", notification: { sound: "s.caf" } },
    apns: { headers: { "apns-priority": "5", "apns-expiration": String(START / 1_000 + 60), "apns-collapse-id": "c" }, payload: { aps: { badge: 3, sound: "s.caf" } } },
    webpush: { headers: { Urgency: "normal", TTL: "60", Topic: "c" }, fcm_options: { link: "https://x.example/" } },
    fcm_options: { analytics_label: "sale" },
  });
});

test("a badge of zero, which takes the number away, is sent", () => {
  assert.deepEqual(messageOf({ title: "a", badge: "0" }, START).apns.payload, { aps: { badge: 0 } });
});

test("the recipient decides about the call, and a time schedules it", () => {
  const message = { data: { a: "b" } };
  assert.deepEqual(requestOf(message, { kind: "topic", value: "news" }, null), { verb: "send", body: { message: { data: { a: "b" }, topic: "news" } } });
  assert.deepEqual(requestOf(message, { kind: "audience", value: "buyers" }, null), { verb: "sendToAudience", body: { message, audience: "buyers" } });
  assert.deepEqual(requestOf(message, { kind: "user", value: "ada" }, null), { verb: "sendToUser", body: { message, uid: "ada" } });
  assert.deepEqual(requestOf(message, { kind: "user", value: "ada" }, "2027-01-15T08:00:00.000Z"), { verb: "schedule", body: { message, uid: "ada", scheduleTime: "2027-01-15T08:00:00.000Z" } });
});

test("deliveries are counted over all ways, and say what the message does", () => {
  const deliveries = { apns: { handed: 2, refused: 1 }, direct: { waiting: 1, handed: 3 } };
  assert.deepEqual(totalsOf(deliveries), { handed: 5, refused: 1, waiting: 1 });
  assert.equal(stageOf({ stage: "expanded", deliveries }), "waiting");
  assert.equal(stageOf({ stage: "expanded", deliveries: { apns: { handed: 1 } } }), "done");
  assert.equal(stageOf({ stage: "expanding", deliveries: {} }), "sending");
  assert.equal(stageOf({ stage: "scheduled", deliveries: {} }), "scheduled");
});

test("reasons are counted by way, those with the most first", () => {
  const made = [["apns", "BadTopic"], ["webpush", "413"], ["webpush", "413"], ["direct", undefined]].map(([transport, reason]) => ({ transport, reason }));
  assert.deepEqual(reasonsOf(made), [["webpush", "413", 2], ["apns", "BadTopic", 1]]);
});

test("a recipient reaches what its lists say, and unknown names are found", () => {
  const lists = { topics: [{ name: "news", registrations: "7" }, { name: "sports", registrations: "2" }], audiences: [{ name: "buyers", users: 3 }] };
  const cases = [
    ["topic", "news", 7, false, []], ["topic", "nwes", 0, false, ["nwes"]], ["audience", "buyers", 3, false, []], ["audience", "x", 0, false, ["x"]], ["token", "t", 1, true, []], ["user", "u", null, false, []],
    ["condition", "'news' in topics", 7, false, []], ["condition", "'news' in topics && ('sports' in topics || 'x!' in topics)", 9, true, ["x!"]], ["condition", "!('news' in topics)", null, false, []],
  ];
  for (const [kind, value, count, isMost, unknown] of cases) {
    const reach = reachOf({ kind, value }, lists);
    assert.deepEqual([reach.count, reach.isMost, reach.unknown], [count, isMost, unknown], value);
  }
});
