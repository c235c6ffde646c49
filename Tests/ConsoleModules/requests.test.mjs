import assert from "node:assert/strict";
import { test } from "node:test";

import { parse } from "../../Sources/Server/CConsoleFiles/Files/data/filter.js";
import { groupsOf, matches, playgroundOf, shapeOf } from "../../Sources/Server/CConsoleFiles/Files/requests/group.js";
import { fits, hasWord, isOf, productOf } from "../../Sources/Server/CConsoleFiles/Files/requests/logModel.js";
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

const served = (changes) => ({ number: 1, method: "GET", path: "/v1/projects/shop/databases/(default)/documents/users/ada", status: 200, address: "192.0.2.1", request: "r-1", weight: 1, microseconds: 2_500, ...changes });

test("a path tells its product", () => {
  const cases = {
    "/google.firestore.v1.Firestore/Listen": "firestore", "/v1/projects/p/databases/(default)/documents:commit": "firestore", "/v0/b/shop.appspot.com/o": "storage", "/upload/storage/v1/b/x/o": "storage",
    "/v1/accounts:signUp": "users", "/identitytoolkit.googleapis.com/v1/accounts:lookup": "users", "/v1/token": "users", "/v1/projects/p/messages:send": "messages", "/v1/projects/p/remoteConfig": "config",
    "/v1/projects/p/rulesets": "rules", "/v1/projects/p:test": "rules", "/console/api/log": "console", "/__/console/1/app.js": "console", "/healthz": "server", "/v1/projects/p/analytics/users": "analytics", "/strange": "other",
  };
  for (const [path, product] of Object.entries(cases)) assert.equal(productOf(path), product, path);
});

test("the log takes the filter bar's language", () => {
  const all = [served(), served({ status: 403, caller: "ada", microseconds: undefined }), served({ method: "gRPC", path: "/google.firestore.v1.Firestore/Commit", microseconds: 250_000 })];
  const found = (text) => all.filter((one) => fits(parse(text, "projects/-/databases/-/documents", ["requests"]).where, one)).map((one) => all.indexOf(one));
  assert.deepEqual(found(""), [0, 1, 2]);
  assert.deepEqual(found("status >= 400"), [1]);
  assert.deepEqual(found('caller == "ada"'), [1]);
  assert.deepEqual(found("caller is null"), [0, 2]);
  assert.deepEqual(found('path contains "users" and status < 300'), [0]);
  assert.deepEqual(found('ms > 100 or status in [403, 404]'), [1, 2]);
  assert.deepEqual(found('method != "gRPC" and product == "firestore"'), [0, 1]);
  assert.deepEqual(found('id == "r-1" and status not in [200]'), [1]);
  assert.deepEqual(all.map((one) => hasWord("commit", one)), [false, false, true]);
  assert.deepEqual([isOf("errors", 404), isOf("errors", 302), isOf("4xx", 404), isOf("5xx", 404), isOf("", 1)], [true, false, true, false, true]);
});

test("older requests come before those that are there", async () => {
  const recent = new RecentOutcome(async () => [{ number: 3, time: 3 }], 3);
  await recent.load();
  recent.putBefore([{ number: 1, time: 1 }, { number: 2, time: 2 }]);
  assert.deepEqual(recent.requests.map((one) => one.number), [1, 2, 3]);
});
