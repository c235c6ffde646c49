import { chart } from "../base/chart.js";
import { h, icon, instant, link, note, poll, select, show, spread, stack, t, textOr } from "../base/ui.js";
import { MINUTES } from "./live.js";
import { minutesOf } from "./model.js";
import { report } from "./store.js";
import { facts } from "./timeline.js";

const PERIOD_MILLISECONDS = 1_000;

/** What devices in debug mode send, as it comes. */
export function debugView() {
  const state = { device: null, opened: new Set() };
  const choice = h("div", {});
  const body = stack();
  const draw = (devices) => {
    const device = devices.find((one) => one.appInstanceId === state.device) ?? devices[0];
    const names = devices.map((one) => [one.appInstanceId, `${one.device.model || one.device.platform || "?"} · ${one.appInstanceId.slice(0, 8)}`]);
    const choose = (event) => { state.device = event.target.value; draw(devices); };
    show(choice, device ? select(names, device.appInstanceId, { "aria-label": t("analytics.device"), onchange: choose }) : null);
    show(body, device ? deviceView(device, state.opened) : h("p", {}, t("analytics.noDevice")));
  };
  // The bars move on with each minute, also where nothing comes.
  const load = async () => ({ ...(await report("debug")), minute: Math.floor(Date.now() / 60_000) });
  const { pause, problem } = poll(PERIOD_MILLISECONDS, load, ({ devices }) => draw(devices));
  return stack(note(t("analytics.debugText")), spread(choice, pause), problem, body);
}

function deviceView({ appInstanceId, device, userProperties, entries }, opened) {
  const keyOf = (entry, index) => `${entry.received} ${entry.event ?? ""} ${index}`;
  const events = entries.filter((entry) => entry.event);
  const newest = entries.map((entry, index) => [keyOf(entry, index), entry]).reverse();
  return [
    h("p", { class: "note", dir: "auto" }, [device.platform, device.model, device.osVersion, device.appVersion, device.language, device.country].filter(Boolean).join(" · "), " · ", h("a", { class: "mono", href: link("analytics", ["timeline"], { instance: appInstanceId }) }, appInstanceId)),
    h("section", { class: "panel" }, chart(t("analytics.byMinute"), MINUTES, [{ name: t("analytics.count"), values: minutesOf(events, Date.now()) }], { isColumns: true })),
    h("h2", {}, t("analytics.properties")), Object.keys(userProperties).length > 0 ? facts(userProperties) : h("p", {}, "–"),
    h("h2", {}, t("analytics.events")), h("ol", { class: "stack tight" }, newest.map(([key, entry]) => h("li", {}, entryView(key, entry, opened)))),
  ];
}

function entryView(key, { time, event, params, dropped }, opened) {
  if (dropped) return h("p", { class: "notice warn" }, icon("warning"), h("span", { class: "grow", dir: "auto" }, `${instant(time)} ${t("analytics.wasDropped")} `, textOr(`drop.${dropped.code}`, dropped.code), " ", h("code", {}, dropped.field ?? ""), h("span", { class: "note" }, ` ${dropped.description}`)));
  const element = h("details", { open: opened.has(key), ontoggle: () => (element.open ? opened.add(key) : opened.delete(key)) },
    h("summary", {}, h("span", { class: "muted" }, instant(time)), " ", h("b", { dir: "auto" }, event)), facts(params));
  return element;
}
