import { freshID, h, icon, iconButton } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { button, field, form, input, select } from "../base/views.js";
import { experimentProblem, withExperiment } from "./experiment.js";
import { parametersOf } from "./model.js";
import { validate } from "./store.js";

/** The form of a new experiment, which the server checks; closes with the template that has it. */
export function experimentForm(project, { template, audiences, events }, close) {
  const parameters = suggestions(parametersOf(template).map((one) => one.name));
  const id = input("", { class: "mono", autofocus: true, maxlength: 80 });
  const parameter = input("", { class: "mono", list: parameters.id });
  const who = select([["", t("experiment.everybody")], ...audiences.map((one) => [`audience:${one}`, t("experiment.audience", one)]), ...template.conditions.map(({ name }) => [`condition:${name}`, t("experiment.condition", name)])], "");
  const exposure = input("100", { type: "number", min: 0, max: 100, step: "any" });
  const sticky = h("input", { type: "checkbox" });
  const goal = goalFields({}, events);
  const variants = variantRows();
  const save = async () => {
    const made = { id: id.value.trim(), parameter: parameter.value.trim(), who: who.value, exposure: Number(exposure.value), isSticky: sticky.checked, variants: variants.read(), goal: goal.read() };
    const wrong = experimentProblem(template, made);
    if (wrong) throw new Error(t(wrong));
    const changed = withExperiment(template, made);
    await validate(project, changed);
    return changed;
  };
  return form(close, t("config.take"), save, field("experiment.id", id), field("experiment.parameter", parameter), parameters, field("experiment.who", who), field("experiment.exposure", exposure),
    variants.element, h("label", { class: "row" }, sticky, t("experiment.sticky")), h("fieldset", { class: "stack" }, h("legend", {}, t("experiment.goal")), goal.elements));
}

const suggestions = (names) => h("datalist", { id: freshID("names") }, names.map((name) => h("option", { value: name })));

/** By what variants are compared: an event, and what is taken of it; read as null without an event. */
export function goalFields({ event = "", measure = "users" }, events) {
  const names = suggestions(events);
  const name = input(event, { class: "mono", list: names.id });
  const how = select(["users", "events", "value"].map((one) => [one, t(`measure.${one}`)]), measure);
  return { elements: [names, field("experiment.event", name), field("experiment.measure", how)], read: () => (name.value.trim() ? { event: name.value.trim(), measure: how.value } : null) };
}

/** The variants: two at least, the first of which is the others' baseline. */
function variantRows() {
  const rows = h("div", { class: "stack" });
  const add = (name, isSame = false) => {
    const value = input("", { class: "mono grow", "aria-label": t("value"), disabled: isSame });
    const same = h("input", { type: "checkbox", checked: isSame, onchange: () => { value.disabled = same.checked; } });
    rows.append(h("div", { class: "row variant" }, input(name, { "aria-label": t("experiment.variant") }), input("1", { type: "number", min: 1, max: 1_000_000, "aria-label": t("experiment.weight"), title: t("experiment.weight") }), value,
      h("label", { class: "row" }, same, t("experiment.same")), iconButton("trash", t("experiment.removeVariant"), (event) => rows.children.length > 2 && event.target.closest(".variant").remove())));
  };
  add(t("experiment.baseline"), true);
  add("A");
  const element = h("fieldset", { class: "stack" }, h("legend", {}, t("experiment.variants")), rows, h("div", {}, button([icon("plus"), t("experiment.addVariant")], () => add(String.fromCharCode(64 + rows.children.length)))));
  const read = () => [...rows.children].map((row) => {
    const [name, weight, value, same] = row.querySelectorAll("input");
    return { id: name.value.trim(), weight: Number(weight.value), value: same.checked ? null : value.value };
  });
  return { element, read };
}
