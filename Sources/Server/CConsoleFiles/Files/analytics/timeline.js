import { code, go, h, input, instant, link, loading, note, place, select, stack, t } from "../base/ui.js";
import { periodChoice } from "./period.js";
import { period, report } from "./store.js";

/** What one installation or user did, the newest first. */
export function timelineView() {
  const { query, project } = place.peek();
  const kind = select([["user", t("analytics.userId")], ["instance", t("analytics.instance")]], query.instance ? "instance" : "user", { label: t("analytics.who") });
  const value = input(query.instance ?? query.user ?? "", { type: "search", label: t("analytics.who"), class: "mono" });
  const search = () => go({ project, area: "analytics", rest: ["timeline"], query: { ...period(), [kind.value]: value.value.trim() } });
  const { user, instance } = query;
  return stack(h("form.row", { role: "search", onsubmit: search }, kind, h("div.grow", value), h("button", { type: "submit" }, t("users.find"))),
    user || instance ? loading(report("timeline", { ...period(), user, instance, limit: 500 }), (answer) => [periodChoice(answer), list(answer.events)]) : note(t("analytics.timelineText")));
}

const list = (events) => (events.length === 0 ? h("p", t("analytics.none")) : h("ol.stack.tight", events.map((event) => h("li", entry(event)))));

const entry = ({ time, event, params, device, userId, appInstanceId, userProperties }) => h("details", h("summary", h("span.muted", instant(time)), " ", h("b", { dir: "auto" }, event)),
  members(params), h("p.note", { dir: "auto" }, [userId, device.platform, device.model, device.appVersion, device.country].filter(Boolean).join(" · ")),
  appInstanceId ? h("a.mono", { href: link("analytics", ["timeline"], { instance: appInstanceId }) }, appInstanceId) : null, members(userProperties));

/** Names with values of whatever kind. */
export const members = (values) => h("dl.facts", Object.entries(values ?? {}).map(([name, value]) => [h("dt", code(name)), h("dd", code(typeof value === "object" ? JSON.stringify(value) : value))]));
