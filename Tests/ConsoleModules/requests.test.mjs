import assert from "node:assert/strict";
import { test } from "node:test";

import { groupsOf, playgroundOf, shapeOf } from "../../Sources/Server/CConsoleFiles/Files/requests/group.js";

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
