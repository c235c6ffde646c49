import { isReadOnly } from "../base/access.js";
import { command } from "../base/commands.js";
import { actions, button, closing, complain, dialog, effect, explain, failure, go, guardLeaving, h, hasService, icon, inline, inScope, instant, loading, muted, onCleanup, place, session, show, signal, spread, submit, t, toast } from "../base/ui.js";
import { listBuckets } from "../files/store.js";
import { databases, firstDatabase } from "../shell/store.js";
import { coverageDialog } from "./coverage.js";
import { diffLines } from "./diff.js";
import { diffView } from "./diffView.js";
import { editor } from "./editor.js";
import { highlightLine } from "./highlight.js";
import { playground } from "./playground.js";
import { CLOSED_STORAGE, declares, initialRules, isError, releaseOf, restOf, serviceOf, targetOf } from "./release.js";
import { replayDialog } from "./replay.js";
import { check, current, deploy, sourceOf, versions } from "./store.js";

const CHECK_MILLISECONDS = 400;

/** The rules of a database or a bucket: written, checked as they are written, tried, compared and deployed. */
export function page() {
  const { project, rest } = place.peek();
  const target = targetOf(rest, firstDatabase());
  const holder = h("div.body", muted(t("loading")));
  holder.style.maxInlineSize = "1600px";
  const open = inScope((inForce) => show(holder, rulesView(project, target, inForce)));
  current(project, target).then(open, (error) => show(holder, failure(error)));
  return holder;
}

function rulesView(project, target, inForce) {
  const state = { inForce, timer: null, release: null };
  const isDirty = signal(false);
  const isBroken = signal(false);
  const issues = h("ul.issues", { label: t("rules.issues") });
  const text = editor({
    value: inForce?.source ?? (target.bucket ? CLOSED_STORAGE : initialRules("production", new Date())), label: t("rules.source"), highlight: highlightLine,
    onInput: () => {
      isDirty.value = text.value !== state.inForce?.source;
      clearTimeout(state.timer);
      state.timer = setTimeout(checkNow, CHECK_MILLISECONDS);
    },
  });
  onCleanup(() => { clearTimeout(state.timer); state.release?.(); });
  effect(() => {
    state.release?.();
    state.release = isDirty.value ? guardLeaving((isSilent) => !isSilent && window.confirm(t("rules.discard"))) : null;
  });

  const checkNow = async () => {
    const source = text.value;
    let failed = null;
    const found = await check(project, source).catch((error) => { failed = error; });
    if (source !== text.value) return false;
    if (failed) {
      // Rules that could not be checked are not known to be wrong: publishing may be tried again.
      isBroken.value = false;
      show(issues, h("li", explain(failed)));
      return null;
    }
    if (!found.some(isError) && !declares(source, serviceOf(target))) found.push({ description: t("rules.noService", serviceOf(target)), severity: "ERROR" });
    isBroken.value = found.some(isError);
    text.mark(new Map(found.filter((issue) => issue.sourcePosition?.line).map((issue) => [issue.sourcePosition.line, issue.description])));
    show(issues, found.map((issue) => h("li", h("button.quiet", { onclick: () => text.goTo(issue.sourcePosition?.line ?? 1) },
      icon("warning"), h("span.grow", `${t("rules.line", issue.sourcePosition?.line ?? 1)} ${issue.description}`)))));
    return !isBroken.peek();
  };

  const publish = async () => {
    // What was typed a moment ago is not checked yet.
    clearTimeout(state.timer);
    const isFine = await checkNow();
    if (isFine === null) return undefined;
    if (!isFine) return toast(t("rules.broken"));
    const isSure = await dialog(t("rules.publish"), (close) => comparison(state.inForce?.source ?? "", text.value, [
      button(t("cancel"), () => close(false)),
      submit(t("rules.publish"), { onclick: () => close(true) }),
    ]), "wide");
    if (!isSure) return undefined;
    try {
      const source = text.value;
      const ruleset = await deploy(project, target, source, state.inForce?.ruleset ?? null);
      state.inForce = { ruleset, source, updateTime: new Date().toISOString() };
      isDirty.value = text.value !== source;
      toast(t("rules.published"));
      drawInForce();
    } catch (error) {
      if (error.code === "ABORTED") await replacedMeanwhile();
      else complain(error);
    }
  };

  const replacedMeanwhile = async () => {
    state.inForce = await current(project, target);
    toast(t("rules.changed"));
    drawInForce();
  };

  const inForceText = muted();
  const drawInForce = () => show(inForceText, state.inForce ? t("rules.inForce", instant(state.inForce.updateTime)) : t(target.bucket ? "rules.noneStorage" : "rules.none"));
  drawInForce();
  const publishButton = h("button.primary", { onclick: publish }, t("rules.publish"));
  effect(() => {
    publishButton.disabled = (!isDirty.value && state.inForce !== null) || isBroken.value || isReadOnly();
    publishButton.title = isBroken.value ? t("rules.broken") : "";
  });
  command({ label: () => t("rules.publish"), writes: true, run: publish });
  checkNow();
  const restore = (source) => {
    text.value = source;
    isDirty.value = source !== state.inForce?.source;
    checkNow();
  };
  return [
    spread(h("h1", t("page.rules")), inline(targetChoice(project, target),
      button(t("replay"), () => replayDialog(project, target, text.value)),
      session.peek().mode === "development" && target.database === "(default)" && inForce ? button(t("coverage"), () => coverageDialog(project)) : null,
      button(t("rules.versions"), () => versionsDialog(project, target, text, restore)), publishButton)),
    inForceText,
    h("div.rules", h("section.stack", text.element, h("div", { role: "status" }, issues)), playground(project, target, () => text.value)),
    loading(import("./monitor.js"), inScope(({ monitor }) => monitor(project, target))),
  ];
}

