import { call, h, instant, link, note, number, path, place, poll, show, spread, stack, t } from "../base/ui.js";
import { groupsOf, playgroundOf } from "./group.js";

/** What the rules denied, as it happens: grouped, with what the conditions saw. */

const PERIOD_MILLISECONDS = 2_000;
/** The denials that a tab keeps; the server keeps no more. */
const MOST = 500;

export function page() {
  const { project } = place.peek();
  const state = { denials: [], opened: new Set() };
  const body = stack();
  const load = async () => {
    const last = state.denials.at(-1)?.number ?? 0;
    const { denials } = await call("GET", `${path("console", "api", "projects", project, "denials")}?after=${last}`);
    state.denials = [...state.denials, ...denials].slice(-MOST);
    return state.denials.at(-1)?.number ?? 0;
  };
  const draw = () => show(body, state.denials.length === 0 ? h("p", {}, t("requests.none")) : groupsOf(state.denials).map((group) => groupView(group, state)));
  const { pause, problem } = poll(PERIOD_MILLISECONDS, load, draw);
  return h("div", { class: "body" }, spread(h("h1", {}, t("page.requests")), pause), note(t("requests.text")), problem, body);
}

function groupView(group, state) {
  const { last } = group;
  const again = playgroundOf(last);
  const element = h("details", { class: "panel", open: state.opened.has(group.key), ontoggle: () => (element.open ? state.opened.add(group.key) : state.opened.delete(group.key)) },
    h("summary", {}, h("span", { class: "badge" }, number(group.count)), " ", h("code", { dir: "auto" }, `${group.method} ${group.shape}`), " ",
      h("span", { class: "muted" }, t("requests.people", group.people.size)), h("div", { class: "mono why" }, group.statement)),
    stack(
      note(`${t("requests.last")} ${instant(last.time)} · ${t("requests.request")} ${last.request ?? ""}`),
      h("dl", { class: "facts" }, [["path", last.path], ["users.uid", last.uid], ["rules.target", group.scope], ["requests.ruleset", last.ruleset]].map(([key, value]) =>
        value ? [h("dt", {}, t(key)), h("dd", { class: "mono", dir: "auto" }, value)] : null)),
      h("pre", {}, last.why ?? ""),
      last.seen.length > 0 ? [h("h3", {}, t("requests.seen")), h("pre", {}, last.seen.join("\n"))] : null,
      again ? h("p", {}, h("a", { class: "button", href: link("rules", again.rest, again.query) }, t("requests.again"))) : null));
  return element;
}
