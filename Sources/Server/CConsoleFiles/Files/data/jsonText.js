import { cut, editText, elementsOf, fieldsOf, isSame, parseText, typeOf, ValueError, componentsOf } from "./value.js";

/**
 * Documents as JSON that people read and write, without losing a type. Pure.
 *
 * Texts, flags, null, maps and arrays are JSON's own. A number with a point or an exponent is a double, without an
 * integer of 64 bits. Everything else is an object of one name: {"$timestamp": "…"}, {"$bytes": "base64"},
 * {"$reference": "projects/…"}, {"$geopoint": [lat, long]}, {"$vector": [1.0, 2.0]}, {"$double": "NaN"};. A
 * map whose only name begins with a dollar itself is written with one dollar more.
 */

const NAMED = { timestamp: "$timestamp", bytes: "$bytes", reference: "$reference", geopoint: "$geopoint", vector: "$vector", double: "$double" };

/** The text of a document's fields. */
export const write = (fields) => object(fields, "");

function text(value, indent) {
  const type = typeOf(value);
  switch (type) {
    case "null": case "boolean": case "integer": return editText(value);
    case "double": return typeof value.doubleValue === "string" ? named("double", JSON.stringify(value.doubleValue)) : editText(value);
    case "string": return JSON.stringify(value.stringValue);
    case "geopoint": return named("geopoint", `[${editText(value)}]`);
    case "vector": return named("vector", `[${componentsOf(value).map((part) => (/[a-z]{3}/i.test(part) ? JSON.stringify(part) : part)).join(", ")}]`);
    case "map": return map(fieldsOf(value), indent);
    case "array": return array(elementsOf(value), indent);
    default: return named(type, JSON.stringify(editText(value)));
  }
}

const named = (type, inner) => `{"${NAMED[type]}": ${inner}}`;

function map(fields, indent) {
  const names = Object.keys(fields);
  const isMistakable = names.length === 1 && names[0].startsWith("$");
  return object(isMistakable ? { [`$${names[0]}`]: fields[names[0]] } : fields, indent);
}

function object(fields, indent) {
  const entries = Object.entries(fields);
  if (entries.length === 0) return "{}";
  const inside = `${indent}  `;
  const lines = entries.map(([name, value]) => `${inside}${JSON.stringify(name)}: ${text(value, inside)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function array(elements, indent) {
  if (elements.length === 0) return "[]";
  const inside = `${indent}  `;
  return `[\n${elements.map((element) => inside + text(element, inside)).join(",\n")}\n${indent}]`;
}

/** A text that is no document: where, and the key of the sentence that says why. */
export class JSONTextError extends ValueError {}

const MOST_DEPTH = 200;

/** The fields that a text means; throws `JSONTextError`. */
export function read(source) {
  const reader = new Reader(source);
  reader.space();
  if (source[reader.at] !== "{") throw reader.wrong("json.noObject");
  const entries = reader.object(0);
  reader.space();
  if (reader.at < source.length) throw reader.wrong("json.more");
  return Object.fromEntries(entries);
}

class Reader {
  at = 0;

  constructor(source) {
    this.source = source;
  }

  wrong(key, at = this.at, detail = "") {
    return new JSONTextError(key, at, detail);
  }

  space() {
    while (/\s/.test(this.source[this.at] ?? "")) this.at += 1;
  }

  value(depth) {
    if (depth > MOST_DEPTH) throw this.wrong("json.tooDeep");
    this.space();
    const begin = this.source[this.at];
    if (begin === "{") return this.mapOrNamed(depth);
    if (begin === "[") return { arrayValue: { values: this.list(depth) } };
    if (begin === '"') return { stringValue: this.string() };
    const word = /[-+.\w]*/y;
    word.lastIndex = this.at;
    return this.word(word.exec(this.source)[0]);
  }

  word(word) {
    const start = this.at;
    this.at += word.length;
    if (word === "null") return { nullValue: null };
    if (word === "true" || word === "false") return { booleanValue: word === "true" };
    if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(word)) throw this.wrong("json.noValue", start, cut(word, 20));
    return this.typed(/[.eE]/.test(word) ? "double" : "integer", word, start);
  }

  typed(type, text, start) {
    try {
      return parseText(type, text);
    } catch (error) {
      if (error instanceof ValueError) throw this.wrong(error.key, start);
      throw error;
    }
  }

  string() {
    const pattern = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    try {
      const text = JSON.parse(found[0]);
      this.at += found[0].length;
      return text;
    } catch {
      throw this.wrong("json.noString");
    }
  }

  /** The elements between brackets. */
  list(depth) {
    return this.sequence("]", () => this.value(depth + 1));
  }

  /** The entries between braces; no name twice. */
  object(depth) {
    const names = new Set();
    return this.sequence("}", () => {
      this.space();
      const start = this.at;
      if (this.source[start] !== '"') throw this.wrong("json.noName");
      const name = this.string();
      if (names.has(name)) throw this.wrong("json.twice", start, cut(name, 40));
      names.add(name);
      this.space();
      if (this.source[this.at] !== ":") throw this.wrong("json.noColon");
      this.at += 1;
      return [name, this.value(depth + 1)];
    });
  }

  sequence(close, item) {
    this.at += 1;
    const items = [];
    this.space();
    if (this.source[this.at] === close) {
      this.at += 1;
      return items;
    }
    for (;;) {
      items.push(item());
      this.space();
      const next = this.source[this.at];
      if (next !== "," && next !== close) throw this.wrong("json.noComma");
      this.at += 1;
      if (next === close) return items;
    }
  }

  mapOrNamed(depth) {
    const start = this.at;
    const entries = this.object(depth);
    const [name, inner] = entries[0] ?? [];
    if (entries.length !== 1 || !name.startsWith("$")) return { mapValue: { fields: Object.fromEntries(entries) } };
    return this.named(name, inner, start);
  }

  named(name, inner, start) {
    const type = Object.keys(NAMED).find((key) => NAMED[key] === name);
    if (name.startsWith("$$")) return { mapValue: { fields: { [name.slice(1)]: inner } } };
    if (type === "geopoint" || type === "vector") return this.typed(type, elementsOf(inner).map(plainNumber).join(), start);
    if (type && inner.stringValue !== undefined) return this.typed(type, inner.stringValue, start);
    throw this.wrong("json.unknownType", start, cut(name, 40));
  }
}

const plainNumber = (value) => (value.stringValue !== undefined ? value.stringValue : String(value.integerValue ?? value.doubleValue ?? ""));

/** Whether two documents have the same fields. */
export const areSame = (one, other) => isSame({ mapValue: { fields: one } }, { mapValue: { fields: other } });
