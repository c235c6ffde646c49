import { valueAt } from "./order.js";
import { namesOf } from "./query.js";
import { elementsOf, fieldsOf, isSame, own, typeOf } from "./value.js";

/** What changes of many documents make of each. Pure. */

/** What can be done with every document of a query. */
export const ACTIONS = ["set", "remove", "rename", "increment", "append", "delete"];

/** The actions that take a field, another field's name, a value. */
export const TAKES = { field: ["set", "remove", "rename", "increment", "append"], to: ["rename"], value: ["set", "increment", "append"] };

/**
 * The fields that an action makes of a document's: null where it is deleted, undefined where nothing changes.
 *
 * An action is `{kind, field, to, value}`; fields are paths as the filter bar has them.
 */
export function applied({ kind, field, to, value }, fields) {
  if (kind === "delete") return null;
  const names = namesOf(field);
  const before = valueAt({ fields }, names);
  switch (kind) {
    case "set": return before !== undefined && isSame(before, value) ? undefined : put(fields, names, value);
    case "remove": return before === undefined ? undefined : put(fields, names, undefined);
    case "rename": return before === undefined ? undefined : put(put(fields, names, undefined), namesOf(to), before);
    case "increment": return put(fields, names, sum(before, value));
    case "append": return appended(fields, names, before, value);
    default: throw new RangeError(kind);
  }
}

/** The fields with another value at a path, undefined for none; maps on the way are made. */
function put(fields, [name, ...rest], value) {
  const changed = { ...fields };
  const inner = rest.length > 0 ? innerOf(fields, name, rest, value) : value;
  if (inner === undefined) delete changed[name];
  else changed[name] = inner;
  return changed;
}

const innerOf = (fields, name, rest, value) => ({ mapValue: { fields: put(fieldsOf(own(fields, name) ?? {}), rest, value) } });

const MOST = 2n ** 63n - 1n;

/** The sum as the server's increment has it: what is no number begins with the value, integers end at 64 bits. */
function sum(before, value) {
  const types = [before, value].map((one) => (one === undefined ? null : typeOf(one)));
  if (!["integer", "double"].includes(types[0])) return value;
  if (types.includes("double")) return { doubleValue: double(Number(before.integerValue ?? before.doubleValue) + Number(value.integerValue ?? value.doubleValue)) };
  const exact = BigInt(before.integerValue) + BigInt(value.integerValue);
  return { integerValue: String(exact > MOST ? MOST : exact < -MOST - 1n ? -MOST - 1n : exact) };
}

/** A double as JSON has it. */
const double = (number) => (Number.isFinite(number) ? number : String(number));

/** An array with a value that it does not have yet; what is no array becomes one. */
function appended(fields, names, before, value) {
  const elements = before !== undefined && typeOf(before) === "array" ? elementsOf(before) : [];
  return elements.some((one) => isSame(one, value)) ? undefined : put(fields, names, { arrayValue: { values: [...elements, value] } });
}
