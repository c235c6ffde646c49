import { code, field, h, inline, instant, link, muted, named, note, place, poll, select, show, stack, stateBadge, t, table, valuesOf } from "../base/ui.js";
import { matches, playgroundOf } from "./group.js";
import { Recent } from "./recent.js";
import { requestsOf } from "./store.js";

/** All that the rules were asked, denied and allowed, as it happens. */

/** The rows that are shown; what is older is there to be filtered. */
const SHOWN = 200;

const METHODS = ["get", "list", "create", "update", "delete"];
const SERVICES = ["firestore", "storage"];
const OUTCOMES = ["allowed", "denied"];

export function allView() {
  const recent = new Recent(...["denials", "allowed"].map((name) => requestsOf(place.peek().project, name)));
  const body = stack();
  const draw = () => {
    const found = recent.requests.filter((one) => matches(one, read())).slice(0, SHOWN);
    show(body, found.length === 0 ? muted(t("requests.noneLive")) : table(["requests.time", "requests.outcome", "requests.method", "path", "users.uid", "requests.service", null], found.map(row)));
  };
  const choice = (options) => select([["", t("requests.any")], ...options], "", { onchange: draw });
  const controls = { service: choice(named("requests", SERVICES)), method: choice(METHODS), outcome: choice(named("requests", OUTCOMES)) };
  const read = () => valuesOf(controls);
  const { pause, problem } = poll(2_000, () => recent.load(), draw);
  return stack(note(t("requests.allText")), inline(Object.entries(controls).map(([name, control]) => field(`requests.${name}`, control)), pause), problem, body);
}

function row(one) {
  const again = playgroundOf(one);
  return [instant(one.time), one.isAllowed ? stateBadge("ok", t("requests.allowed")) : stateBadge("danger", t("requests.denied"), "close"), one.method,
    code(one.path), code(one.uid ?? ""), one.bucket ?? one.database?.split("/").pop() ?? "",
    again ? h("a", { href: link("rules", again.rest, again.query) }, t("requests.again")) : null];
}
