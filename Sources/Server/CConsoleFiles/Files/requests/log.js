import { copyable, durationText } from "../base/teaching.js";
import { blank, button, call, code, effect, facts, field, go, h, iconButton, inline, input, inScope, instant, link, named, note, number, place, poll, select, show, signal, stack, stateBadge, t, table, withQuery } from "../base/ui.js";
import { playgroundOf } from "./group.js";
import { FIELDS, fits, hasWord, isOf, NAMES, productOf } from "./logModel.js";
import { RecentOutcome } from "./recent.js";
import { requestsOf } from "./store.js";

/** Every request that the server answered, as it happens, with what somebody looks for; and one beside them. */

const [MOST, SHOWN, PAGE] = [5_000, 200, 1_000];
const STATUSES = ["errors", "2xx", "3xx", "4xx", "5xx"];

const ask = async (query) => (await call("GET", withQuery("/console/api/requests", query))).requests;

// What was read stays while the tab is open, so that a request that is opened or closed reads nothing again.
const recent = new RecentOutcome((after) => ask({ after, limit: PAGE }), MOST);

/** The address of a request of the log. */
const addressOf = (id) => link("requests", ["log", id].filter(Boolean), place.peek().query);

export function logView(id = "") {
  const { q = "", product = "", status = "" } = place.peek().query;
  const [list, side, wrong] = [stack(), h("div"), h("p.error", { role: "status", id: "log-problem" })];
  const filter = signal(() => true);
  const search = input(q, { type: "search", label: t("log.search"), placeholder: 'status >= 400 and path contains "users"', "aria-describedby": "log-problem", oninput: () => read() });
  const choices = {
    product: select([["", t("requests.any")], ...named("logProduct", NAMES)], product, { onchange: () => apply() }),
    status: select([["", t("requests.any")], ...named("logStatus", STATUSES)], status, { onchange: () => apply() }),
  };
  const apply = () => go({ ...place.peek(), query: { q: search.value.trim(), product: choices.product.value, status: choices.status.value } }, { replace: true });
  /** Takes what is typed as a filter where it is one, and as a word otherwise. */
  const read = async () => {
    const text = search.value.trim();
    let [found, problem] = [null, null];
    if (/[=<>]|\b(in|contains|is)\b/.test(text)) {
      const { parse, FilterError } = await import("../data/filter.js");
      try {
        const { where } = parse(text, "projects/-/databases/-/documents", ["requests"]);
        problem = namesIn(where).find((name) => !FIELDS.includes(name));
        problem = problem && t("log.noField", problem, FIELDS.join(", "));
        found = (one) => fits(where, one);
      } catch (error) {
        if (!(error instanceof FilterError)) throw error;
        problem = t("log.notRead", error.offset + 1);
      }
    }
    if (text !== search.value.trim()) return;
    show(wrong, problem);
    search.setAttribute("aria-invalid", String(Boolean(problem)));
    if (!problem) filter.value = found ?? ((one) => hasWord(text.toLowerCase(), one));
  };
  const draw = () => {
    const found = recent.requests.filter((one) => {
      const of = productOf(one.path);
      return (choices.product.value ? of === choices.product.value : of !== "console") && isOf(choices.status.value, one.status) && filter.value(one);
    }).reverse();
    show(list, note(t("log.count", found.length, recent.requests.length)),
      found.length === 0 ? blank("requests", t(recent.requests.length > 0 ? "log.noMatch" : "requests.noneLive")) : table(["requests.time", "log.status", "requests.method", "path", "log.product", "log.caller", "log.duration"], found.slice(0, SHOWN).map((one) => row(one, one.request === id))),
      recent.requests[0]?.number > 1 && recent.requests.length < MOST ? button(t("log.older"), older) : null);
  };
  const older = inScope(async () => { recent.putBefore(await ask({ before: recent.requests[0].number, limit: PAGE })); draw(); });
  const { pause, problem } = poll(2_000, () => recent.load(), draw);
  effect(() => { filter.value; draw(); });
  read();
  if (id) open(side, id);
  return stack(note(t("log.text")), h("form.row", { role: "search", onsubmit: apply }, h("div.grow", search)), wrong,
    inline(field("log.product", choices.product), field("log.status", choices.status), pause), problem, h("div", { class: id ? "log-columns" : null }, list, side));
}

function namesIn(filter) {
  if (!filter) return [];
  if (filter.compositeFilter) return filter.compositeFilter.filters.flatMap(namesIn);
  const name = (filter.fieldFilter ?? filter.unaryFilter).field.fieldPath;
  return [name === "__name__" ? "id" : name];
}

const badge = (status) => stateBadge(status >= 500 ? "danger" : status >= 400 ? "warn" : "ok", status);

const row = (one, isOpen) => [h("a", { href: addressOf(one.request), "aria-current": isOpen ? "true" : null }, instant(one.time)), badge(one.status), one.method, code(one.path, one.weight > 1 ? h("span.badge", { title: t("log.weight", one.weight) }, `× ${number(one.weight)}`) : null),
  t(`logProduct.${productOf(one.path)}`), h("code.whole", { dir: "auto" }, one.caller ?? ""), one.microseconds === undefined ? "" : durationText(one.microseconds / 1_000)];

/** One request with what else is known of it: the denial of the rules, and the lines of the server's log. */
function open(side, id) {
  const draw = inScope((one) => show(side, h("aside.panel.stack", { label: t("log.request") },
    h("div.spread", h("h2", t("log.request")), iconButton("close", t("close"), () => go({ ...place.peek(), rest: ["log"] }))),
    one ? [factsOf(one), stack(why(one)), lines(one)] : note(t("log.gone")))));
  const find = async () => {
    if (recent.requests.length === 0) await recent.load();
    for (;;) {
      const found = recent.requests.find((one) => one.request === id);
      const first = recent.requests[0];
      if (found || !first || first.number <= 1 || recent.requests.length >= MOST) return found;
      const more = await ask({ before: first.number, limit: PAGE });
      if (more.length === 0) return undefined;
      recent.putBefore(more);
    }
  };
  find().then(draw, () => draw(undefined));
}

const factsOf = (one) => facts(
  ["requests.time", instant(one.time)], ["log.status", badge(one.status)], ["requests.method", one.method], ["path", code(one.path)], ["log.product", t(`logProduct.${productOf(one.path)}`)],
  ["log.caller", one.caller && one.caller !== "administrator" ? h("a", { href: link("users", [one.caller]), dir: "auto" }, one.caller) : one.caller], ["log.address", one.address],
  ["log.duration", one.microseconds === undefined ? null : durationText(one.microseconds / 1_000)], ["log.id", copyable(one.request)], ["log.stands", one.weight > 1 ? t("log.weight", one.weight) : null]);

function why(one) {
  const holder = stack();
  if (one.status < 400) return holder;
  requestsOf(place.peek().project, "denials")(0).then(inScope((denials) => {
    const denial = denials.find((other) => other.request === one.request);
    const again = denial && playgroundOf(denial);
    if (denial) show(holder, h("h3", t("log.denied")), h("pre", denial.why ?? ""), again ? h("a.button", { href: link("rules", again.rest, again.query) }, t("requests.again")) : null);
  })).catch(() => {});
  return holder;
}

function lines(one) {
  const holder = stack();
  call("GET", "/console/api/log?after=0").then(inScope(({ lines: all }) => {
    const found = all.filter(({ text }) => text.includes(one.request));
    if (found.length > 0) show(holder, h("h3", t("log.lines")), h("pre", found.map(({ text }) => text).join("\n")));
  })).catch(() => {});
  return holder;
}
