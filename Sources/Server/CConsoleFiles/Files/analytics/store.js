import { call, path, place, projectPath, withQuery } from "../base/ui.js";

/** The reports of a project's events. */

const root = () => projectPath(place.peek().project, "analytics");

/** The days that the address names; nothing is the last 28. */
export const period = () => { const { from, to } = place.peek().query; return from && to ? { from, to } : {}; };

/** A report; parameters without a value are left out. */
export const report = (name, query = {}) => call("GET", withQuery(`${root()}/${name}`, query));

/** A report about an event or an audience. */
export const reportOf = (name, part, query) => report(`${name}${path(part)}`, query);

/** How many users took each step within some time. */
export const funnel = (steps, windowSeconds) => call("POST", `${root()}/funnel?${new URLSearchParams(period())}`, { steps, windowSeconds });

let lastMark = Promise.resolve();

/**
 * Makes an event a key event, or an ordinary one again. The server takes all names at once, so each change waits for
 * the one before and is made to the names as they are by then.
 */
export function markKeyEvent(event, isKey) {
  const address = `${root()}/settings`;
  const mark = lastMark.then(async () => {
    const { keyEvents } = await call("GET", address);
    const others = keyEvents.filter((one) => one !== event);
    await call("PATCH", address, { keyEvents: isKey ? [...others, event] : others });
  });
  lastMark = mark.catch(() => {});
  return mark;
}

/** Keeps an audience. */
export const putAudience = (name, days, rule) => call("PUT", `${root()}/audiences${path(name)}`, { days, rule });

/** Forgets an audience. */
export const removeAudience = (name) => call("DELETE", `${root()}/audiences${path(name)}`);
