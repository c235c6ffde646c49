/** Conditions as a form has them: terms that all hold, each with a kind, an operator and values. Pure. */

/** The operators of each kind, the first of which a new term has. */
export const OPERATORS = {
  country: ["in"], language: ["in"], platform: ["in"], version: [">=", ">", "<=", "<", "exactlyMatches", "contains", "notContains"], audience: ["inAtLeastOne", "inAll", "notInAtLeastOne"],
  percent: ["<=", ">", "between"], date: [">=", "<"], custom: ["exactlyMatches", "contains", "notContains", "<", "<=", "==", "!=", ">=", ">"], property: ["exactlyMatches", "contains", "notContains", "<", "<=", "==", "!=", ">=", ">"],
};

/** The systems that apps are made for. */
export const SYSTEMS = ["ios", "android", "web", "linux"];

/** A term of a kind as it begins. */
export const newTerm = (kind) => ({ kind, operator: OPERATORS[kind][0], name: "", values: kind === "platform" ? ["ios"] : [] });

const quoted = (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const list = (values) => `[${values.map(quoted).join(", ")}]`;
const isNumeric = (operator) => !/[a-z]/i.test(operator);

const WRITERS = {
  country: ({ values }) => `device.country in ${list(values)}`,
  language: ({ values }) => `device.language in ${list(values)}`,
  platform: ({ values }) => (values.length === 1 ? `device.os == ${quoted(values[0])}` : `device.os in ${list(values)}`),
  version: ({ operator, values }) => `app.version.${operator}(${list(values)})`,
  audience: ({ operator, values }) => `app.audiences.${operator}(${list(values)})`,
  percent: ({ operator, name, values }) => `percent${name ? `(${quoted(name)})` : ""} ${operator === "between" ? `between ${values[0]} and ${values[1]}` : `${operator} ${values[0]}`}`,
  date: ({ operator, name, values }) => `dateTime ${operator} dateTime(${quoted(values[0])}${name ? `, ${quoted(name)}` : ""})`,
  custom: (term) => attribute("app.customSignal", term),
  property: (term) => attribute("app.userProperty", term),
};

const attribute = (object, { operator, name, values }) => `${object}[${quoted(name)}]${isNumeric(operator) ? ` ${operator} ${values[0]}` : `.${operator}(${list(values)})`}`;

/** Whether a term has all that it takes. */
export function isWhole({ kind, operator, name, values }) {
  const isNumber = (text) => /^-?\d+(\.\d+)?$/.test(text ?? "");
  if (kind === "percent") return [values[0], ...(operator === "between" ? [values[1]] : [])].every((text) => isNumber(text) && Number(text) >= 0 && Number(text) <= 100);
  if (["custom", "property"].includes(kind)) return name !== "" && values.length > 0 && (!isNumeric(operator) || isNumber(values[0]));
  return values.length > 0 && values[0] !== "";
}

/** The expression of terms; true without any. */
export const expressionOf = (terms) => (terms.length === 0 ? "true" : terms.map((term) => WRITERS[term.kind](term)).join(" && "));

const TEXT = /^(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")$/s;
const QUOTED = `'(?:\\\\.|[^'\\\\])*'|"(?:\\\\.|[^"\\\\])*"`;
const plain = (text) => { const [, one, other] = TEXT.exec(text.trim()); return (one ?? other).replace(/\\(['"\\])/g, "$1"); };
const texts = (text) => [...text.matchAll(new RegExp(QUOTED, "gs"))].map(([found]) => plain(found));
const [T, L, N] = [`(${QUOTED})`, `\\[\\s*((?:${QUOTED}|[\\s,])*)\\]`, "(-?\\d+(?:\\.\\d+)?)"];

/** Patterns of terms, each with what makes a term of its groups. */
const READERS = [
  [`device\\.country in ${L}`, (all) => ({ kind: "country", operator: "in", values: texts(all) })],
  [`device\\.country == ${T}`, (one) => ({ kind: "country", operator: "in", values: [plain(one)] })],
  [`device\\.language in ${L}`, (all) => ({ kind: "language", operator: "in", values: texts(all) })],
  [`device\\.language == ${T}`, (one) => ({ kind: "language", operator: "in", values: [plain(one)] })],
  [`device\\.os in ${L}`, (all) => ({ kind: "platform", operator: "in", values: texts(all) })],
  [`device\\.os == ${T}`, (one) => ({ kind: "platform", operator: "in", values: [plain(one)] })],
  [`app\\.version\\.([a-zA-Z]+|[<>=!]+)\\(${L}\\)`, (operator, all) => ({ kind: "version", operator, values: texts(all) })],
  [`app\\.audiences\\.(\\w+)\\(${L}\\)`, (operator, all) => ({ kind: "audience", operator, values: texts(all) })],
  [`percent(?:\\(${T}\\))? (<=|>) ${N}`, (seed, operator, value) => ({ kind: "percent", operator, name: seed ? plain(seed) : "", values: [value] })],
  [`percent(?:\\(${T}\\))? between ${N} and ${N}`, (seed, low, high) => ({ kind: "percent", operator: "between", name: seed ? plain(seed) : "", values: [low, high] })],
  [`(?:device\\.)?dateTime (>=|<) dateTime\\(${T}(?:, ${T})?\\)`, (operator, at, zone) => ({ kind: "date", operator, name: zone ? plain(zone) : "", values: [plain(at)] })],
  ...[["customSignal", "custom"], ["userProperty", "property"]].flatMap(([object, kind]) => [
    [`app\\.${object}\\[${T}\\]\\.(\\w+)\\(${L}\\)`, (name, operator, all) => ({ kind, operator, name: plain(name), values: texts(all) })],
    [`app\\.${object}\\[${T}\\] ([<>=!]=?) ${N}`, (name, operator, value) => ({ kind, operator, name: plain(name), values: [value] })]]),
].map(([pattern, make]) => [new RegExp(`^${pattern.replaceAll(" ", "\\s*").replace("between\\s*", "between\\s+").replace("and\\s*", "and\\s+")}$`, "s"), make]);

/** The parts of an expression between `&&`, which texts in quotes may have. */
function partsOf(expression) {
  const parts = [""];
  for (const [piece] of expression.matchAll(new RegExp(`${QUOTED}|&&|[^]`, "gs"))) {
    if (piece === "&&") parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts.map((part) => part.trim());
}

/** The terms of an expression; null where a form cannot show it. */
export function termsOf(expression) {
  if (["", "true"].includes(expression.trim())) return [];
  const terms = partsOf(expression).map((part) => {
    for (const [pattern, make] of READERS) {
      const found = pattern.exec(part);
      const term = found && { name: "", ...make(...found.slice(1)) };
      if (term && OPERATORS[term.kind].includes(term.operator) && (term.kind !== "platform" || term.values.every((one) => SYSTEMS.includes(one)))) return term;
    }
    return null;
  });
  return terms.includes(null) ? null : terms;
}
