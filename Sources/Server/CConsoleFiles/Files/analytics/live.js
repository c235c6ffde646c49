import { bar, chart } from "../base/chart.js";
import { h, number, polled, show, stack, t, tableOr } from "../base/ui.js";
import { eventsOf, minutesOf } from "./model.js";
import { report } from "./store.js";

export const MINUTES = Array.from({ length: 30 }, (_, index) => (index === 29 ? "0" : String(index - 29)));

/** The last thirty minutes of all apps. */
export function liveView() {
  const body = stack();
  return polled("analytics.liveText", 5_000, () => report("live"), (answer) => show(body, draw(answer)), body);
}

const panel = (...parts) => h("section.panel", chart(...parts));

function draw({ users, minutes }) {
  const events = eventsOf(minutes);
  const counts = minutes.map((minute) => ({ time: minute.time, count: Object.values(minute.events).reduce((all, count) => all + count, 0) }));
  const now = Date.now();
  return [h("dl.cards", h("div.panel.card", h("dt", t("analytics.liveUsers")), h("dd", number(users)))),
    h("div.charts", panel(t("analytics.byMinute"), MINUTES, [{ name: t("analytics.count"), values: minutesOf(counts, now) }], { isColumns: true }),
    panel(t("analytics.usersByMinute"), MINUTES, [{ name: t("analytics.users"), values: minutesOf(minutes.map(({ time, users: count }) => ({ time, count })), now) }], { isColumns: true })),
    tableOr("analytics.none", ["analytics.event", "analytics.count"], events.map(([name, count]) => [name, bar(count, events[0][1])]))];
}
