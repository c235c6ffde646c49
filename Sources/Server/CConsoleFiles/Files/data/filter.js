import { fieldPath, parseText, ValueError } from "./value.js";

/**
 * The text of the filter bar. Pure.
 *
 *     price > 10 and tags contains "x" order by name desc limit 50
 *     group(products) where status in ["new", "open"] or (total >= 100.0 and paid == false)
 *
 * `and` binds closer than `or`. Fields are names with points, in backticks where they are no identifiers; values
 * are JSON's, and `timestamp("…")`, `ref("users/ada")`, `NaN`; texts may be in single quotes too. `id` is the document's id,
 * as `__name__` is; a field of that name is in backticks. The words are the same in every language.
 */

/** A text that is no filter: where, and the key of the sentence that says why. */
export class FilterError extends ValueError {}

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(`(?:[^`\\]|\\.)*`)|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([A-Za-z_][\w]*)|(==|!=|<=|>=|[<>=()[\],.]))/y;
const KINDS = ["string", "quoted", "number", "word", "sign"];

function tokens(text) {
  const found = [];
  let at = 0;
  while (text.slice(at).trim() !== "") {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) {
      const offset = at + text.slice(at).search(/\S/);
      throw new FilterError(["\"", "'"].includes(text[offset]) ? "filter.noQuote" : "filter.unknownSign", offset, text[offset]);
    }
    const kind = KINDS[match.slice(1).findIndex((part) => part !== undefined)];
    const value = match.slice(1).find((part) => part !== undefined);
    found.push({ kind, text: value, at: TOKEN.lastIndex - value.length });
    at = TOKEN.lastIndex;
  }
  return found;
}

const OPERATORS = {
  "==": "EQUAL", "=": "EQUAL", "!=": "NOT_EQUAL", "<": "LESS_THAN", "<=": "LESS_THAN_OR_EQUAL",
  ">": "GREATER_THAN", ">=": "GREATER_THAN_OR_EQUAL",
};

/**
 * Reads a filter: `{group, where, orders, limit}`, each null or empty where the text has none.
 *
 * `root` is the name under which the database's documents are, and `collection` the path of the open one, in which ids are.
 * Throws `FilterError`.
 */
export const parse = (text, root, collection = []) => new Parser(tokens(text), text.length, root, collection).query();

/** A filter's text with another order, in the place of its own: by those names, or by none where they are null. */
export function withOrder(text, names, isDescending = false) {
  const found = tokens(text);
  const is = (index, word) => found[index]?.kind === "word" && found[index].text.toLowerCase() === word;
  const order = found.findIndex((_, index) => is(index, "order") && is(index + 1, "by"));
  const limit = found.findIndex((token, index) => is(index, "limit") && found[index + 1]?.kind === "number" && index === found.length - 2);
  const [orderAt, limitAt] = [order, limit].map((index) => (index < 0 ? text.length : found[index].at));
  const parts = [text.slice(0, Math.min(orderAt, limitAt)), names ? `order by ${fieldText(names)}${isDescending ? " desc" : ""}` : "", text.slice(limitAt)];
  return parts.map((part) => part.trim()).filter(Boolean).join(" ");
}

class Parser {
  #next = 0;

  constructor(found, length, root, collection) {
    this.tokens = found;
    this.length = length;
    this.root = root;
    this.collection = collection;
    this.isGroup = false;
  }

  get token() {
    return this.tokens[this.#next];
  }

  wrong(key) {
    return new FilterError(key, this.token?.at ?? this.length, this.token?.text ?? "");
  }

  /** Whether the next tokens are these words or signs. */
  sees(...texts) {
    return texts.every((text, index) => {
      const token = this.tokens[this.#next + index];
      return token && (token.kind === "word" || token.kind === "sign") && token.text.toLowerCase() === text;
    });
  }

  takes(...texts) {
    if (!this.sees(...texts)) return false;
    this.#next += texts.length;
    return true;
  }

  expect(text, key) {
    if (!this.takes(text)) throw this.wrong(key);
  }

  query() {
    const query = { group: null, where: null, orders: [], limit: null };
    if (this.takes("group", "(")) {
      query.group = this.groupName();
      this.isGroup = true;
      this.expect(")", "filter.noClose");
    }
    const hasWhere = this.takes("where");
    const isAtTail = () => !this.token || this.sees("order", "by") || this.sees("limit");
    if (hasWhere || !isAtTail()) query.where = this.either();
    if (this.takes("order", "by")) do query.orders.push(this.order()); while (this.takes(","));
    if (this.takes("limit")) query.limit = this.limit();
    if (this.token) throw this.wrong("filter.more");
    return query;
  }

  groupName() {
    const token = this.token;
    if (!token || !["word", "string", "quoted"].includes(token.kind)) throw this.wrong("filter.noGroup");
    this.#next += 1;
    return token.kind === "word" ? token.text : unquoted(token.text);
  }

  order() {
    const names = this.field();
    const isDescending = this.takes("desc") || this.takes("descending");
    if (!isDescending && !this.takes("asc")) this.takes("ascending");
    return { names, isDescending };
  }

  limit() {
    const token = this.token;
    const count = Number(token?.text);
    if (token?.kind !== "number" || !Number.isInteger(count) || count < 1 || count > 2 ** 31 - 1) throw this.wrong("filter.noLimit");
    this.#next += 1;
    return count;
  }

  either() {
    return this.list("or", "OR", () => this.list("and", "AND", () => this.condition()));
  }

  list(word, op, part) {
    const filters = [part()];
    while (this.takes(word)) filters.push(part());
    return filters.length === 1 ? filters[0] : { compositeFilter: { op, filters } };
  }

  condition() {
    if (this.takes("(")) {
      const inner = this.either();
      this.expect(")", "filter.noClose");
      return inner;
    }
    const names = this.field();
    const field = { fieldPath: fieldPath(...names) };
    const op = this.operator();
    const start = this.token;
    const read = this.value();
    const isName = names.length === 1 && names[0] === "__name__";
    if (isName && op.startsWith("ARRAY_CONTAINS")) throw new FilterError("filter.noID", start.at, start.text);
    const value = isName ? this.names(read, start) : read;
    const isList = ["IN", "NOT_IN", "ARRAY_CONTAINS_ANY"].includes(op);
    if (isList && !value.arrayValue) throw new FilterError("filter.noList", start.at, start.text);
    return unary(field, op, value) ?? { fieldFilter: { field, op, value } };
  }

  field() {
    const names = [];
    do {
      const token = this.token;
      if (!token || !["word", "quoted"].includes(token.kind)) throw this.wrong("filter.noField");
      names.push(token.kind === "word" ? token.text : unquoted(token.text));
      if (names.length === 1 && token.text === "id" && this.tokens[this.#next + 1]?.text !== ".") names[0] = "__name__";
      this.#next += 1;
    } while (this.takes("."));
    return names;
  }

  /** What an id is compared with: a document of the open collection by its id, or any by its path. */
  names(value, token) {
    if (value.arrayValue) return { arrayValue: { values: value.arrayValue.values.map((one) => this.names(one, token)) } };
    if (value.referenceValue !== undefined) return value;
    const text = value.stringValue ?? value.integerValue;
    if (text === undefined || text === "") throw new FilterError("filter.noID", token.at, token.text);
    const path = text.replace(/^\//, "");
    if (!path.includes("/") && this.isGroup) throw new FilterError("filter.noPath", token.at, token.text);
    const full = path.includes("/") ? path : [...this.collection, path].join("/");
    return this.typed("reference", this.absolute(full), token);
  }

  operator() {
    if (this.takes("not", "in")) return "NOT_IN";
    if (this.takes("in")) return "IN";
    if (this.takes("contains", "any")) return "ARRAY_CONTAINS_ANY";
    if (this.takes("contains")) return "ARRAY_CONTAINS";
    if (this.takes("is", "not")) return "NOT_EQUAL";
    if (this.takes("is")) return "EQUAL";
    const op = this.token?.kind === "sign" ? OPERATORS[this.token.text] : undefined;
    if (!op) throw this.wrong("filter.noOperator");
    this.#next += 1;
    return op;
  }

  value() {
    const token = this.token;
    if (!token) throw this.wrong("filter.noValue");
    this.#next += 1;
    if (token.kind === "string") return { stringValue: unquoted(token.text) };
    if (token.kind === "number") return this.typed(/[.eE]/.test(token.text) ? "double" : "integer", token.text, token);
    if (token.text === "[") return this.values();
    switch (token.text.toLowerCase()) {
      case "null": return { nullValue: null };
      case "true": case "false": return { booleanValue: token.text.toLowerCase() === "true" };
      case "nan": return { doubleValue: "NaN" };
      case "timestamp": return this.typed("timestamp", this.argument(), token);
      case "ref": return this.typed("reference", this.absolute(this.argument()), token);
      default: throw new FilterError("filter.noValue", token.at, token.text);
    }
  }

  values() {
    const values = [];
    if (this.takes("]")) return { arrayValue: { values } };
    do values.push(this.value()); while (this.takes(","));
    this.expect("]", "filter.noClose");
    return { arrayValue: { values } };
  }

  argument() {
    this.expect("(", "filter.noOpen");
    if (this.token?.kind !== "string") throw this.wrong("filter.noText");
    const text = unquoted(this.token.text);
    this.#next += 1;
    this.expect(")", "filter.noClose");
    return text;
  }

  absolute(path) {
    return path.startsWith("projects/") ? path : `${this.root}/${path.replace(/^\//, "")}`;
  }

  typed(type, text, token) {
    try {
      return parseText(type, text);
    } catch (error) {
      if (error instanceof ValueError) throw new FilterError(error.key, token.at, token.text);
      throw error;
    }
  }
}

