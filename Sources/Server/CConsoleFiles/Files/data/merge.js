import { isSame, own } from "./value.js";

/** Joins what two people made of one document. Pure. */

/** Whether a field is the same in two documents, missing in both included. */
export function isSameField(one, other, name) {
  const [left, right] = [own(one, name), own(other, name)];
  if (left === undefined || right === undefined) return left === right;
  return isSame(left, right);
}

/**
 * The document with the changes of both: `fields`, and `conflicts`, the names that both changed to something else.
 *
 * A conflict keeps `mine` until `theirs` is chosen for it.
 */
export function merge(base, mine, theirs, choices = {}) {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)])];
  const conflicts = [];
  const entries = [];
  for (const name of names) {
    const isMine = !isSameField(base, mine, name);
    const isTheirs = !isSameField(base, theirs, name);
    const isConflict = isMine && isTheirs && !isSameField(mine, theirs, name);
    if (isConflict) conflicts.push(name);
    const source = isMine && own(choices, name) !== "theirs" ? mine : theirs;
    const value = own(source, name);
    if (value !== undefined) entries.push([name, value]);
  }
  return { fields: Object.fromEntries(entries), conflicts: conflicts.sort() };
}
