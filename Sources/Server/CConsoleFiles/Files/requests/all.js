import { field, h, icon, inline, instant, link, muted, note, place, poll, select, show, stack, t, table } from "../base/ui.js";
import { matches, playgroundOf } from "./group.js";
import { Recent } from "./recent.js";
import { requestsOf } from "./store.js";

/** All that the rules were asked, denied and allowed, as it happens. */

const PERIOD_MILLISECONDS = 2_000;
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
  const choice = (values) => select([["", t("requests.any")], ...values.map((one) => [one, t(`requests.${one}`)])], "", { onchange: draw });
  const controls = { service: choice(SERVICES), method: select([["", t("requests.any")], ...METHODS.map((one) => [one, one])], "", { onchange: draw }), outcome: choice(OUTCOMES) };
  const read = () => Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, control.value]));
  const { pause, problem } = poll(PERIOD_MILLISECONDS, () => recent.load(), draw);
  return stack(note(t("requests.allText")), inline(Object.entries(controls).map(([name, control]) => field(`requests.${name}`, control)), pause), problem, body);
}

function row(one) {
  const again = playgroundOf(one);
  const [color, sign, outcome] = one.isAllowed ? ["ok", "check", "allowed"] : ["danger", "close", "denied"];
  return [instant(one.time), h("span.badge", { style: { color: `var(--${color})` } }, icon(sign), t(`requests.${outcome}`)), one.method,
    h("code", { dir: "auto" }, one.path), h("code", { dir: "auto" }, one.uid ?? ""), one.bucket ?? one.database?.split("/").pop() ?? "",
    again ? h("a", { href: link("rules", again.rest, again.query) }, t("requests.again")) : null];
}
