/** Messages as people write them, as the API takes them, and what became of them. Pure. */

/** The ways by which a message is addressed. */
export const TARGETS = ["topic", "audience", "token", "user", "condition"];

/** The states of a delivery, in the order in which it goes through them; the last ones are ends without success. */
export const STATES = ["waiting", "handed", "acknowledged", "opened", "collapsed", "expired", "refused", "gone"];

const filled = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== "" && value !== undefined && value !== null && !(typeof value === "object" && Object.keys(value).length === 0)));

/**
 * The message of HTTP v1 without its recipient. `typed` has texts by field, `data` names with texts; `start` is when its
 * life begins, in milliseconds.
 */
export function messageOf(typed, start) {
  const { title, body, image, data = {}, priority = "high", life, collapse, link, badge, sound, label } = typed;
  const isHigh = priority === "high";
  const aps = filled({ badge: badge ? Number(badge) : "", sound });
  return filled({
    notification: filled({ title, body, image }),
    data,
    android: filled({ priority: isHigh ? "HIGH" : "NORMAL", ttl: life ? `${life}s` : "", collapse_key: collapse, notification: filled({ sound }) }),
    apns: filled({
      headers: filled({ "apns-priority": isHigh ? "10" : "5", "apns-expiration": life ? String(Math.floor(start / 1_000) + Number(life)) : "", "apns-collapse-id": collapse }),
      payload: filled({ aps }),
    }),
    webpush: filled({ headers: filled({ Urgency: isHigh ? "high" : "normal", TTL: life ?? "", Topic: collapse }), fcm_options: filled({ link }) }),
    fcm_options: filled({ analytics_label: label }),
  });
}

/** The verb and body of the call that sends a message to a recipient; `at` is an instant of later, null for now. */
export function requestOf(message, { kind, value }, at) {
  const beside = { user: { uid: value }, audience: { audience: value } }[kind];
  const body = beside ? { message, ...beside } : { message: { ...message, [kind]: value } };
  if (at) return { verb: "schedule", body: { ...body, scheduleTime: at } };
  return { verb: { user: "sendToUser", audience: "sendToAudience" }[kind] ?? "send", body };
}

/** Deliveries by state over all transports. */
export function totalsOf(deliveries = {}) {
  const totals = {};
  for (const states of Object.values(deliveries)) {
    for (const [state, count] of Object.entries(states)) totals[state] = (totals[state] ?? 0) + Number(count);
  }
  return totals;
}

/** What a message does now: `scheduled`, `sending`, `waiting` or `done`. */
export function stageOf({ stage, deliveries }) {
  if (stage === "scheduled") return "scheduled";
  if (stage === "expanding") return "sending";
  return totalsOf(deliveries).waiting > 0 ? "waiting" : "done";
}

/** Why deliveries were refused, those with the most first: `[transport, reason, count]`. */
export function reasonsOf(deliveries) {
  const counts = new Map();
  for (const { transport, reason } of deliveries) {
    if (!reason) continue;
    const key = JSON.stringify([transport, reason]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => [...JSON.parse(key), count]).sort((one, other) => other[2] - one[2]);
}

/** The id in a message's name. */
export const idOf = ({ name }) => name.split("/").pop();
