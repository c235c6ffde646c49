import { chart } from "../base/chart.js";
import { copyable, durationText, figures, teaching } from "../base/teaching.js";
import { boxed, clock, facts, h, inline, link, note, notice, number, place, polled, section, show, spread, stack, stateBadge, svg, t, table } from "../base/ui.js";
import { logsView } from "./logs.js";
import { columnsOf, eventKeyOf, minutesBefore, placesOf, sum, summaryOf } from "./model.js";
import { eventsOf, functionsOf, isServed } from "./store.js";

/** The functions of the project with their last hour, and one of them. */

const [WIDTH, HEIGHT] = [96, 20];

export function listView(name) {
  if (!isServed()) return off();
  const body = stack();
  const load = async () => {
    const [found, [letter]] = await Promise.all([functionsOf(), name ? [] : eventsOf(true, "", 1)]);
    return { ...found, hasLetters: letter !== undefined, minute: Math.floor(Date.now() / 60_000) };
  };
  const draw = name ? oneOf(name, body) : (found) => show(body, found.functions.length === 0 ? none() : overview(found));
  return polled("functions.text", 5_000, load, draw, body);
}

/** What is shown where the server runs no functions. */
export const off = () => teaching("functions", t("functions.off"), t("functions.offText"), copyable("brasa serve --functions"), note(t("functions.offDevelopment")), copyable("brasa serve --dev --functions functions"));

/** What is shown where the project has none. */
export const none = () => teaching("functions", t("functions.none"), t("functions.noneText"), copyable(`brasa functions deploy functions --project ${place.peek().project}`));

function overview({ functions, hasLetters }) {
  const { calls, errors, p99, instances } = summaryOf(functions);
  return [
    hasLetters ? notice("warn", t("events.undelivered"), " ", h("a", { href: link("functions", ["events"]) }, t("events.look"))) : null,
    figures([t("functions.calls"), number(calls)], [t("functions.errors"), number(errors), errors > 0 ? "danger" : ""], [t("functions.slowest"), durationText(p99)], [t("functions.instances"), number(instances)]),
    table(["name", "functions.trigger", "functions.calls", "functions.errors", "p50", "p99", "functions.instances"], functions.map(row)),
  ];
}

function row(one) {
  const errors = sum(one.hour.errors);
  return [
    h("div.cell-name", h("a", { href: link("functions", ["list", one.name]) }, one.name), one.codebase === "default" ? null : note(one.codebase)),
    triggerView(one.trigger), spark(one.hour), h("span", { class: errors > 0 ? "figure error" : "figure" }, number(errors)),
    h("span.figure", durationText(one.hour.p50)), h("span.figure", durationText(one.hour.p99)), h("span.figure", number(one.instances)),
  ];
}

/** What calls a function, and where that happens. */
function triggerView(trigger) {
  const places = placesOf(trigger);
  return h("div.cell-name", triggerText(trigger), places.length > 0 || trigger.kind === "schedule" ? h("code.muted", { dir: "auto" }, trigger.kind === "schedule" ? trigger.detail : places.join(" · ")) : null);
}

function triggerText({ kind, detail }) {
  if (kind !== "event" && kind !== "blocking") return t(`functionKind.${kind}`);
  const key = eventKeyOf(detail);
  return key ? t(key) : detail;
}

/** The calls of the last hour, as many small columns and as their number. */
function spark({ calls, errors }) {
  const most = Math.max(1, ...calls);
  const columns = (values, name) => columnsOf(values, WIDTH, HEIGHT, most).map(([x, y, width, height]) => svg("rect", { class: name, x, y, width, height }));
  return h("span.hour", h("span.hour-number", number(sum(calls))),
    svg("svg", { width: WIDTH, height: HEIGHT + 1, "aria-hidden": true }, svg("rect.hour-ground", { x: 0, y: HEIGHT, width: WIDTH, height: 1 }), columns(calls, "hour-column"), columns(errors, "hour-error")));
}

/** One function: its figures follow, its log stays as it is. */
function oneOf(name, body) {
  const top = stack();
  show(body, h("p", h("a", { href: link("functions", ["list"]) }, t("functions.all"))), top, section(t("functions.logs"), logsView(name)));
  return ({ functions }) => {
    const one = functions.find((other) => other.name === name);
    show(top, one ? details(one) : teaching("functions", name, t("functions.gone")));
  };
}

function details(one) {
  const { hour } = one;
  const time = clock();
  const labels = minutesBefore(Date.now(), hour.calls.length, (instant) => time.format(instant));
  const errors = sum(hour.errors);
  return [
    spread(h("h2", one.name), stateOf(one)),
    figures([t("functions.calls"), number(sum(hour.calls))], [t("functions.errors"), number(errors), errors > 0 ? "danger" : ""], ["p50", durationText(hour.p50)], ["p99", durationText(hour.p99)], [t("functions.instances"), number(one.instances)]),
    h("section.panel", chart(t("functions.byMinute"), labels, [{ name: t("functions.calls"), values: hour.calls }, { name: t("functions.errors"), values: hour.errors }])),
    boxed(facts(...factsOf(one)), ["http", "callable"].includes(one.trigger.kind) ? copyable(addressOf(one)) : null),
  ];
}

const stateOf = (one) => inline(one.waiting > 0 ? stateBadge("warn", t("functions.waiting", one.waiting)) : null, one.calls > 0 ? stateBadge("ok", t("functions.running", one.calls)) : null);

const addressOf = (one) => `${location.origin}${["", place.peek().project, one.regions[0], one.name].map(encodeURIComponent).join("/")}`;

const factsOf = (one) => [
  ["functions.trigger", triggerView(one.trigger)], ["functions.codebase", one.codebase], ["functions.region", one.regions.join(", ")], ["functions.memory", `${number(one.memoryMegabytes)} MB`],
  ["functions.timeout", durationText(one.timeoutSeconds * 1_000)], ["functions.bounds", t("functions.boundsText", one.minInstances, one.maxInstances, one.concurrency)],
  ...(one.secrets.length > 0 ? [["functions.secrets", one.secrets.join(", ")]] : []), ...(one.trigger.kind === "event" ? [["functions.retry", t(one.trigger.retry ? "functions.retries" : "functions.once")]] : []),
];
