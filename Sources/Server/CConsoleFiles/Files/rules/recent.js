/** What the rules were asked lately. Pure. */

const MOST = 100;
const DAY = 86_400_000;

// What a write would have written, and what a query asked for, is not kept.
const AGAIN = ["get", "delete"];

/** The denied requests that can be tried again, each once, the newest first. Pure. */
export function replayable(denials, { project, database, bucket }) {
  const scope = bucket ?? `projects/${project}/databases/${database}`;
  const found = new Map();
  for (const { method, path: of, uid, ...denial } of [...denials].reverse()) {
    if (!AGAIN.includes(method) || of === undefined || (denial.bucket ?? denial.database) !== scope) continue;
    const one = { method, path: of, uid: uid === "nobody" ? "" : uid };
    found.set(JSON.stringify(one), one);
  }
  return [...found.values()].slice(0, MOST);
}

/** How often the expressions of each line were evaluated, by line from one; lines without any are not there. Pure. */
export function countsOf(report, counts = new Map()) {
  for (const { sourcePosition: { line = 1 } = {}, values = [], children = [] } of report) {
    const count = values.reduce((sum, value) => sum + Number(value.count ?? 0), 0);
    counts.set(line, Math.max(counts.get(line) ?? 0, count));
    countsOf(children, counts);
  }
  return counts;
}

/** The last days up to now, each with what was decided on it: `{time, allowed, denied, errors}`. Pure. */
export function daysUpTo(now, count, found) {
  const today = Math.floor(now / DAY) * DAY;
  const known = new Map(found.map((one) => [one.time, one]));
  return Array.from({ length: count }, (_, index) => today - (count - 1 - index) * DAY).map((time) => known.get(time) ?? { time, allowed: 0, denied: 0, errors: 0 });
}
