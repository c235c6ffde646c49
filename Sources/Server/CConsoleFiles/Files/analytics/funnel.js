import { bar } from "../base/chart.js";
import { button, failure, field, h, icon, iconButton, inline, input, inScope, loading, note, number, select, show, submit, t, table } from "../base/ui.js";
import { stepsOf } from "./model.js";
import { periodChoice } from "./period.js";
import { funnel, period, report } from "./store.js";

const WINDOWS = { "analytics.hour": 3_600, "analytics.oneDay": 86_400, "analytics.week": 604_800, "analytics.month": 2_419_200 };

/** How many users take one step after the other. */
export const funnelView = () => loading(report("events", period()), (answer) => [periodChoice(answer), builder(answer.events.map((one) => one.name))]);

function builder(names) {
  const list = h("datalist", { id: "events-of-funnel" }, names.map((name) => h("option", { value: name })));
  const steps = h("ol.stack");
  const result = h("div");
  const window_ = select(Object.entries(WINDOWS).map(([key, seconds]) => [String(seconds), t(key)]), "604800");
  const add = (name = "") => {
    const step = h("li.row", h("div.grow", input(name, { list: list.id, label: t("analytics.step") })), iconButton("trash", t("analytics.removeStep"), () => steps.children.length > 2 && step.remove()));
    steps.append(step);
  };
  add(names[0]);
  add(names[1]);
  const run = inScope(async () => {
    try {
      const chosen = [...steps.querySelectorAll("input")].map((one) => one.value.trim());
      show(result, draw((await funnel(chosen, Number(window_.value))).steps));
    } catch (error) {
      show(result, failure(error));
    }
  });
  return h("form.stack", { onsubmit: run }, note(t("analytics.funnelText")), list, steps,
    inline(button([icon("plus"), t("analytics.addStep")], () => add())), field("analytics.window", window_),
    h("div", submit(t("analytics.show"))), result);
}

function draw(steps) {
  const shown = stepsOf(steps);
  return table(["analytics.step", "analytics.users", "analytics.ofFirst", "analytics.ofBefore"], shown.map(({ event, users, ofFirst, ofBefore }) => [event, bar(users, shown[0].users), `${number(ofFirst)} %`, `${number(ofBefore)} %`]));
}
