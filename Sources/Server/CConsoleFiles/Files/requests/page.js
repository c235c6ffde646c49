import { blank, code, facts, foldable, h, inScope, instant, link, loading, note, number, place, polled, session, show, stack, t, tabs } from "../base/ui.js";
import { allView } from "./all.js";
import { groupsOf, playgroundOf } from "./group.js";
import { RecentOutcome } from "./recent.js";
import { requestsOf } from "./store.js";

/** What the rules were asked, as it happens: denials grouped, with what the conditions saw; and everything. */


/** The log of all requests is the server's, for those who may change something on all of it. */
const mayReadLog = () => ["editor", "owner"].includes(session.peek().role);

export const page = () => tabs("requests", {
  "requests.denials": denialsView, "requests.all": allView,
  ...(mayReadLog() ? { "requests.log": (id) => loading(import("./log.js"), inScope(({ logView }) => logView(id))) } : {}),
});

function denialsView() {
  const recent = new RecentOutcome(requestsOf(place.peek().project, "denials"));
  const opened = new Set();
  const body = stack();
  const draw = () => show(body, recent.requests.length === 0 ? blank("requests", t("requests.none")) : groupsOf(recent.requests).map((group) => groupView(group, opened)));
  return polled("requests.text", 2_000, () => recent.load(), draw, body);
}

function groupView(group, opened) {
  const { last } = group;
  const again = playgroundOf(last);
  return h("section.panel", foldable(opened, group.key, [h("span.badge", number(group.count)), " ", code(`${group.method} ${group.shape}`), " ",
    h("span.muted", t("requests.people", group.people.size)), h("div.mono.why", group.statement)],
    stack(
      note(`${t("requests.last")} ${instant(last.time)} · ${t("requests.request")} ${last.request ?? ""}`),
      facts(...[["path", last.path], ["users.uid", last.uid], ["rules.target", group.scope], ["requests.ruleset", last.ruleset]].map(([key, value]) => [key, value && code(value)])),
      h("pre", last.why ?? ""),
      last.seen.length > 0 ? [h("h3", t("requests.seen")), h("pre", last.seen.join("\n"))] : null,
      again ? h("p", h("a.button", { href: link("rules", again.rest, again.query) }, t("requests.again"))) : null)));
}
