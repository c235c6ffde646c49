import { chart, dayText } from "../base/chart.js";
import { call, consolePath, h, inline, link, loading, note, number, quiet, show, stack, t, withQuery } from "../base/ui.js";
import { daysUpTo } from "./recent.js";

/** What the rules decided, by day. */

const LENGTHS = [7, 30, 90];
const OUTCOMES = ["allowed", "denied", "errors"];

/** The decisions of the rules of a database or bucket as a chart, of as many days as somebody chooses. */
export const monitor = (project, target) => h("section.panel.stack", { label: t("monitor") }, loading(call("GET", withQuery(consolePath(project, "decisions"), target)), ({ days }) => {
  const holder = stack();
  const draw = (count) => {
    const shown = daysUpTo(Date.now(), count, days);
    const sum = (name) => shown.reduce((all, one) => all + one[name], 0);
    show(holder, inline(LENGTHS.map((one) => quiet(t("monitor.days", one), () => draw(one), { "aria-pressed": one === count }))),
      h("dl.cards", OUTCOMES.map((name) => h("div.card", h("dt", t(`monitor.${name}`)), h("dd", number(sum(name)))))),
      chart(t("monitor"), shown.map((one) => dayText(one.time)), OUTCOMES.map((name) => ({ name: t(`monitor.${name}`), values: shown.map((one) => one[name]) }))),
      note(t("monitor.text"), " ", h("a", { href: link("requests", ["denials"]) }, t("monitor.single"))));
  };
  draw(LENGTHS[1]);
  return holder;
}));
