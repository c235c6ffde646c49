import { bar, change, chart, dayText } from "../base/chart.js";
import { blank, boxed, failure, h, inline, inScope, language, link, loading, named, note, number, section, select, show, t, table, tableOr } from "../base/ui.js";
import { duration } from "./model.js";
import { csvButton, periodChoice } from "./period.js";
import { period, report } from "./store.js";
import { world } from "./world.js";

const DIMENSIONS = ["platform", "appVersion", "country", "language", "model", "osVersion", "app"];
const RETURNED_DAYS = 14;

/** Users, events, where they are and whether they come back. */
export function dashboard() {
  const days = period();
  return loading(Promise.all([report("users", days), report("events", days), report("retention", { ...days, days: RETURNED_DAYS }), report("breakdown", { ...days, by: "country" })]), ([users, events, retention, { rows }]) => [
    periodChoice(users), cards(users, events), h("div.charts", usersChart(users), engagementChart(users)), countries(rows), eventList(events), breakdown(days), retentionTable(retention), note(t("analytics.exact"))]);
}

const sum = (rows, name) => rows.reduce((all, row) => all + row[name], 0);

function cards({ days, ...totals }, { events }) {
  const last = days.at(-1) ?? { active: 0, active7: 0, active28: 0 };
  const count = events.reduce((all, { now }) => all + now.events, 0);
  const before = events.reduce((all, one) => all + one.before.events, 0);
  const engagement = totals.active > 0 ? sum(days, "engagementMillis") / totals.active : 0;
  const card = (key, value, note) => h("div.panel.card", h("dt", t(key)), h("dd", value), note ? h("dd.note", note) : null);
  return h("dl.cards", card("analytics.active1", number(last.active)), card("analytics.active7", number(last.active7)), card("analytics.active28", number(last.active28)),
    card("analytics.new", number(totals.new)), card("analytics.count", number(count), change(count, before)), card("analytics.engagement", duration(engagement)));
}

function usersChart({ days, from, to }) {
  const series = [["analytics.active1", "active"], ["analytics.active7", "active7"], ["analytics.active28", "active28"], ["analytics.new", "new"]];
  const rows = () => [["day", ...series.map(([, name]) => name)], ...days.map((day) => [day.day, ...series.map(([, name]) => day[name])])];
  return boxed(chart(t("analytics.usersByDay"), days.map((one) => dayText(one.day)), series.map(([key, name]) => ({ name: t(key), values: days.map((one) => one[name]) }))),
    h("div", csvButton(`users-${from}-${to}`, rows)));
}

/** How long an active user was in the app, by day. */
function engagementChart({ days }) {
  const values = days.map((day) => (day.active > 0 ? Math.round(day.engagementMillis / day.active / 1_000) : 0));
  return boxed(chart(t("analytics.engagementByDay"), days.map((one) => dayText(one.day)), [{ name: t("analytics.engagement"), values }], { isColumns: true, format: (seconds) => duration(seconds * 1_000) }));
}

const MOST_COUNTRIES = 8;

/** Where users are: on a map, and as a table. */
function countries(rows) {
  const names = new Intl.DisplayNames(language.peek(), { type: "region", fallback: "code" });
  const nameOf = (code) => (/^[A-Z]{2}$/.test(code) ? names.of(code) : code);
  const found = rows.filter((one) => one.now.users > 0).sort((one, other) => other.now.users - one.now.users);
  if (found.length === 0) return null;
  const counts = found.map((one) => [one.name, one.now.users]);
  return boxed(h("h2", t("analytics.byCountry")), h("div.where", world(counts, (code) => `${nameOf(code)}: ${number(counts.find(([one]) => one === code)[1])}`),
    table(["dimension.country", "analytics.users", "analytics.change"], found.slice(0, MOST_COUNTRIES).map(({ name, now, before }) => [nameOf(name), bar(now.users, counts[0][1]), change(now.users, before.users)]))));
}

function eventList({ events }) {
  const most = Math.max(0, ...events.map((one) => one.now.events));
  return section(t("analytics.topEvents"), tableOr(blank("analytics", t("analytics.none")), ["analytics.event", "analytics.count", "analytics.change", "analytics.users"],
    events.slice(0, 10).map(({ name, now, before }) => [h("a", { href: link("analytics", ["events", name], period()) }, name), bar(now.events, most), change(now.events, before.events), number(now.users)])));
}

function breakdown(days) {
  const rows = h("div");
  const load = inScope(async (dimension) => {
    try {
      const found = (await report("breakdown", { ...days, by: dimension })).rows;
      const most = Math.max(0, ...found.map((one) => one.now.users));
      show(rows, tableOr("analytics.none", ["value", "analytics.users", "analytics.count", "analytics.change"],
        found.slice(0, 20).map(({ name, now, before }) => [name, bar(now.users, most), number(now.events), change(now.events, before.events)])));
    } catch (error) {
      show(rows, failure(error));
    }
  });
  load(DIMENSIONS[0]);
  return h("section.stack", inline(h("h2", t("analytics.breakdown")),
    select(named("dimension", DIMENSIONS), DIMENSIONS[0], { label: t("analytics.breakdown"), onchange: (event) => load(event.target.value) })), rows);
}

function retentionTable({ cohorts }) {
  const shown = cohorts.filter((one) => one.users > 0);
  if (shown.length === 0) return null;
  const cell = (users, count) => {
    const share = users > 0 ? count / users : 0;
    return h("td", { title: number(count), style: { background: `color-mix(in srgb, var(--accent) ${Math.round(share * 45)}%, transparent)` } }, `${Math.round(share * 100)} %`);
  };
  return section(t("analytics.retention"), note(t("analytics.retentionText")),
    h("div.scroll", { tabindex: 0, role: "group", label: t("analytics.retention") }, h("table.table.heat",
      h("thead", h("tr", h("th", { scope: "col" }, t("analytics.day")), h("th", { scope: "col" }, t("analytics.new")), Array.from({ length: RETURNED_DAYS }, (_, index) => h("th", { scope: "col" }, `+${index + 1}`)))),
      h("tbody", shown.map(({ day, users, returned }) => h("tr", h("th", { scope: "row" }, dayText(day)), h("td", number(users)), Array.from({ length: RETURNED_DAYS }, (_, index) => (index + 1 < returned.length ? cell(users, returned[index + 1]) : h("td")))))))));
}
