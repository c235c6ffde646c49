import assert from "node:assert/strict";
import { test } from "node:test";

import { groupsOf, matches, playgroundOf, shapeOf } from "../../Sources/Server/CConsoleFiles/Files/requests/group.js";
import { Recent, RecentOutcome } from "../../Sources/Server/CConsoleFiles/Files/requests/recent.js";

const DATABASE = "projects/shop/databases/(default)";
const denial = (number, changes) => ({ number, method: "get", path: "users/ada", database: DATABASE, uid: "ada", why: "L5 is false\nmore", seen: [], ...changes });

test("ids are left out of a path's shape", () => {
  assert.equal(shapeOf("users/ada/orders/1"), "users/*/orders/*");
  assert.equal(shapeOf("users"), "users");
});

test("denials of one statement are one group, the newest first", () => {
  const groups = groupsOf([denial(1), denial(2, { path: "users/grace", uid: "nobody" }), denial(3, { method: "delete" }), denial(4, { path: "users/alan" })]);
  assert.deepEqual(groups.map(({ method, shape, count, people, statement }) => [method, shape, count, people.size, statement]), [["get", "users/*", 3, 2, "L5 is false"], ["delete", "users/*", 1, 1, "L5 is false"]]);
  assert.equal(groups[0].last.path, "users/alan");
});

test("groups of files and documents stay apart", () => assert.equal(groupsOf([denial(1), denial(2, { database: undefined, bucket: "b" })]).length, 2));

test("the playground takes requests of one document", () => {
  assert.deepEqual(playgroundOf(denial(1)), { rest: ["(default)"], query: { method: "get", path: "users/ada", uid: "ada" } });
  assert.equal(playgroundOf(denial(1, { uid: "nobody" })).query.uid, "");
  assert.equal(playgroundOf(denial(1, { method: "list" })), null);
  assert.deepEqual(playgroundOf(denial(1, { database: undefined, bucket: "b" })).rest, ["-storage-", "b"]);
  assert.equal(playgroundOf(denial(1, { database: undefined })), null);
});

test("requests are filtered by service, method and outcome", () => {
  const [document, file] = [{ ...denial(1), isAllowed: true }, { ...denial(2, { database: undefined, bucket: "b" }), isAllowed: false }];
  const found = (filter) => [document, file].filter((one) => matches(one, filter)).map((one) => one.number);
  assert.deepEqual(found({}), [1, 2]);
  assert.deepEqual([found({ service: "firestore" }), found({ service: "storage" })], [[1], [2]]);
  assert.deepEqual([found({ outcome: "allowed" }), found({ outcome: "denied" }), found({ method: "list" })], [[1], [2], []]);
});

test("what is new is added, and a server that began again is listened to", async () => {
  let kept = [{ number: 1, time: 1 }, { number: 2, time: 2 }];
  const asked = [];
  const recent = new RecentOutcome(async (number) => {
    asked.push(number);
    return kept.filter((one) => one.number > number);
  });
  assert.deepEqual(await recent.load(), [2, 2]);
  kept.push({ number: 3, time: 3 });
  assert.deepEqual(await recent.load(), [3, 3]);
  assert.deepEqual(recent.requests, kept);
  assert.deepEqual(asked, [0, 1]);
  // Its numbers are below, the same or above those from before.
  for (const count of [1, 3, 5, 0]) {
    kept = Array.from({ length: count }, (_, index) => ({ number: index + 1, time: 10 * count + index }));
    await recent.load();
    assert.deepEqual(recent.requests, kept);
  }
});

test("requests of both outcomes are one list, the newest first", async () => {
  const recent = new Recent(async () => [{ number: 1, time: 1 }, { number: 2, time: 3 }], async () => [{ number: 1, time: 2 }]);
  await recent.load();
  assert.deepEqual(recent.requests.map(({ time, isAllowed }) => [time, isAllowed]), [[3, false], [2, true], [1, false]]);
});
