import { command } from "../base/commands.js";
import { bin, blank, button, closing, code, complain, confirmed, dialog, failure, freshID, guardLeaving, h, iconButton, inline, instant, lead, number, onCleanup, place, primary, searchLine, show, spread, stack, t, table, tableOr, tabs, toast } from "../base/ui.js";
import { experimentsView } from "./experiments.js";
import { COLORS, conditionForm, parameterForm } from "./forms.js";
import { bare, isAbout, mergeTemplates, parametersOf, textOf, textOfTemplate, withCondition, withMoved, withParameter } from "./model.js";
import { differences, publishReviewed } from "./publish.js";
import { load, rollBack, versions } from "./store.js";

/** Remote Config: parameters, conditions, publishing, versions; experiments. */
export const page = () => tabs("config", { "config.parameters": parametersView, "config.experiments": experimentsView });

function parametersView() {
  const { project } = place.peek();
  const state = { base: null, draft: null, etag: null, version: null, shown: "parameters" };
  const body = stack();
  const found = h("div");
  const search = searchLine("config.search", () => drawParameters());
  const drawParameters = () => show(found, parameterTable(state.draft, search.value.trim().toLowerCase(), change));
  const bar = h("div.config-bar", { role: "status" });
  let release = null;
  const isChanged = () => state.base !== null && textOfTemplate(state.base) !== textOfTemplate(state.draft);
  const change = (template) => {
    state.draft = template;
    draw();
  };
  const draw = () => {
    release?.();
    release = isChanged() ? guardLeaving((isSilent) => !isSilent && window.confirm(t("config.discard"))) : null;
    show(bar, isChanged() ? h("div.row.panel", h("span.grow", t("config.unpublished")),
      button(t("config.drop"), () => change(state.base)), button(t("config.publish"), submit, { class: "primary", writes: true })) : null);
    drawParameters();
    const parts = {
      parameters: [t("config.parameters"), parametersOf(state.draft).length, () => stack(spread(h("div.grow", search), primary(t("config.addParameter"), add)), found)],
      conditions: [t("config.conditions"), state.draft.conditions.length, () => conditionList(state.draft, change)],
      versions: [t("rules.versions"), null, () => versionList(project, state, reload)],
    };
    show(body, panels(t("config.parts"), parts, state));
  };
  const take = ({ template, etag, version }) => {
    Object.assign(state, { base: template, draft: template, etag, version });
    draw();
  };
  const reload = async () => {
    try {
      take(await load(project));
    } catch (error) {
      show(body, failure(error));
    }
  };
  const submit = async () => {
    try {
      if (await publishReviewed(project, state)) await reload();
    } catch (error) {
      if (error.status === 409) await merge();
      else complain(error);
    }
  };
  const merge = async () => {
    const theirs = await load(project);
    const { template, conflicts } = mergeTemplates(state.base, state.draft, theirs.template);
    take(theirs);
    change(template);
    toast(conflicts.length > 0 ? t("config.conflicts", conflicts.join(", ")) : t("config.merged"));
  };
  const add = () => editParameter(state.draft, null, change);
  command({ label: () => t("config.addParameter"), keys: "n", writes: true, run: add });
  onCleanup(() => release?.());
  reload();
  return stack(bar, body);
}

/** Parts of one draft, one of them in sight: `parts` are `[text, count, draw]` by name, `state.shown` is the one. */
function panels(label, parts, state) {
  const id = freshID("part");
  const panel = h("div.stack", { role: "tabpanel", id });
  const choices = Object.entries(parts).map(([name, [text, count]]) => h("button", { role: "tab", id: `${id}-${name}`, "aria-controls": id, onclick: () => choose(name) }, text, count === null ? null : h("span.note", ` ${number(count)}`)));
  const names = Object.keys(parts);
  const choose = (name, isByKey = false) => {
    state.shown = name;
    choices.forEach((one, index) => {
      one.setAttribute("aria-selected", String(names[index] === name));
      one.tabIndex = names[index] === name ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `${id}-${name}`);
    show(panel, parts[name][2]());
    if (isByKey) choices[names.indexOf(name)].focus();
  };
  const step = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) choose(names[(names.indexOf(state.shown) + by + names.length) % names.length], true);
  };
  choose(state.shown);
  return [h("div.segments", { role: "tablist", label: label, onkeydown: step }, choices), panel];
}

