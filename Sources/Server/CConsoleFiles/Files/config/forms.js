import { explain } from "../base/dialog.js";
import { h, show } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { place } from "../base/navigation.js";
import { parametersOf, problemOf, textOf } from "./model.js";
import { validate } from "./store.js";

const TYPES = ["STRING", "BOOLEAN", "NUMBER", "JSON"];
const COLORS = ["BLUE", "BROWN", "CYAN", "DEEP_ORANGE", "GREEN", "INDIGO", "LIME", "ORANGE", "PINK", "PURPLE", "TEAL"];

const buttons = (close, save) => h("div", { class: "actions" }, h("button", { type: "button", onclick: () => close(null) }, t("cancel")), h("button", { type: "submit", class: "primary", onclick: save, writes: true }, t("config.take")));

/** The form of one parameter; closes with `{name, group, parameter}`. */
export function parameterForm(template, found, close) {
  const parameter = structuredClone(found?.parameter ?? { valueType: "STRING", defaultValue: { value: "" } });
  const name = h("input", { type: "text", class: "mono", value: found?.name ?? "", autocomplete: "off", autofocus: !found });
  const group = h("input", { type: "text", value: found?.group ?? "", autocomplete: "off" });
  const description = h("input", { type: "text", value: parameter.description ?? "", maxlength: 256 });
  const type = h("select", {}, TYPES.map((one) => h("option", { value: one, selected: one === (parameter.valueType ?? "STRING") }, t(`config.${one}`))));
  const values = h("div", { class: "stack" });
  const problem = h("p", { class: "error", role: "alert" });
  const fields = new Map();
  const add = (condition, value) => {
    const field = valueField(condition ?? t("config.default"), value);
    fields.set(condition, field);
    values.append(field.element);
  };
  const { conditionalValues = {} } = parameter;
  for (const one of template.conditions) if (Object.hasOwn(conditionalValues, one.name)) add(one.name, conditionalValues[one.name]);
  add(null, parameter.defaultValue ?? { useInAppDefault: true });
  const unused = h("select", { "aria-label": t("config.addValue"), onchange: (event) => { if (event.target.value && !fields.has(event.target.value)) add(event.target.value, { value: "" }); event.target.value = ""; } },
    h("option", { value: "" }, t("config.addValue")), template.conditions.map((one) => h("option", { value: one.name }, one.name)));
  const save = () => {
    const wrong = check(name.value, found, template, fields, type.value);
    if (wrong) return show(problem, wrong);
    const made = { ...parameter, valueType: type.value, conditionalValues: {} };
    for (const [condition, field] of fields) {
      const value = field.read();
      if (condition === null) made.defaultValue = value;
      else if (value) made.conditionalValues[condition] = value;
    }
    if (Object.keys(made.conditionalValues).length === 0) delete made.conditionalValues;
    if (description.value) made.description = description.value;
    else delete made.description;
    return close({ name: name.value, group: group.value || null, parameter: made });
  };
  return [
    h("label", { class: "field" }, t("name"), name), h("label", { class: "field" }, t("type"), type), h("label", { class: "field" }, t("config.description"), description),
    h("label", { class: "field" }, t("condition.group"), group), h("fieldset", { class: "stack" }, h("legend", {}, t("config.values")), values, template.conditions.length > 0 ? unused : null), problem, buttons(close, save),
  ];
}

function check(name, found, template, fields, type) {
  if (!/^[A-Za-z_]\w{0,255}$/.test(name)) return t("config.badName");
  if (name !== found?.name && parametersOf(template).some((one) => one.name === name)) return t("config.nameTaken");
  for (const field of fields.values()) {
    const text = textOf(field.read());
    const wrong = text === null ? null : problemOf(text, type);
    if (wrong) return `${field.label}: ${t(wrong)}`;
  }
  return null;
}

/** A value: a text, or the app's own; what an experiment decides stays as it is. */
function valueField(label, value) {
  const isSpecial = !value.useInAppDefault && textOf(value) === null;
  const text = h("textarea", { class: "mono", rows: 2, spellcheck: "false", value: textOf(value) ?? "", "aria-label": label, disabled: isSpecial || Boolean(value.useInAppDefault) });
  const own = h("input", { type: "checkbox", checked: Boolean(value.useInAppDefault), disabled: isSpecial, onchange: () => { text.disabled = own.checked; } });
  const element = h("div", { class: "stack tight" }, h("span", { class: "badge" }, label), text, isSpecial ? h("span", { class: "note" }, t("config.special")) : h("label", { class: "row" }, own, t("config.inApp")));
  return { label, element, read: () => (isSpecial ? value : own.checked ? { useInAppDefault: true } : { value: text.value }) };
}

/** The form of one condition, which the server checks; closes with the condition. */
export function conditionForm(template, index, close) {
  const condition = template.conditions[index] ?? { name: "", expression: "", tagColor: "BLUE" };
  const name = h("input", { type: "text", value: condition.name, maxlength: 100, autofocus: true });
  const expression = h("textarea", { class: "mono", rows: 4, spellcheck: "false", value: condition.expression });
  const color = h("select", {}, COLORS.map((one) => h("option", { value: one, selected: one === condition.tagColor }, t(`config.${one}`))));
  const problem = h("p", { class: "error", role: "alert" });
  const save = async () => {
    const made = { ...condition, name: name.value.trim(), expression: expression.value, tagColor: color.value };
    if (made.name === "" || template.conditions.some((one, at) => at !== index && one.name === made.name)) return show(problem, t("config.nameTaken"));
    try {
      await validate(place.peek().project, { conditions: [made] });
      return close(made);
    } catch (error) {
      return show(problem, explain(error));
    }
  };
  return [
    h("label", { class: "field" }, t("name"), name), h("label", { class: "field" }, t("config.expression"), expression), h("p", { class: "note" }, t("config.expressionText")),
    h("label", { class: "field" }, t("config.color"), color), problem, buttons(close, save),
  ];
}
