import assert from "node:assert/strict";
import { test } from "node:test";

import { diffLines } from "../../Sources/Server/CConsoleFiles/Files/rules/diff.js";
import { highlightLine } from "../../Sources/Server/CConsoleFiles/Files/rules/highlight.js";
import { lineBreak, outdent } from "../../Sources/Server/CConsoleFiles/Files/rules/indent.js";
import { declares } from "../../Sources/Server/CConsoleFiles/Files/rules/release.js";
import { changesOf } from "../../Sources/Server/CConsoleFiles/Files/users/store.js";
import { countsOf, daysUpTo, replayable } from "../../Sources/Server/CConsoleFiles/Files/rules/recent.js";

const textOf = (lines, ...kinds) => lines.filter((line) => kinds.includes(line.kind)).map((line) => line.text).join("\n");

test("a difference gives both texts back, and no more lines than are needed", () => {
  const cases = [["", ""], ["a", "b"], ["a\nb\nc", "a\nc"], ["a\nc", "a\nb\nc"], ["a\nb\na\nb", "b\na\nb\na"], ["x\n".repeat(3_000), "y\n".repeat(3_000)]];
  for (const [before, after] of cases) {
    const lines = diffLines(before, after);
    assert.equal(textOf(lines, "same", "removed"), before);
    assert.equal(textOf(lines, "same", "added"), after);
  }
  assert.deepEqual(diffLines("a\nb\nc", "a\nx\nc").map((line) => line.kind), ["same", "removed", "added", "same"]);
  assert.equal(diffLines("a\nb\na\nb", "b\na\nb\na").filter((line) => line.kind === "same").length, 3);
});

test("the words of the rules are coloured, and every character is still there", () => {
  const lines = [
    "rules_version = '2'; // a comment \"with\" words", "allow read: if request.auth != null && x == \"/* no comment */\" /* one */ || 3.5 > y;",
    "/* begins", "match inside", "ends */ match /a/{b}", "'open", "<script>", "",
  ];
  let isInComment = false;
  const kinds = lines.map((line) => {
    const found = highlightLine(line, isInComment);
    isInComment = found.isInComment;
    assert.equal(found.parts.map((part) => part.text).join(""), line);
    return found.parts.filter((part) => part.kind !== "plain").map((part) => `${part.kind}:${part.text.trim()}`);
  });
  assert.deepEqual(kinds[0], ["keyword:rules_version", "string:'2'", "comment:// a comment \"with\" words"]);
  assert.deepEqual(kinds[1].slice(-3), ['string:"/* no comment */"', "comment:/* one */", "number:3.5"]);
  assert.deepEqual(kinds.slice(2, 5), [["comment:/* begins"], ["comment:match inside"], ["comment:ends */", "keyword:match"]]);
});

test("only what differs of a user is sent", () => {
  const user = { localId: "u", email: "a@example.org", displayName: "A", phoneNumber: "+55", customAttributes: '{"a":1}' };
  const typed = { displayName: "A", email: "a@example.org", phoneNumber: "+55", photoUrl: "", password: "", claims: '{"a":1}', emailVerified: false, disabled: false };
  assert.deepEqual(changesOf(user, typed), {});
  assert.deepEqual(changesOf(user, { ...typed, displayName: "", email: "", phoneNumber: "", disabled: true, emailVerified: true, password: "p", claims: "{}" }), {
    deleteAttribute: ["DISPLAY_NAME", "EMAIL"], deleteProvider: ["phone"], disableUser: true, emailVerified: true, password: "p", customAttributes: "{}",
  });
});

test("what was denied is tried again once, of one database or bucket, the newest first", () => {
  const database = "projects/p/databases/(default)";
  const denials = [
    { method: "get", path: "users/a", uid: "nobody", database }, { method: "get", path: "users/b", uid: "ada", database }, { method: "get", path: "users/a", uid: "nobody", database },
    { method: "create", path: "users/c", uid: "ada", database }, { method: "list", path: "users", uid: "ada", database }, { method: "delete", path: "users/d", uid: "ada", database: "projects/p/databases/eu" },
    { method: "get", path: "photos/x", uid: "ada", bucket: "p.appspot.com" },
  ];
  assert.deepEqual(replayable(denials, { project: "p", database: "(default)" }), [{ method: "get", path: "users/a", uid: "" }, { method: "get", path: "users/b", uid: "ada" }]);
  assert.deepEqual(replayable(denials, { project: "p", database: "eu" }), [{ method: "delete", path: "users/d", uid: "ada" }]);
  assert.deepEqual(replayable(denials, { project: "p", bucket: "p.appspot.com" }), [{ method: "get", path: "photos/x", uid: "ada" }]);
  const many = Array.from({ length: 300 }, (_, index) => ({ method: "get", path: `users/${index}`, uid: "ada", database }));
  const found = replayable(many, { project: "p", database: "(default)" });
  assert.equal(found.length, 100);
  assert.equal(found[0].path, "users/299");
});

test("a line was asked as often as the expression of it that was asked most", () => {
  const report = [
    { sourcePosition: { line: 5 }, values: [{ value: { boolValue: true }, count: 1 }, { value: { boolValue: false }, count: 2 }], children: [{ sourcePosition: { line: 5 }, values: [{ count: 1 }] }, { sourcePosition: { line: 6 }, values: [{ count: 2 }] }] },
    { sourcePosition: { line: 7 } },
  ];
  assert.deepEqual([...countsOf(report)], [[5, 3], [6, 2], [7, 0]]);
});

test("Enter keeps the indentation, opens a block and comes back out of it", () => {
  assert.deepEqual(lineBreak("  allow read;", ""), { text: "\n  ", back: 0 });
  assert.deepEqual(lineBreak("a {\n  match /b {", "\n}"), { text: "\n    ", back: 0 });
  assert.deepEqual(lineBreak("  match /b {", "}"), { text: "\n    \n  ", back: 3 });
  assert.deepEqual(lineBreak("", ""), { text: "\n", back: 0 });
  assert.deepEqual([outdent("x {\n    "), outdent("x {\n "), outdent("x {\n"), outdent("  x ")], [2, 1, 0, 0]);
});

test("rules are for a service that they declare outside of comments", () => {
  assert.ok(declares("service cloud.firestore {}", "cloud.firestore") && declares("service\n cloud.firestore{", "cloud.firestore"));
  assert.ok(!declares("// service cloud.firestore {\n/* service cloud.firestore { */", "cloud.firestore") && !declares("service firebase.storage {}", "cloud.firestore"));
});

test("days without decisions are days all the same", () => {
  const day = 86_400_000;
  const found = [{ time: 2 * day, allowed: 3, denied: 2, errors: 1 }, { time: 99 * day, allowed: 9, denied: 9, errors: 9 }];
  assert.deepEqual(daysUpTo(3 * day + 5, 3, found).map(({ time, allowed, denied, errors }) => [time / day, allowed, denied, errors]), [[1, 0, 0, 0], [2, 3, 2, 1], [3, 0, 0, 0]]);
});
