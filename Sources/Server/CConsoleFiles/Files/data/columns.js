import { own, summary, typeOf } from "./value.js";

/** The columns of a table of documents: which there are, in which order, how wide. Pure. */

const MOST_COLUMNS = 60;
const LOOKED_AT = 40;

/** What people look for first: names of a document, then short texts, numbers, dates, yes and no, and the rest. */
const NAMES = /^(name|nome|title|titulo|título|label|displayName|fullName|email|slug|code|sku|status)$/i;
const RANKS = { string: 1, integer: 3, double: 3, timestamp: 4, boolean: 5, reference: 6, geopoint: 8, bytes: 9, null: 9, array: 8, map: 8, vector: 9 };
const LONG = 60;

/**
 * The columns so far and those that are new.
 *
 * A column is `{id, name, label, type, width}`; the first is the document's id, without a name. Once shown, a column stays
 * where it is, so that nothing moves below somebody's eyes.
 */
export function columnsOf(before, documents) {
  const known = new Set(before.map((column) => column.id));
  const seen = new Map();
  documents.forEach((document, index) => {
    for (const name of Object.keys(document.fields ?? {})) {
      if (known.has(`.${name}`)) continue;
      const one = seen.get(name) ?? seen.set(name, { count: 0, values: [] }).get(name);
      one.count += 1;
      if (index < LOOKED_AT) one.values.push(own(document.fields, name));
    }
  });
  const fresh = [...seen].map(([name, { count, values }]) => columnOf(name, count, values)).sort((one, other) =>
    one.rank - other.rank || other.count - one.count || (one.name < other.name ? -1 : 1)).map(({ rank: _, count: __, ...column }) => column);
  const ids = documents.slice(0, LOOKED_AT).map(({ name }) => name.split("/").pop().length);
  const first = before.length > 0 ? before : [{ id: "id", label: "id", type: "id", width: clamp(Math.max(0, ...ids) * 8.5 + 24, 96, 220) }];
  return [...first, ...fresh].slice(0, MOST_COLUMNS);
}

const clamp = (value, least, most) => Math.round(Math.max(least, Math.min(most, value)));

function columnOf(name, count, values) {
  const types = values.map(typeOf).filter((type) => type !== "null");
  const type = types[0] ?? "null";
  const lengths = values.map((value) => (typeOf(value) === "timestamp" ? 20 : summary(value).length)).sort((one, other) => one - other);
  const usual = lengths[Math.floor(lengths.length * 0.9)] ?? 0;
  const rank = NAMES.test(name) && type === "string" ? 0 : type === "string" && usual > LONG ? 7 : RANKS[type];
  return { id: `.${name}`, name, label: name, type, count, rank, width: clamp(Math.max(usual * 8 + 24, name.length * 8.5 + 68), 88, 300) };
}

/**
 * Columns as somebody arranged them: `{order, hidden, widths}` by id, all of which may be missing. The id is always the first;
 * columns that the arrangement does not know follow.
 */
export function arranged(columns, { order = [], hidden = [], widths = {} } = {}) {
  const [first, ...rest] = columns;
  const at = (column) => (order.includes(column.id) ? order.indexOf(column.id) : Infinity);
  const inOrder = rest.map((column, index) => ({ column, index })).sort((one, other) => (at(one.column) - at(other.column) || 0) || one.index - other.index).map(({ column }) => column);
  return [first, ...inOrder.filter((column) => !hidden.includes(column.id))].filter(Boolean).map((column) => ({ ...column, width: own(widths, column.id) ?? column.width }));
}

/** What was kept as an arrangement; an empty one for what is none. */
export function readArrangement(text) {
  try {
    const { order, hidden, widths } = JSON.parse(text) ?? {};
    const isTexts = (list) => Array.isArray(list) && list.every((one) => typeof one === "string");
    const isWidths = typeof widths === "object" && widths !== null && Object.values(widths).every((one) => Number.isFinite(one) && one >= 48 && one <= 1_000);
    return { order: isTexts(order) ? order : [], hidden: isTexts(hidden) ? hidden : [], widths: isWidths ? widths : {} };
  } catch {
    return { order: [], hidden: [], widths: {} };
  }
}

/** An order of ids with one of them moved by so many places. */
export function moved(ids, id, by) {
  const from = ids.indexOf(id);
  const to = Math.max(0, Math.min(ids.length - 1, from + by));
  const next = ids.filter((one) => one !== id);
  next.splice(to, 0, id);
  return next;
}
