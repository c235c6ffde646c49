import { chart } from "../base/chart.js";
import { blank, boxed, button, code, foldable, h, instant, link, muted, note, notice, number, poll, select, show, spread, stack, t, textOr } from "../base/ui.js";
import { MINUTES } from "./live.js";
import { mergedDetails, minutesOf, topEvents } from "./model.js";
import { report } from "./store.js";
import { members } from "./timeline.js";


/** What devices in debug mode send, as it comes. */
export function debugView() {
  const state = { device: null, event: null, opened: new Set() };
  const choice = h("div");
  const body = stack();
  const said = note();
  const draw = (devices) => {
    const device = devices.find((one) => one.appInstanceId === state.device) ?? devices[0];
    const names = devices.map((one) => [one.appInstanceId, `${one.device.model || one.device.platform || "?"} · ${one.appInstanceId.slice(0, 8)}`]);
    const choose = (event) => { state.device = event.target.value; draw(devices); };
    show(choice, device ? select(names, device.appInstanceId, { label: t("analytics.device"), onchange: choose }) : null);
    show(body, device ? deviceView(device, state, () => draw(devices)) : blank("analytics", t("analytics.noDevice"), note(t("analytics.debugText"))));
    show(said, device ? t("analytics.debugText") : null);
  };
  // The bars move on with each minute, also where nothing comes.
  const load = async () => ({ ...(await report("debug")), minute: Math.floor(Date.now() / 60_000) });
  const { pause, problem } = poll(1_000, load, ({ devices }) => draw(devices));
  return stack(said, spread(choice, pause), problem, body);
}

function deviceView({ appInstanceId, device, userProperties, entries }, state, redraw) {
  const keyOf = (entry, index) => `${entry.received} ${entry.event ?? ""} ${index}`;
  const events = entries.filter((entry) => entry.event);
  const newest = entries.map((entry, index) => [keyOf(entry, index), entry]).reverse();
  return [
    h("p.note", { dir: "auto" }, [device.platform, device.model, device.osVersion, device.appVersion, device.language, device.country].filter(Boolean).join(" · "), " · ", h("a.mono", { href: link("analytics", ["timeline"], { instance: appInstanceId }) }, appInstanceId)),
    h("section.panel", chart(t("analytics.byMinute"), MINUTES, [{ name: t("analytics.count"), values: minutesOf(events, Date.now()) }], { isColumns: true })),
    h("div.debug",
      stack(panel("analytics.topEvents", topList(events, state, redraw)), state.event ? panel(["analytics.detailsOf", state.event], details(events, state.event)) : null),
      panel("analytics.stream", h("ol.stream", newest.map(([key, entry]) => h("li", entryView(key, entry, state.opened))))),
      panel("analytics.properties", Object.keys(userProperties).length > 0 ? members(userProperties) : muted(t("analytics.noProperties")))),
  ];
}

const panel = (key, ...content) => boxed(h("h2", { dir: "auto" }, Array.isArray(key) ? t(...key) : t(key)), content);

/** The events by how often they came; one of them is chosen, and its details are shown together. */
function topList(events, state, redraw) {
  const top = topEvents(events);
  const choose = (name) => () => { state.event = state.event === name ? null : name; redraw(); };
  return top.length === 0 ? muted("–") : h("ul.stack.tight", top.map(([name, count]) => h("li.spread", button(name, choose(name), { class: "quiet start", dir: "auto", "aria-pressed": state.event === name }), h("span", number(count)))));
}

/** What all events of a name carried, in one list. */
function details(events, name) {
  const merged = mergedDetails(events, name);
  return merged.length === 0 ? muted(t("analytics.noParameters")) : h("dl.facts.merged", merged.map(([parameter, values]) => [h("dt", code(parameter)), h("dd", h("ul", values.map(([value, count]) => h("li", code(value), " ", h("span.muted", `× ${number(count)}`)))))]));
}

function entryView(key, { time, event, params, dropped }, opened) {
  if (dropped) return notice("warn", `${instant(time)} ${t("analytics.wasDropped")} `, textOr(`drop.${dropped.code}`, dropped.code), " ", h("code", dropped.field ?? ""), h("span.note", ` ${dropped.description}`));
  return foldable(opened, key, [h("span.muted", instant(time)), " ", h("b", { dir: "auto" }, event)], members(params));
}
