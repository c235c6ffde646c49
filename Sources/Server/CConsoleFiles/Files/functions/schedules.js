import { ago, copyable, teaching } from "../base/teaching.js";
import { button, complain, go, h, instant, link, place, polled, show, stack, t, table, toast } from "../base/ui.js";
import { run, schedulesOf } from "./store.js";

/** Functions that a clock calls. */


const SAMPLE = [
  "from firebase_functions import scheduler_fn", "",
  '@scheduler_fn.on_schedule(schedule="every day 06:30", timezone="America/Sao_Paulo")',
  "def sweep(event):", '    print("Good morning")',
].join("\n");

export function schedulesView() {
  const body = stack();
  return polled("schedules.text", 5_000, async () => [await schedulesOf(), Math.floor(Date.now() / 60_000)], ([schedules]) => show(body, schedules.length === 0 ? none() : list(schedules)), body);
}

const none = () => teaching("history", t("schedules.none"), t("schedules.noneText"), copyable(SAMPLE, "main.py"), copyable(`brasa functions deploy functions --project ${place.peek().project}`));

const list = (schedules) => table(["name", "schedules.when", "schedules.next", null], schedules.map((one) => [
  h("a", { href: link("functions", ["list", one.name]) }, one.name), h("div.cell-name", h("code", one.schedule), h("span.note", one.timeZone)),
  one.next.length === 0 ? t("schedules.never") : h("ul", one.next.map((time, index) => h("li", { class: index === 0 ? "" : "muted" }, index === 0 ? [ago(time), " · "] : null, instant(time)))),
  button(t("schedules.run"), () => start(one), { writes: true, label: t("schedules.runOf", one.name) }),
]));

const start = (one) => run(one).then(() => toast(t("schedules.started", one.name), { label: t("schedules.log"), run: () => go({ project: place.peek().project, area: "functions", rest: ["list", one.name] }) }), complain);
