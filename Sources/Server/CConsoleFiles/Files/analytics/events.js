import { bar, change } from "../base/chart.js";
import { blank, checkbox, complain, h, link, loading, note, number, section, t, table, textOr } from "../base/ui.js";
import { csvButton, periodChoice } from "./period.js";
import { markKeyEvent, period, report, reportOf } from "./store.js";

/** The events of a period, and one of them with its parameters. */
export function eventsView(name) {
  const days = period();
  if (name) return loading(reportOf("events", name, days), (answer) => detail(name, answer));
  return loading(Promise.all([report("events", days), report("dropped", days), report("settings")]), ([answer, { dropped }, { keyEvents }]) => {
    const marks = new Set(keyEvents);
    const { events, from, to } = answer;
    const rows = () => [["event", "events", "events before", "users", "users before", "value"], ...events.map(({ name: event, now, before }) => [event, now.events, before.events, now.users, before.users, now.value])];
    return [periodChoice(answer), figures("analytics.event", events, (event) => h("a", { href: link("analytics", ["events", event], days) }, event), (event) => keyMark(marks, event)), h("div", csvButton(`events-${from}-${to}`, rows)), drops(dropped)];
  });
}

/** The box that makes an event a key event, by which the product's success is told, or an ordinary one again. */
function keyMark(marks, event) {
  const element = checkbox(marks.has(event), { label: t("analytics.keyEventOf", event), onchange: async () => {
    const isKey = element.checked;
    await markKeyEvent(event, isKey).catch((error) => {
      element.checked = !isKey;
      complain(error);
    });
  }, writes: true });
  return element;
}

/** Names with their figures, how these have changed, and what else is said of a name. */
function figures(key, rows, nameOf, more = null) {
  if (rows.length === 0) return blank("analytics", t("analytics.none"));
  const most = Math.max(...rows.map((one) => one.now.events));
  return table([key, "analytics.count", "analytics.change", "analytics.users", "analytics.usersChange", "analytics.worth", ...(more ? ["analytics.keyEvent"] : [])], rows.map(({ name, now, before }) => [
    nameOf(name), bar(now.events, most), change(now.events, before.events), number(now.users), change(now.users, before.users), Number(now.value) === 0 ? "–" : number(Number(now.value)), ...(more ? [more(name)] : [])]));
}

function drops(dropped) {
  if (dropped.length === 0) return null;
  return section(t("analytics.dropped"), note(t("analytics.droppedText")), table(["analytics.code", "analytics.count"], dropped.map(({ name, now }) => [textOr(`drop.${name}`, name), number(now.events)])));
}

const detail = (name, answer) => [h("p", h("a", { href: link("analytics", ["events"], period()) }, t("analytics.events")), " / ", h("b", { dir: "auto" }, name)), periodChoice(answer),
  answer.parameters.length === 0 ? h("p", t("analytics.noParameters")) : answer.parameters.map(({ name: parameter, values, numbers }) => h("details.panel", { open: answer.parameters.length < 4 },
    h("summary", h("b.mono", { dir: "auto" }, parameter), " ", h("span.note", t("analytics.values", values.length)), numbers ? h("span.note", ` · ${t("analytics.sum", number(Number(numbers.value)))}`) : null),
    figures("value", values.slice(0, 100), (value) => value)))];
