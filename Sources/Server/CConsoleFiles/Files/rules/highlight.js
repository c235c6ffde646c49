/** The words of the rules language, for colour. Pure. */

const KEYWORDS = "service|match|allow|if|function|return|let|true|false|null|in|is|rules_version|get|list|read|write|create|update|delete|request|resource";
const TOKEN = new RegExp(`(//.*$|/\\*|\\*/)|("(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?)|\\b(${KEYWORDS})\\b|\\b(\\d[\\w.]*)`, "g");
const KINDS = ["comment", "string", "keyword", "number"];

/** A line's parts, `{kind, text}`, and whether a comment goes on behind it. */
export function highlightLine(line, isInComment = false) {
  const parts = [];
  const push = (kind, text) => text && parts.push({ kind, text });
  let at = 0;
  if (isInComment) {
    const end = line.indexOf("*/");
    if (end < 0) return { parts: [{ kind: "comment", text: line }], isInComment: true };
    at = end + 2;
    push("comment", line.slice(0, at));
  }
  TOKEN.lastIndex = at;
  for (let found = TOKEN.exec(line); found; found = TOKEN.exec(line)) {
    push("plain", line.slice(at, found.index));
    at = found.index;
    if (found[0] === "/*") {
      const end = line.indexOf("*/", at + 2);
      push("comment", end < 0 ? line.slice(at) : line.slice(at, end + 2));
      if (end < 0) return { parts, isInComment: true };
      at = end + 2;
      TOKEN.lastIndex = at;
      continue;
    }
    push(KINDS[found.slice(1).findIndex((part) => part !== undefined)], found[0]);
    at += found[0].length;
  }
  push("plain", line.slice(at));
  return { parts, isInComment: false };
}
