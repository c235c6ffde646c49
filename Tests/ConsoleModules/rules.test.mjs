import assert from "node:assert/strict";
import { test } from "node:test";

import { diffLines } from "../../Sources/Server/CConsoleFiles/Files/rules/diff.js";
import { highlightLine } from "../../Sources/Server/CConsoleFiles/Files/rules/highlight.js";
import { changesOf } from "../../Sources/Server/CConsoleFiles/Files/users/store.js";

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
