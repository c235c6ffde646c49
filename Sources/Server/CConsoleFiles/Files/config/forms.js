import { area, checkbox, dialog, field, form, group, h, inline, input, named, note, place, select, stack, t, textIn } from "../base/ui.js";
import { parametersOf, problemOf, put, textOf } from "./model.js";
import { validate } from "./store.js";
import { termRows } from "./termRows.js";

const TYPES = ["STRING", "BOOLEAN", "NUMBER", "JSON"];
/** The colours of conditions, as Google names them. */
export const COLORS = { BLUE: "#2563c9", BROWN: "#8d5f43", CYAN: "#0b8fa6", DEEP_ORANGE: "#d9480f", GREEN: "#2b8a3e", INDIGO: "#4c5fd5", LIME: "#74a80f", ORANGE: "#e8860c", PINK: "#d6418f", PURPLE: "#8e3fc4", TEAL: "#0d8a72" };

/** The choice that is no condition's name, which has no such sign. */
const NEW = "\u0000new";

/** The form of one parameter; closes with `{name, group, parameter, conditions}`, where the conditions are new ones. */
export function parameterForm(template, found, close) {
  const parameter = structuredClone(found?.parameter ?? { valueType: "STRING", defaultValue: { value: "" } });
  const name = input(found?.name, { class: "mono", autofocus: !found });
  const groupName = input(found?.group);
  const description = input(parameter.description, { maxlength: 256, spellcheck: "true" });
  const type = select(named("config", TYPES), parameter.valueType);
  const values = stack();
  const fields = new Map();
  const add = (condition, value) => {
    const one = valueField(condition ?? t("config.default"), value);
    fields.set(condition, one);
    values.append(one.element);
  };
  const { conditionalValues = {} } = parameter;
  for (const one of template.conditions) if (Object.hasOwn(conditionalValues, one.name)) add(one.name, conditionalValues[one.name]);
  add(null, parameter.defaultValue ?? { useInAppDefault: true });
  const conditions = [];
  const all = () => ({ ...template, conditions: [...template.conditions, ...conditions] });
  const addChosen = async ({ target }) => {
    const chosen = target.value;
    target.value = "";
    if (chosen === NEW) {
      const made = await dialog(t("config.newCondition"), (end) => conditionForm(all(), all().conditions.length, end), "wide");
      if (!made) return;
      conditions.push(made);
      target.append(h("option", { value: made.name }, made.name));
      add(made.name, { value: "" });
    } else if (chosen && !fields.has(chosen)) add(chosen, { value: "" });
  };
  const unused = select([["", t("config.addValue")], [NEW, t("config.newCondition")], ...template.conditions.map((one) => [one.name, one.name])], "", { label: t("config.addValue"), onchange: addChosen });
  const save = () => {
    check(name.value, found, template, fields, type.value);
    const made = { ...parameter, valueType: type.value, conditionalValues: {} };
    for (const [condition, one] of fields) {
      const value = one.read();
      if (condition === null) made.defaultValue = value;
      else if (value) put(made.conditionalValues, condition, value);
    }
    if (Object.keys(made.conditionalValues).length === 0) delete made.conditionalValues;
    made.description = textIn(description, parameter.description);
    if (!made.description) delete made.description;
    return { name: name.value, group: textIn(groupName, found?.group ?? "") || null, parameter: made, conditions };
  };
  return form(close, t("config.take"), save, field("name", name), field("type", type), field("config.description", description), field("condition.group", groupName),
    group(t("config.values"), values, unused));
}

/** Throws what is wrong with a parameter as it was typed. */
function check(name, found, template, fields, type) {
  if (!/^[A-Za-z_]\w{0,255}$/.test(name)) throw new Error(t("config.badName"));
  if (name !== found?.name && parametersOf(template).some((one) => one.name === name)) throw new Error(t("config.nameTaken"));
  for (const { label, read } of fields.values()) {
    const text = textOf(read());
    const wrong = text === null ? null : problemOf(text, type);
    if (wrong) throw new Error(`${label}: ${t(wrong)}`);
  }
}

/** A value: a text, or the app's own; what an experiment decides stays as it is. */
function valueField(label, value) {
  const isSpecial = !value.useInAppDefault && textOf(value) === null;
  const text = area(textOf(value) ?? "", 2, { label: label, disabled: isSpecial || Boolean(value.useInAppDefault) });
  const own = checkbox(Boolean(value.useInAppDefault), { disabled: isSpecial, onchange: () => { text.disabled = own.checked; } });
  const element = h("div.stack.tight", h("span.badge", label), text, isSpecial ? h("span.note", t("config.special")) : h("label.row", own, t("config.inApp")));
  return { label, element, read: () => (isSpecial ? value : own.checked ? { useInAppDefault: true } : { value: textIn(text, textOf(value) ?? "") }) };
}

/** The form of one condition, which the server checks; closes with the condition. */
export function conditionForm(template, index, close) {
  const condition = template.conditions[index] ?? { name: "", expression: "", tagColor: "BLUE" };
  const name = input(condition.name, { maxlength: 100, autofocus: true });
  const expression = area(condition.expression, 2);
  const color = select(named("config", Object.keys(COLORS)), condition.tagColor);
  const save = async () => {
    const made = { ...condition, name: name.value.trim(), expression: textIn(expression, condition.expression), tagColor: color.value };
    if (made.name === "" || template.conditions.some((one, at) => at !== index && one.name === made.name)) throw new Error(t("config.nameTaken"));
    await validate(place.peek().project, { conditions: [made] });
    return made;
  };
  return form(close, t("config.take"), save, inline(h("div.grow", field("name", name)), field("config.color", color)), termRows(expression), field("config.expression", expression), note(t("config.expressionText")));
}
