/** A template and its changes, as plain values. Pure. */

const copy = (value) => structuredClone(value);
/** Gives an object a member, whatever it is called: "__proto__" too is a name. */
export const put = (object, name, value) => Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** What is served and kept of a template; the version is the server's. */
export function bare(template) {
  const { version, ...rest } = template;
  return { conditions: [], parameters: {}, parameterGroups: {}, ...rest };
}

/** All parameters by name: `{name, group, parameter}`; the group is null of those in none. */
export function parametersOf(template) {
  const grouped = Object.entries(template.parameterGroups ?? {}).flatMap(([group, { parameters = {} }]) => entries(parameters, group));
  return [...entries(template.parameters ?? {}, null), ...grouped].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether a parameter is about a text in lower case: in its name, group, description or a value. */
export const isAbout = ({ name, group, parameter: { description, defaultValue, conditionalValues = {} } }, wanted) =>
  [name, group, description, ...Object.keys(conditionalValues), ...[defaultValue, ...Object.values(conditionalValues)].map(textOf)].some((text) => text?.toLowerCase().includes(wanted));

const entries = (parameters, group) => Object.entries(parameters).map(([name, parameter]) => ({ name, group, parameter }));

/** The template with a parameter under a name, in place of the one under `old`; null takes it away. */
export function withParameter(template, old, name, group, parameter) {
  const changed = copy(template);
  const before = old === null ? null : parametersOf(template).find((one) => one.name === old);
  if (before) delete holder(changed, before.group)[old];
  if (parameter) put(holder(changed, group), name, parameter);
  return changed;
}

function holder(template, group) {
  if (group === null) return (template.parameters ??= {});
  const all = (template.parameterGroups ??= {});
  if (!Object.hasOwn(all, group)) put(all, group, {});
  return (all[group].parameters ??= {});
}

/** The template with a condition at a place, in place of the one there; a new name is a new name for parameters too. */
export function withCondition(template, index, condition) {
  const changed = copy(template);
  const [old] = changed.conditions.splice(index, index < changed.conditions.length ? 1 : 0, ...(condition ? [condition] : []));
  if (old && old.name !== condition?.name) renameCondition(changed, old.name, condition?.name ?? null);
  return changed;
}

function renameCondition(template, old, name) {
  for (const { parameter } of parametersOf(template)) {
    const values = parameter.conditionalValues;
    if (!values || !Object.hasOwn(values, old)) continue;
    if (name !== null) put(values, name, values[old]);
    delete values[old];
  }
}

/** The template with a condition one step nearer to the first, or farther: the first that is true decides. */
export function withMoved(template, index, step) {
  const changed = copy(template);
  const to = index + step;
  if (to < 0 || to >= changed.conditions.length) return changed;
  const [moved] = changed.conditions.splice(index, 1);
  changed.conditions.splice(to, 0, moved);
  return changed;
}

/** The text of a value as an app gets it; null where the app's own counts, or an experiment decides. */
export const textOf = (value) => (typeof value?.value === "string" ? value.value : null);

/** What is wrong with a value of a type: a key among the texts, or null. */
export function problemOf(text, type) {
  if (type === "BOOLEAN" && !["true", "false"].includes(text)) return "config.notBoolean";
  if (type === "NUMBER" && (text.trim() === "" || Number.isNaN(Number(text)))) return "config.notNumber";
  if (type !== "JSON") return null;
  try {
    JSON.parse(text);
    return null;
  } catch {
    return "config.notJSON";
  }
}

/**
 * Brings together what two made out of one template: what only one of them changed is taken from that one.
 *
 * `conflicts` names what both changed in different ways; of those the template has mine.
 */
export function mergeTemplates(base, mine, theirs) {
  const conflicts = [];
  let merged = copy(theirs);
  const names = new Set([base, mine].flatMap((one) => parametersOf(one).map(({ name }) => name)));
  const find = (template, name) => parametersOf(template).find((one) => one.name === name) ?? null;
  for (const name of names) {
    const [was, own, other] = [base, mine, theirs].map((one) => find(one, name));
    if (same(was, own)) continue;
    if (!same(was, other) && !same(own, other)) conflicts.push(name);
    merged = withParameter(merged, other ? name : null, name, own?.group ?? null, own?.parameter ?? null);
  }
  if (!same(base.conditions, mine.conditions)) {
    if (!same(base.conditions, theirs.conditions) && !same(mine.conditions, theirs.conditions)) conflicts.push("conditions");
    merged.conditions = copy(mine.conditions);
  }
  return { template: merged, conflicts };
}

/** A template as text, its members in one order, so that lines can be compared. */
export function textOfTemplate(template) {
  const sorted = (value) => {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
  };
  return JSON.stringify(sorted(bare(template)), null, 2);
}