// Parameters

async function editParameter(template, found, change) {
  const outcome = await dialog(found ? found.name : t("config.addParameter"), (close) => parameterForm(template, found, close), "wide");
  if (!outcome) return;
  const known = outcome.conditions.reduce((all, one) => withCondition(all, all.conditions.length, one), template);
  change(withParameter(known, found?.name ?? null, outcome.name, outcome.group, outcome.parameter));
}

function parameterTable(template, wanted, change) {
  const every = parametersOf(template);
  if (every.length === 0) return blank("config", t("config.none"));
  const all = every.filter((one) => isAbout(one, wanted));
  if (all.length === 0) return h("p", { role: "status" }, t("config.notFound"));
  const shown = (value) => (value?.useInAppDefault ? h("em", t("config.inApp")) : textOf(value) ?? h("em", t("config.special")));
  const values = ({ defaultValue, conditionalValues = {} }) => [
    template.conditions.filter(({ name }) => Object.hasOwn(conditionalValues, name)).map(({ name, tagColor }) => h("div.value-line", h("span.badge", h("span.dot", { style: { background: COLORS[tagColor] ?? "var(--muted)" } }), name), h("code", shown(conditionalValues[name])))),
    h("div.value-line", h("span.badge.muted", t("config.default")), h("code", shown(defaultValue))),
  ];
  return table(["name", "type", "config.values", "config.description", null], all.map((one) => [
    [button(one.name, () => editParameter(template, one, change), { class: "quiet start mono" }), one.group ? h("div.note", one.group) : null], t(`config.${one.parameter.valueType ?? "STRING"}`), values(one.parameter), one.parameter.description ?? "",
    bin(t("field.remove", one.name), () => change(withParameter(template, one.name, one.name, one.group, null)))]));
}

// Conditions

async function editCondition(template, index, change) {
  const outcome = await dialog(index < template.conditions.length ? template.conditions[index].name : t("analytics.addCondition"), (close) => conditionForm(template, index, close), "wide");
  if (outcome) change(withCondition(template, index, outcome));
}

function conditionList(template, change) {
  const all = parametersOf(template);
  const uses = ({ name }) => all.filter(({ parameter }) => Object.hasOwn(parameter.conditionalValues ?? {}, name)).length;
  const rows = template.conditions.map((one, index) => [
    number(index + 1), button([h("span.dot", { style: { background: COLORS[one.tagColor] ?? "var(--muted)" } }), one.name], () => editCondition(template, index, change), { class: "quiet start" }), code(one.expression), number(uses(one)),
    inline(
      iconButton("up", t("config.earlier", one.name), () => change(withMoved(template, index, -1)), { disabled: index === 0, writes: true }),
      iconButton("down", t("config.later", one.name), () => change(withMoved(template, index, 1)), { disabled: index === template.conditions.length - 1, writes: true }),
      bin(t("config.removeCondition", one.name), () => change(withCondition(template, index, null))))]);
  return stack(lead("config.conditionsText", primary(t("analytics.addCondition"), () => editCondition(template, template.conditions.length, change))),
    tableOr("config.noCondition", ["config.order", "name", "config.expression", "config.uses", null], rows));
}

// Versions

function versionList(project, state, reload) {
  const holder = h("div");
  const draw = (all) => show(holder, tableOr("rules.noVersions", ["config.version", "audit.when", "audit.who", "config.description", null], all.map((one) => [
    one.versionNumber, instant(one.updateTime), one.updateUser?.email ?? "", one.description ?? "",
    one.versionNumber === state.version?.versionNumber ? t("config.inForce") : inline(
      button(t("rules.compare"), () => compare(project, state, one)), button(t("config.rollBack"), () => back(project, one, reload), { writes: true }))])));
  versions(project).then(draw, (error) => show(holder, failure(error)));
  return holder;
}

async function compare(project, state, { versionNumber }) {
  const { template } = await load(project, versionNumber);
  await dialog(t("rules.compare"), (close) => [
    differences(bare(template), state.base),
    closing(close),
  ], "wide");
}

async function back(project, { versionNumber }, reload) {
  if (await confirmed(t("config.rollBack"), t("config.rollBackText", versionNumber), () => rollBack(project, versionNumber), t("config.published"))) reload();
}
