import { command } from "../base/commands.js";
import { adder, button, closing, complain, confirm, dialog, failure, guardLeaving, h, iconButton, inline, instant, note, onCleanup, place, primary, section, show, stack, t, table, tabs, toast } from "../base/ui.js";
import { experimentsView } from "./experiments.js";
import { conditionForm, parameterForm } from "./forms.js";
import { bare, mergeTemplates, parametersOf, textOf, textOfTemplate, withCondition, withMoved, withParameter } from "./model.js";
import { differences, publishReviewed } from "./publish.js";
import { load, rollBack, versions } from "./store.js";

/** Remote Config: parameters, conditions, publishing, versions; experiments. */
export const page = () => tabs("config", { "config.parameters": parametersView, "config.experiments": experimentsView });

function parametersView() {
  const { project } = place.peek();
  const state = { base: null, draft: null, etag: null, version: null };
  const body = stack();
  const bar = h("div", { role: "status", class: "config-bar" });
  let release = null;
  const isChanged = () => state.base !== null && textOfTemplate(state.base) !== textOfTemplate(state.draft);
  const change = (template) => {
    state.draft = template;
    draw();
  };
  const draw = () => {
    release?.();
    release = isChanged() ? guardLeaving((isSilent) => !isSilent && window.confirm(t("config.discard"))) : null;
    show(bar, isChanged() ? h("div", { class: "row panel" }, h("span", { class: "grow" }, t("config.unpublished")),
      button(t("config.drop"), () => change(state.base)), button(t("config.publish"), submit, { class: "primary", writes: true })) : null);
    show(body, parameterTable(state.draft, change), conditionList(state.draft, change), versionList(project, state, reload));
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
  return stack(h("div", {}, primary(t("config.addParameter"), add)), bar, body);
}

// Parameters

async function editParameter(template, found, change) {
  const outcome = await dialog(found ? found.name : t("config.addParameter"), (close) => parameterForm(template, found, close), { className: "wide" });
  if (!outcome) return;
  change(withParameter(template, found?.name ?? null, outcome.name, outcome.group, outcome.parameter));
}

function parameterTable(template, change) {
  const all = parametersOf(template);
  if (all.length === 0) return h("p", {}, t("config.none"));
  const shown = (value) => (value?.useInAppDefault ? h("em", {}, t("config.inApp")) : textOf(value) ?? h("em", {}, t("config.special")));
  const values = ({ defaultValue, conditionalValues = {} }) => [
    template.conditions.filter(({ name }) => Object.hasOwn(conditionalValues, name)).map(({ name }) => h("div", {}, h("span", { class: "badge" }, name), " ", h("code", {}, shown(conditionalValues[name])))),
    h("div", {}, h("code", {}, shown(defaultValue))),
  ];
  return table(["name", "config.values", "config.description", null], all.map((one) => [
    [button(one.name, () => editParameter(template, one, change), { class: "quiet mono" }), one.group ? h("span", { class: "note" }, one.group) : null], values(one.parameter), one.parameter.description ?? "",
    iconButton("trash", t("field.remove", one.name), () => change(withParameter(template, one.name, one.name, one.group, null)), { writes: true })]));
}

// Conditions

async function editCondition(template, index, change) {
  const outcome = await dialog(index < template.conditions.length ? template.conditions[index].name : t("analytics.addCondition"), (close) => conditionForm(template, index, close));
  if (outcome) change(withCondition(template, index, outcome));
}

function conditionList(template, change) {
  const rows = template.conditions.map((one, index) => h("li", { class: "panel spread" },
    h("div", { class: "grow stack tight" }, button(one.name, () => editCondition(template, index, change), { class: "quiet" }), h("code", {}, one.expression)),
    inline(
      iconButton("up", t("config.earlier", one.name), () => change(withMoved(template, index, -1)), { disabled: index === 0, writes: true }),
      iconButton("down", t("config.later", one.name), () => change(withMoved(template, index, 1)), { disabled: index === template.conditions.length - 1, writes: true }),
      iconButton("trash", t("config.removeCondition", one.name), () => change(withCondition(template, index, null)), { writes: true }))));
  return section(t("config.conditions"), note(t("config.conditionsText")), h("ol", { class: "stack" }, rows),
    adder(t("analytics.addCondition"), () => editCondition(template, template.conditions.length, change), { writes: true }));
}

// Versions

function versionList(project, state, reload) {
  const holder = h("div", {});
  const draw = (all) => show(holder, all.length === 0 ? h("p", {}, t("rules.noVersions")) : table(["config.version", "audit.when", "audit.who", "config.description", null], all.map((one) => [
    one.versionNumber, instant(one.updateTime), one.updateUser?.email ?? "", one.description ?? "",
    one.versionNumber === state.version?.versionNumber ? t("config.inForce") : inline(
      button(t("rules.compare"), () => compare(project, state, one)), button(t("config.rollBack"), () => back(project, one, reload), { writes: true }))])));
  versions(project).then(draw, (error) => show(holder, failure(error)));
  return section(t("rules.versions"), holder);
}

async function compare(project, state, { versionNumber }) {
  const { template } = await load(project, versionNumber);
  await dialog(t("rules.compare"), (close) => [
    differences(bare(template), state.base),
    closing(close),
  ], { className: "wide" });
}

async function back(project, { versionNumber }, reload) {
  if (!(await confirm(t("config.rollBack"), t("config.rollBackText", versionNumber), t("config.rollBack")))) return;
  try {
    await rollBack(project, versionNumber);
    toast(t("config.published"));
    reload();
  } catch (error) {
    complain(error);
  }
}
