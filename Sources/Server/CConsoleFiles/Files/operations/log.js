import { call, h, inline, note, poll, searchLine, select, show, stack, t } from "../base/ui.js";
import { levelOf } from "./model.js";

const MOST = 1_000;
const LEVELS = ["TRACE", "DEBUG", "INFO", "NOTE", "WARN", "ERROR", "CRIT"];

/** The server's log as it is written, with what somebody looks for. */
export function logView() {
  const state = { lines: [] };
  const body = h("div.log", { tabindex: 0, role: "log", "aria-live": "off", label: t("operations.log") });
  const search = searchLine("operations.search", () => draw());
  const level = select(LEVELS, "TRACE", { label: t("operations.level"), onchange: () => draw() });
  const load = async () => {
    const last = state.lines.at(-1)?.number ?? 0;
    const { lines } = await call("GET", `/console/api/log?after=${last}`);
    state.lines = [...state.lines, ...lines].slice(-MOST);
    return state.lines.at(-1)?.number ?? 0;
  };
  const draw = () => {
    const isAtEnd = body.scrollTop + body.clientHeight >= body.scrollHeight - 4;
    const least = LEVELS.indexOf(level.value);
    const words = search.value.toLowerCase();
    const shown = state.lines.filter(({ text }) => LEVELS.indexOf(levelOf(text)) >= least && text.toLowerCase().includes(words));
    show(body, shown.length === 0 ? t("operations.noLine") : shown.map(({ text }) => h("div", { class: `level-${levelOf(text)}`, dir: "auto" }, text)));
    if (isAtEnd) body.scrollTop = body.scrollHeight;
  };
  const { pause, problem } = poll(2_000, load, draw);
  return stack(inline(h("div.grow", search), level, pause), note(t("operations.logText")), problem, body);
}
