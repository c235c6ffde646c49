import { clock, h, inScope, link, muted, named, onCleanup, poll, searchLine, select, show, stack, t } from "../base/ui.js";
import { off } from "./list.js";
import { headOf, joined, levelOf, toneOf } from "./model.js";
import { functionsOf, isServed, linesOf } from "./store.js";

/** What functions wrote, as they write it. */

const MOST = 1_000;
const TYPING_MILLISECONDS = 300;
const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR"];

/** The lines of a function, or of all with a choice among them. */
export function logsView(only = "") {
  if (!isServed()) return off();
  const state = { asked: null, lines: [], isCut: false };
  const body = h("div.lines", { tabindex: 0, role: "log", "aria-live": "off", label: t("functions.logs") });
  let wanted = { function: only, text: "" };
  const load = async () => {
    const mine = wanted;
    const last = state.asked === mine ? state.lines.at(-1)?.number ?? 0 : 0;
    const found = await linesOf({ ...mine, after: last });
    if (mine !== wanted) return state.lines.at(-1)?.number;
    // A server that started anew counts from one again.
    const isSame = state.asked === mine && found.last >= last;
    if (!isSame && last > 0 && state.asked === mine) state.asked = null;
    else Object.assign(state, { asked: mine, lines: joined(isSame ? state.lines : [], found.lines, MOST), isCut: isSame ? state.isCut : found.isCut });
    return [state.lines.at(-1)?.number, state.asked === null];
  };
  const draw = () => {
    const isAtEnd = body.scrollTop + body.clientHeight >= body.scrollHeight - 8;
    const shown = state.lines.filter(({ severity }) => levelOf(severity) >= levelOf(level.value));
    show(body, shown.length === 0 ? muted(t(wanted.text || level.value !== LEVELS[0] ? "functions.noMatch" : "functions.noLine")) : shown.map((line) => lineView(line, only)));
    if (isAtEnd) body.scrollTop = body.scrollHeight;
  };
  const { pause, problem } = poll(2_000, load, draw);
  const ask = inScope((change) => {
    wanted = { ...wanted, ...change };
    load().then(inScope(draw), () => {});
  });
  let timer = null;
  onCleanup(() => clearTimeout(timer));
  const type = ({ target }) => {
    clearTimeout(timer);
    timer = setTimeout(() => ask({ text: target.value.trim() }), TYPING_MILLISECONDS);
  };
  const search = searchLine("functions.search", type);
  const level = select(named("level", LEVELS), LEVELS[0], { label: t("functions.level"), onchange: draw });
  return stack(h("div.tools", h("div.grow", search), only ? null : functionChoice(ask), level, pause), problem, body);
}

function functionChoice(ask) {
  const choice = select([["", t("functions.every")]], "", { label: t("functions.one"), onchange: ({ target }) => ask({ function: target.value }) });
  functionsOf().then(({ functions }) => choice.append(...functions.map(({ name }) => h("option", { value: name }, name))), () => {});
  return choice;
}

function lineView({ time, severity, function: name, message, execution }, only) {
  const exact = clock({ second: "2-digit", fractionalSecondDigits: 3 });
  return h("div", { class: `level-${toneOf(severity)}` }, h("time.muted", { datetime: new Date(time).toISOString(), title: new Date(time).toISOString() }, exact.format(time)), h("span.level", severity),
    only ? h("span.muted.function", { title: execution ?? "" }, execution ?? "") : h("a.function", { href: link("functions", ["list", name]), title: name }, name), messageView(message));
}

/** A message in one line; one of several opens. */
function messageView(message) {
  if (!message.trim().includes("\n")) return h("span.message", { dir: "auto" }, message);
  return h("details.message", h("summary", { dir: "auto" }, headOf(message)), h("pre", { dir: "auto" }, message));
}
