/** Whom a message would reach, before it is sent. Pure. */

/** The topics that a condition names. */
export const topicsIn = (condition) => [...new Set([...condition.matchAll(/'([^']*)'\s+in\s+topics/g)].map(([, name]) => name))];

/** How many at once a name reaches, by its list: `[{name, users | registrations}]`; null where it is not in there. */
const sizeOf = (name, known) => {
  const found = known.find((one) => one.name === name);
  return found ? Number(found.users ?? found.registrations) : null;
};

/**
 * Whom a recipient reaches: `unit` is `devices` or `users`; `count` is null where the server alone could tell; `isMost` says
 * that it is a bound; `unknown` are the names of topics and audiences that there are not.
 */
export function reachOf({ kind, value }, { topics = [], audiences = [] }) {
  if (kind === "token") return { unit: "devices", count: 1, isMost: true, unknown: [] };
  if (kind === "user") return { unit: "devices", count: null, isMost: false, unknown: [] };
  if (kind !== "condition") {
    const count = sizeOf(value, kind === "audience" ? audiences : topics);
    return { unit: kind === "audience" ? "users" : "devices", count: count ?? 0, isMost: false, unknown: count === null ? [value] : [] };
  }
  const sizes = topicsIn(value).map((name) => [name, sizeOf(name, topics)]);
  // Who is not in a topic is not in its list.
  const hasNot = /!/.test(value.replace(/'[^']*'/g, ""));
  const sum = sizes.reduce((all, [, size]) => all + (size ?? 0), 0);
  return { unit: "devices", count: hasNot ? null : sum, isMost: sizes.length > 1, unknown: sizes.filter(([, size]) => size === null).map(([name]) => name) };
}
