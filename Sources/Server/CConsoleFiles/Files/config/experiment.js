import { parametersOf, withParameter } from "./model.js";

/** Experiments as members of a template, and their results as people read them. Pure. */

/** The name of the condition under which an experiment is made. */
export const conditionName = (id) => `Experiment ${id}`;

/** Where an experiment decides: `{name, group, parameter, condition, experiment}`, where the condition is null for the default. */
export const placesOf = (template, id) => parametersOf(template).flatMap((one) => {
  const { conditionalValues = {}, defaultValue } = one.parameter;
  return [...Object.entries(conditionalValues), [null, defaultValue]].map(([condition, value]) => ({ ...one, condition, experiment: value?.experimentValue })).filter(({ experiment }) => experiment?.experimentId === id);
});

/** An experiment as its form begins with it, of the first parameter that it decides. */
export function experimentOf(template, id) {
  const [{ name, condition, experiment } = {}] = placesOf(template, id);
  return { ...experiment, parameter: name, expression: template.conditions.find((one) => one.name === condition)?.expression ?? "true" };
}

/** The expression of whom an experiment is for: `condition:` or `audience:` with a name, `expression:` with itself, else everybody. */
export function expressionOf(template, who) {
  const [kind, name] = [who.slice(0, who.indexOf(":")), who.slice(who.indexOf(":") + 1)];
  if (kind === "condition") return template.conditions.find((one) => one.name === name).expression;
  if (kind === "expression") return name;
  return kind === "audience" ? `app.audiences.inAtLeastOne(['${name}'])` : "true";
}

/**
 * The template with an experiment on a parameter, which is made where there is none. Its condition comes first, so that
 * nothing else decides before.
 */
export function withExperiment(template, { id, parameter: name, who, members }) {
  const condition = conditionName(id);
  const changed = { ...template, conditions: [{ name: condition, expression: expressionOf(template, who), tagColor: "PURPLE" }, ...template.conditions] };
  const known = parametersOf(template).find((one) => one.name === name);
  const parameter = known?.parameter ?? { valueType: "STRING", defaultValue: { useInAppDefault: true } };
  const experimentValue = { experimentId: id, ...members };
  return withParameter(changed, known ? name : null, name, known?.group ?? null, { ...parameter, conditionalValues: { [condition]: { experimentValue }, ...parameter.conditionalValues } });
}

/** The template where an experiment has other members, wherever it decides; undefined is left out. */
export const withMembers = (template, id, members) => placesOf(template, id).reduce((changed, { name, group, condition, experiment }) => {
  const { parameter } = parametersOf(changed).find((one) => one.name === name);
  const value = { experimentValue: { ...experiment, ...members } };
  return withParameter(changed, name, name, group, { ...parameter, ...(condition === null ? { defaultValue: value } : { conditionalValues: { ...parameter.conditionalValues, [condition]: value } }) });
}, template);

/** The template where everybody whom an experiment is for has one variant of it, and nobody is split any more. */
export function withoutExperiment(template, id, variant) {
  let changed = template;
  for (const { name, group, condition, experiment } of placesOf(template, id)) {
    const { parameter } = parametersOf(changed).find((one) => one.name === name);
    const { conditionalValues: { [condition]: _, ...others } = {}, ...rest } = parameter;
    const { value } = experiment.variantValue.find((one) => one.variantId === variant);
    const made = value === undefined ? null : { value };
    const values = condition === null || made === null ? parameter.conditionalValues && { ...others } : { [condition]: made, ...others };
    const ended = { ...rest, ...(values && Object.keys(values).length > 0 ? { conditionalValues: values } : {}), ...(condition === null ? { defaultValue: made ?? { useInAppDefault: true } } : {}) };
    changed = withParameter(changed, name, name, group, ended);
  }
  const isUsed = parametersOf(changed).some(({ parameter }) => Object.hasOwn(parameter.conditionalValues ?? {}, conditionName(id)));
  return isUsed ? changed : { ...changed, conditions: changed.conditions.filter((one) => one.name !== conditionName(id)) };
}

/** What is wrong with an experiment as it was typed: a key among the texts, or null. */
export function experimentProblem(template, { id, parameter, members }) {
  if (id === "" || placesOf(template, id).length > 0 || template.conditions.some((one) => one.name === conditionName(id))) return "config.nameTaken";
  if (!/^[A-Za-z_]\w{0,255}$/.test(parameter)) return "config.badName";
  const names = members.variantValue.map((one) => one.variantId);
  return names.includes("") || new Set(names).size < names.length ? "experiment.badVariants" : null;
}

/** How far from zero the intervals of a result go, so that they are drawn to one scale. */
export const reach = (variants) => Math.max(0, ...variants.flatMap(({ difference: one }) => (one ? [Math.abs(one.low), Math.abs(one.high)] : [])));
