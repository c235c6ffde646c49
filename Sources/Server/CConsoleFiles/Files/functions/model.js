/** Functions and their calls, as the pages show them. Pure. */

export const sum = (values) => values.reduce((all, one) => all + one, 0);

/** The last hour of all functions together. */
export function summaryOf(functions) {
  const slowest = functions.map((one) => one.hour.p99).filter((one) => one !== null);
  return {
    calls: sum(functions.map((one) => sum(one.hour.calls))), errors: sum(functions.map((one) => sum(one.hour.errors))),
    p99: slowest.length > 0 ? Math.max(...slowest) : null, instances: sum(functions.map((one) => one.instances)),
  };
}

const EVENTS = [
  [/firestore\.document\.v1\.(created|updated|deleted|written)/, "document"], [/providers\/cloud\.firestore\/eventTypes\/document\.(create|update|delete|write)/, "document"],
  [/storage\.object\.v1\.(finalized|deleted|archived|metadataUpdated)/, "object"], [/google\.storage\.object\.(finalize|delete|archive|metadataUpdate)/, "object"],
  [/firebase\.auth\/eventTypes\/user\.(create|delete)/, "user"], [/pubsub\.topic.*(?:messagePublished|publish)()/, "message"], [/remoteconfig.*()/, "config"],
  [/(beforeCreate|beforeSignIn)$/, "before"],
];

// The first generation's words beside the second's.
const WORDS = { create: "created", update: "updated", delete: "deleted", write: "written", finalize: "finalized", archive: "archived", metadataUpdate: "metadataUpdated" };

/** The key of the text that says what an event is, and the type itself where there is none. */
export function eventKeyOf(type) {
  for (const [pattern, kind] of EVENTS) {
    const found = pattern.exec(type);
    if (found) return `on.${[kind, WORDS[found[1]] ?? found[1]].filter(Boolean).join(".")}`;
  }
  return null;
}

/** The places that a trigger watches: a document's path, a bucket, a topic. */
export const placesOf = ({ filters = {} }) => Object.entries(filters).filter(([name, value]) => value !== "(default)" && name !== "namespace").map(([, value]) => value);

/** The columns of a small drawing of numbers: `[x, y, width, height]`, zero left out; as high as the drawing is what is `most`. */
export function columnsOf(values, width, height, most = Math.max(1, ...values)) {
  const step = width / values.length;
  return values.flatMap((value, at) => {
    if (value <= 0) return [];
    const size = Math.max(2, (value / most) * height);
    return [[at * step, height - size, Math.max(1, step - 0.5), size]];
  });
}

/** The line that says what a text of several lines is about: of a traceback that is the last. */
export function headOf(message) {
  const lines = message.trim().split("\n");
  return message.includes("Traceback (most recent call last)") ? lines.at(-1) : lines[0];
}

/** Names of the last minutes, the oldest first. */
export const minutesBefore = (now, count, format) => Array.from({ length: count }, (_, index) => format(now - (count - 1 - index) * 60_000));

const LEVELS = { DEBUG: 0, DEFAULT: 1, INFO: 1, NOTICE: 2, WARNING: 3, ERROR: 4, CRITICAL: 5, ALERT: 6, EMERGENCY: 7 };

/** How grave a line is, as a number. */
export const levelOf = (severity) => LEVELS[severity] ?? 1;

/** The colour of a line, by how grave it is. */
export const toneOf = (severity) => (levelOf(severity) >= 4 ? "danger" : levelOf(severity) === 3 ? "warn" : "plain");

/** Lines and those that came behind them, so many at most. */
export const joined = (old, lines, most) => [...old, ...lines].slice(-most);

/** The part of a digest that people compare. */
export const shortOf = (digest) => digest.slice(0, 12);
