import { adder, checkbox, field, form, group, h, iconButton, input, named, note, select, stack, suggestions, t } from "../base/ui.js";
import { experimentProblem, withExperiment, withMembers } from "./experiment.js";
import { parametersOf } from "./model.js";
import { validate } from "./store.js";

/**
 * The form of an experiment, which the server checks; closes with the template that has it.
 *
 * It begins with the members of `of`. One that `runs` has its variants and whom it is for already.
 */
export function experimentForm(project, { template, audiences, events, of = {}, runs = false }, close) {
  const parameters = suggestions(parametersOf(template).map((one) => one.name));
  const id = input("", { class: "mono", autofocus: true, maxlength: 80 });
  const name = input(of.displayName ?? of.experimentId, { maxlength: 256, autofocus: runs });
  const description = input(of.description, { maxlength: 1_024, spellcheck: "true" });
  const parameter = input(of.parameter, { class: "mono", list: parameters.id });
  const others = (of.expression ?? "true") === "true" ? [] : [[`expression:${of.expression}`, of.expression]];
  const who = select([...others, ["", t("experiment.everybody")], ...audiences.map((one) => [`audience:${one}`, t("experiment.audience", one)]), ...template.conditions.map(({ name }) => [`condition:${name}`, t("experiment.condition", name)])]);
  const exposure = input(of.exposurePercent ?? 100, { type: "number", min: 0, max: 100, step: "any" });
  const sticky = checkbox(of.sticky);
  const goal = goalFields(of.goal ?? {}, events);
  const variants = variantRows(of.variantValue ?? [{ variantId: t("experiment.baseline"), noChange: true }, { variantId: "A" }]);
  const made = () => {
    const members = { description: description.value.trim() || undefined, exposurePercent: Number(exposure.value), goal: goal.read() ?? undefined };
    if (runs) return withMembers(template, of.experimentId, { ...members, displayName: [of.experimentId, ""].includes(name.value.trim()) ? undefined : name.value.trim() });
    const typed = { id: id.value.trim(), parameter: parameter.value.trim(), who: who.value, members: { ...members, variantValue: variants.read(), sticky: sticky.checked || undefined } };
    const wrong = experimentProblem(template, typed);
    if (wrong) throw new Error(t(wrong));
    return withExperiment(template, typed);
  };
  const save = async () => {
    const changed = made();
    await validate(project, changed);
    return changed;
  };
  return form(close, t("config.take"), save, runs ? field("name", name) : field("experiment.id", id), field("config.description", description), runs ? null : [field("experiment.parameter", parameter), parameters, field("experiment.who", who)],
    field("experiment.exposure", exposure), note(t("experiment.exposureText")), runs ? null : [variants.element, h("label.row", sticky, t("experiment.sticky"))], group(t("experiment.goal"), goal.elements));
}

/** By what variants are compared: an event, and what is taken of it; read as null without an event. */
export function goalFields({ event = "", measure = "users" }, events) {
  const names = suggestions(events);
  const name = input(event, { class: "mono", list: names.id });
  const how = select(named("measure", ["users", "events", "value"]), measure);
  return { elements: [names, field("experiment.event", name), field("experiment.measure", how)], read: () => (name.value.trim() ? { event: name.value.trim(), measure: how.value } : null) };
}

/** The variants: two at least, the first of which is the others' baseline. */
function variantRows(initial) {
  const rows = stack();
  const add = ({ variantId, weight = 1, value: text, noChange = false }) => {
    const value = input(text, { class: "mono grow", label: t("value"), disabled: noChange });
    const same = checkbox(noChange, { onchange: () => { value.disabled = same.checked; } });
    rows.append(h("div.row.variant", input(variantId, { label: t("experiment.variant") }), input(weight, { type: "number", min: 1, max: 1_000_000, label: t("experiment.weight"), title: t("experiment.weight") }), value,
      h("label.row", same, t("experiment.same")), iconButton("trash", t("experiment.removeVariant"), (event) => rows.children.length > 2 && event.target.closest(".variant").remove())));
  };
  for (const one of initial) add(one);
  const element = group(t("experiment.variants"), rows, adder(t("experiment.addVariant"), () => add({ variantId: String.fromCharCode(64 + rows.children.length) })));
  const read = () => [...rows.children].map((row) => {
    const [name, weight, value, same] = row.querySelectorAll("input");
    return { variantId: name.value.trim(), weight: Number(weight.value), ...(same.checked ? { noChange: true } : { value: value.value }) };
  });
  return { element, read };
}
