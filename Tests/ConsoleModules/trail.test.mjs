import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { isRead, outcomeOf, sentenceOf } from "../../Sources/Server/CConsoleFiles/Files/settings/trail.js";
import { isFound } from "../../Sources/Server/CConsoleFiles/Files/users/store.js";

test("entries of the trail are sentences about whom and what they changed", () => {
  const cases = [
    ["POST", "/console/api/administrators", ["invite grace@example.org as viewer of shop"], "invite", "grace@example.org as viewer of shop"],
    ["PATCH", "/console/api/administrators/grace%40example.org", ["change grace@example.org to editor of all projects"], "roles", "grace@example.org to editor of all projects"],
    ["DELETE", "/console/api/administrators/grace%40example.org", [], "remove", "grace@example.org"], ["DELETE", "/console/api/invitations/x", ["end the link of ada@example.org"], "endLink", "ada@example.org"],
    ["PATCH", "/v1/projects/shop/databases/(default)/documents/products/a%2Fb", [], "document", "products/a/b"], ["DELETE", "/v1/projects/shop/databases/eu/documents/products/p", [], "deleteDocument", "products/p"],
    ["POST", "/v1/projects/shop/databases/(default)/documents:commit", ["update x"], "documents", "(default)"], ["DELETE", "/v1/projects/shop/databases/eu", [], "deleteDatabase", "eu"], ["PATCH", "/v1/projects/shop/releases/cloud.firestore", [], "rules", "cloud.firestore"],
    ["POST", "/console/api/projects", [], "project", ""], ["PATCH", "/console/api/projects/shop", [], "renameProject", "shop"], ["DELETE", "/console/api/projects/shop", [], "deleteProject", "shop"],
    ["POST", "/v1/projects/shop/accounts:update", ["update u"], "changeUser", "shop"], ["POST", "/upload/storage/v1/b/shop.appspot.com/o", [], "upload", "shop.appspot.com"], ["sign-in", "", [], "signIn", ""], ["GET", "/console/api/audit", [], "read", "/console/api/audit"],
    ["DELETE", "/storage/v1/b/b/o/100%25%2Fx", [], "deleteFile", "100%/x"], ["DELETE", "/storage/v1/b/b/o/%E0%A4%A", [], "deleteFile", "%E0%A4%A"],
  ];
  for (const [action, target, subjects, key, value] of cases) assert.deepEqual(sentenceOf({ action, target, subjects }), { key: `did.${key}`, value }, `${action} ${target}`);
  assert.equal(sentenceOf({ action: "POST", target: "/v9/other" }), null);
});

test("each sentence of the trail is there in both languages", () => {
  const source = readFileSync(new URL("../../Sources/Server/CConsoleFiles/Files/settings/trail.js", import.meta.url), "utf8");
  const [, actions] = /const ACTIONS = \{(.*)\}/.exec(source);
  const used = [...actions.matchAll(/: "(\w+)"/g), ...source.matchAll(/, "([a-z]\w+)"\],?/g)].map(([, key]) => key);
  assert.ok(used.length > 30);
  for (const tag of ["en", "pt-BR"]) {
    const known = new Set([...readFileSync(new URL(`../../Sources/Server/CConsoleFiles/Files/i18n/${tag}/settings.js`, import.meta.url), "utf8").matchAll(/"did\.(\w+)"/g)].map(([, key]) => key));
    assert.deepEqual(used.filter((key) => !known.has(key)), [], tag);
    assert.ok(known.size > 30);
  }
});

test("reads that were made are no changes, and those that were refused are attempts", () => {
  assert.deepEqual([isRead({ action: "GET", status: 200 }), isRead({ action: "GET", status: 403 }), isRead({ action: "POST", status: 200 })], [true, false, false]);
  assert.deepEqual([200, 403, 404, 500].map((status) => outcomeOf({ status })), ["done", "refused", "refused", "failed"]);
});

test("users are found by a part of what they are known by", () => {
  const ada = { localId: "Xy1", email: "ada@example.org", displayName: "Ada Lovelace", phoneNumber: "+5511987654321" };
  for (const text of ["ADA", "@example", "love", "xy", "98765", "+55 11", "(11) 9876-5"]) assert.ok(isFound(ada, text), text);
  for (const text of ["grace", "98766", "a.a"]) assert.ok(!isFound(ada, text), text);
  assert.ok(!isFound({ localId: "u" }, "ada"));
});
