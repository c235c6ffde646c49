/** Figures of events, as pages show them. Pure. */

/** The days of a period that ends with a day: `{from, to}`. */
export const periodTo = (to, days) => ({ from: new Date(Date.parse(to) - (days - 1) * 86_400_000).toISOString().slice(0, 10), to });

/** The last thirty minutes, the newest last: how often each was, zero where nothing was. `at` is in milliseconds. */
export function minutesOf(times, at, count = 30) {
  const newest = Math.floor(at / 60_000);
  const minutes = new Array(count).fill(0);
  for (const { time, count: more = 1 } of times) {
    const index = count - 1 - (newest - Math.floor(Date.parse(time) / 60_000));
    if (index >= 0 && index < count) minutes[index] += more;
  }
  return minutes;
}

/** Events by name over minutes of the live report, those with the most first. */
export const eventsOf = (minutes) => counted(minutes.flatMap(({ events }) => Object.entries(events)));

/** Entries of DebugView by event, the most frequent first: `[name, count]`. */
export const topEvents = (entries) => counted(entries.filter(({ event }) => event).map(({ event }) => [event, 1]));

/** Names with the sums of their numbers, the largest first. */
function counted(pairs) {
  const counts = new Map();
  for (const [name, count] of pairs) counts.set(name, (counts.get(name) ?? 0) + Number(count));
  return [...counts].sort((one, other) => other[1] - one[1] || one[0].localeCompare(other[0]));
}

/** What all entries of an event carried, in one list: by parameter the values with how often each came, the newest first. */
export function mergedDetails(entries, event) {
  const merged = new Map();
  for (const { params } of entries.filter((one) => one.event === event).reverse()) {
    for (const [name, value] of Object.entries(params ?? {})) {
      const text = typeof value === "object" ? JSON.stringify(value) : String(value);
      if (!merged.has(name)) merged.set(name, new Map());
      merged.get(name).set(text, (merged.get(name).get(text) ?? 0) + 1);
    }
  }
  return [...merged].sort(([one], [other]) => one.localeCompare(other)).map(([name, values]) => [name, [...values]]);
}

/** Milliseconds of engagement as minutes and seconds. */
export function duration(milliseconds) {
  const seconds = Math.round(Number(milliseconds) / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A step of a funnel with its share of the first step and of the one before, in percent. */
export function stepsOf(steps) {
  const first = steps[0]?.users ?? 0;
  const share = (users, of) => (of > 0 ? Math.round((users / of) * 100) : 0);
  return steps.map(({ event, users }, index) => ({ event, users, ofFirst: share(users, first), ofBefore: index === 0 ? 100 : share(users, steps[index - 1].users) }));
}

/** The conditions that an audience's rule is made of in the form. */
export const CONDITIONS = ["event", "country", "platform", "appVersion", "group", "property"];

function conditionOf(kind, value) {
  if (kind !== "property") return { [kind]: value };
  const [name, ...rest] = value.split("=");
  return { property: { name: name.trim(), value: rest.join("=").trim() } };
}

/** The rule of conditions that hold all together, or any of them. */
export function ruleOf(conditions, isAny) {
  const rules = conditions.map(({ kind, value, isNot }) => { const rule = conditionOf(kind, value); return isNot ? { not: rule } : rule; });
  return rules.length === 1 ? rules[0] : { [isAny ? "any" : "all"]: rules };
}