function unquoted(text) {
  if (text.startsWith("`") || text.startsWith("'")) return text.slice(1, -1).replace(/\\(.)/g, "$1");
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(1, -1).replace(/\\(.)/g, "$1");
  }
}

function unary(field, op, value) {
  const isNull = "nullValue" in value;
  if (!isNull && value.doubleValue !== "NaN") return null;
  const word = isNull ? "NULL" : "NAN";
  if (op === "EQUAL") return { unaryFilter: { field, op: `IS_${word}` } };
  if (op === "NOT_EQUAL") return { unaryFilter: { field, op: `IS_NOT_${word}` } };
  return null;
}

/** A name as the filter bar has it; a field of the name `id` is not the document's id. */
export function fieldText(names) {
  if (names.length === 1 && names[0] === "__name__") return "id";
  return names.length === 1 && names[0] === "id" ? "`id`" : fieldPath(...names);
}

/** A value as the filter bar has it; null for those that it has no word for. */
export function valueText(value) {
  if (value.stringValue !== undefined) return JSON.stringify(value.stringValue);
  if (value.integerValue !== undefined) return String(value.integerValue);
  if (typeof value.doubleValue === "number") return Number.isInteger(value.doubleValue) ? value.doubleValue.toFixed(1) : String(value.doubleValue);
  if (value.doubleValue === "NaN") return "NaN";
  if (value.booleanValue !== undefined) return String(value.booleanValue);
  if (value.timestampValue !== undefined) return `timestamp(${JSON.stringify(value.timestampValue)})`;
  if (value.referenceValue !== undefined) return `ref(${JSON.stringify(value.referenceValue)})`;
  if ("nullValue" in value) return "null";
  return null;
}
