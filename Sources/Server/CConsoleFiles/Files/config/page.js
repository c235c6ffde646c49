import { command } from "../base/commands.js";
import { confirm, dialog, explain, toast } from "../base/dialog.js";
import { h, icon, iconButton, show } from "../base/dom.js";
import { instant, t } from "../base/i18n.js";
import { guardLeaving, place } from "../base/navigation.js";
import { onCleanup } from "../base/signal.js";
import { diffLines } from "../rules/diff.js";
import { conditionForm, parameterForm } from "./forms.js";
import { button, failure, field, primary, table } from "../base/views.js";
import { bare, mergeTemplates, parametersOf, textOf, textOfTemplate, withCondition, withMoved, withParameter } from "./model.js";
import { load, publish, rollBack, versions } from "./store.js";

/** Remote Config: parameters, conditions, publishing, versions. */
export function page() {
  const { project } = place.peek();
  const state = { base: null, draft: null, etag: null, version: null };
  const body = h("div", { class: "stack" });
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
    const description = await dialog(t("config.publish"), (close) => reviewForm(state, close), { className: "wide" });
    if (description === null) return;
    try {
      await publish(project, state.draft, state.etag, description);
      toast(t("config.published"));
      await reload();
    } catch (error) {
      if (error.status === 409) await merge();
      else toast(explain(error));
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
  return h("div", { class: "body" }, h("div", { class: "spread" }, h("h1", {}, t("page.config")), primary(t("config.addParameter"), add)), bar, body);
}

function reviewForm(state, close) {
  const note = h("input", { type: "text", maxlength: 256, autocomplete: "off" });
  const lines = diffLines(textOfTemplate(state.base), textOfTemplate(state.draft));
  const changed = lines.filter((line) => line.kind !== "same");
  return [
    h("pre", { class: "diff", tabindex: 0, "aria-label": t("rules.differences") }, changed.map(({ kind, text }) => h("div", { class: kind }, `${kind === "added" ? "+" : "−"} ${text}`))),
    field("config.note", note),
    h("div", { class: "actions" }, button(t("cancel"), () => close(null)), h("button", { type: "submit", class: "primary", onclick: () => close(note.value) }, t("config.publish"))),
  ];
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
    h("div", { class: "grow stack tight" }, h("button", { type: "button", class: "quiet", onclick: () => editCondition(template, index, change) }, one.name), h("code", {}, one.expression)),
    h("div", { class: "row" },
      iconButton("up", t("config.earlier", one.name), () => change(withMoved(template, index, -1)), { disabled: index === 0, writes: true }),
      iconButton("down", t("config.later", one.name), () => change(withMoved(template, index, 1)), { disabled: index === template.conditions.length - 1, writes: true }),
      iconButton("trash", t("config.removeCondition", one.name), () => change(withCondition(template, index, null)), { writes: true }))));
  return h("section", { class: "stack" }, h("h2", {}, t("config.conditions")), h("p", { class: "note" }, t("config.conditionsText")), h("ol", { class: "stack" }, rows),
    h("div", {}, button([icon("plus"), t("analytics.addCondition")], () => editCondition(template, template.conditions.length, change), { writes: true })));
}

// Versions

function versionList(project, state, reload) {
  const holder = h("div", {});
  const draw = (all) => show(holder, all.length === 0 ? h("p", {}, t("rules.noVersions")) : table(["config.version", "audit.when", "audit.who", "config.description", null], all.map((one) => [
    one.versionNumber, instant(one.updateTime), one.updateUser?.email ?? "", one.description ?? "",
    one.versionNumber === state.version?.versionNumber ? t("config.inForce") : h("div", { class: "row" },
      button(t("rules.compare"), () => compare(project, state, one)), button(t("config.rollBack"), () => back(project, one, reload), { writes: true }))])));
  versions(project).then(draw, (error) => show(holder, failure(error)));
  return h("section", { class: "stack" }, h("h2", {}, t("rules.versions")), holder);
}

async function compare(project, state, { versionNumber }) {
  const { template } = await load(project, versionNumber);
  const lines = diffLines(textOfTemplate(bare(template)), textOfTemplate(state.base)).filter((line) => line.kind !== "same");
  await dialog(t("rules.compare"), (close) => [
    h("pre", { class: "diff", tabindex: 0, "aria-label": t("rules.differences") }, lines.map(({ kind, text }) => h("div", { class: kind }, `${kind === "added" ? "+" : "−"} ${text}`))),
    h("div", { class: "actions" }, button(t("close"), () => close(null))),
  ], { className: "wide" });
}

async function back(project, { versionNumber }, reload) {
  if (!(await confirm(t("config.rollBack"), t("config.rollBackText", versionNumber), t("config.rollBack")))) return;
  try {
    await rollBack(project, versionNumber);
    toast(t("config.published"));
    reload();
  } catch (error) {
    toast(explain(error));
  }
}