/** The databases and buckets that may have rules. */
function targetChoice(project, target) {
  const holder = h("span");
  const draw = (buckets) => {
    const all = new Map([...databases.peek().map((database) => ({ database })), ...buckets.map((bucket) => ({ bucket })), target].map((one) => [releaseOf(one), one]));
    const option = ([release, one]) => h("option", { value: release, selected: release === releaseOf(target) }, one.bucket ?? one.database);
    const group = (label, isOf) => h("optgroup", { label }, [...all].filter(([, one]) => isOf(one)).sort().map(option));
    show(holder, h("select", { label: t("rules.target"), onchange: (event) => go({ project, area: "rules", rest: restOf(all.get(event.target.value)) }) },
      group(t("page.data"), (one) => one.database), group(t("page.files"), (one) => one.bucket)));
  };
  draw([]);
  if (hasService("storage")) listBuckets(project).then(draw, () => {});
  return holder;
}

const comparison = (before, after, buttons) => [diffView(diffLines(before, after)), actions(buttons)];

async function versionsDialog(project, target, text, restore) {
  try {
    const all = await versions(project, serviceOf(target));
    const chosen = await dialog(t("rules.versionsOf", target.bucket ?? target.database), (close) => [
      all.length === 0 ? h("p", t("rules.noVersions")) : h("ul.stack", all.map((one) =>
        h("li.spread", h("span", instant(one.createTime)), button(t("rules.compare"), () => close(one))))),
      closing(close),
    ]);
    if (!chosen) return;
    const source = await sourceOf(chosen.name);
    const isRestored = await dialog(t("rules.versionOf", instant(chosen.createTime)), (close) => comparison(text.value, source, [
      button(t("close"), () => close(false)),
      h("button", { type: "submit", onclick: () => close(true) }, t("rules.take")),
    ]), "wide");
    if (isRestored) restore(source);
  } catch (error) {
    complain(error);
  }
}
