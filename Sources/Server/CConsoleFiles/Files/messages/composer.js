import { button, checkbox, code, dialog, explain, field, form, freshID, go, group, guardLeaving, h, icon, inline, input, instant, loading, named, note, notice, number, onCleanup, pairs, place, problemLine, select, show, stack, submit, t, toast, valuesOf } from "../base/ui.js";
import { messageOf, TARGETS } from "./model.js";
import { reachOf } from "./reach.js";
import { audiences, get, send, topics } from "./store.js";

/** The form of a message, with what it will look like beside it. */

/** The device that trials go to, for as long as the tab is open. */
let trialToken = "";

export function composer() {
  const { project, query } = place.peek();
  if (!query.from) return compose(project, query, {});
  return loading(get(project, query.from), ({ message }) => compose(project, query, message ?? {}));
}

function compose(project, { topic, audience }, { notification = {}, data = {}, fcm_options: options = {} }) {
  const long = (text) => h("textarea", { rows: 3, value: text ?? "" });
  const controls = {
    title: input(notification.title, { maxlength: 500, spellcheck: "true" }), body: long(notification.body), image: input(notification.image, { type: "url" }),
    priority: select(named("priority", ["high", "normal"]), "high"),
    life: input("", { type: "number", min: 0, max: 2_419_200 }), collapse: input(""), link: input("", { type: "url" }),
    badge: input("", { type: "number", min: 0 }), sound: input(""), label: input(options.analytics_label, { maxlength: 50 }),
  };
  const pairsOf = pairs(data, t("messages.data"));
  const kind = select(named("target", TARGETS), audience ? "audience" : "topic", { label: t("messages.target"), onchange: () => { suggest(); draw(); } });
  const names = h("datalist", { id: freshID("names") });
  const value = input(audience ?? topic ?? "", { class: "mono grow", list: names.id, label: t("messages.targetValue") });
  const suggest = () => suggestNames(project, kind.value, names);
  const time = input("", { type: "datetime-local" });
  const preview = stack();
  const problem = problemLine();
  const start = () => (time.value ? new Date(time.value) : new Date());
  const read = () => messageOf({ ...valuesOf(controls), data: pairsOf.read() }, start().getTime());
  const recipient = () => ({ kind: kind.value, value: value.value.trim() });
  const draw = () => show(preview, previewOf(read(), controls));
  const release = guardLeaving((isSilent) => (!controls.title.value && !controls.body.value) || (!isSilent && window.confirm(t("messages.discard"))));
  onCleanup(release);
  const act = async (work) => {
    try {
      show(problem);
      await work();
    } catch (error) {
      show(problem, explain(error));
    }
  };
  const check = () => act(async () => { await send(project, read(), recipient(), { at: time.value ? start().toISOString() : null, isTrial: true }); const reach = await reachNow(project, recipient()); toast(`${t("messages.valid")} ${reach.unknown.length > 0 ? unknownText(recipient(), reach) : reachText(reach)}`); });
  const review = () => act(async () => {
    const at = time.value ? start().toISOString() : null;
    await send(project, read(), recipient(), { at, isTrial: true });
    const reach = await reachNow(project, recipient());
    const id = await dialog(t(at ? "messages.schedule" : "messages.send"), (close) => reviewForm(project, read(), recipient(), at, reach, close));
    if (!id) return;
    release();
    toast(t(at ? "messages.scheduled" : "messages.accepted"));
    go({ project, area: "messages", rest: ["sent", id] });
  });
  const trial = () => act(async () => { if (await dialog(t("messages.trial"), (close) => trialForm(project, read(), close))) toast(t("messages.accepted")); });
  draw();
  suggest();
  const labelled = (name) => field(`messages.${name}`, controls[name]);
  const more = h("details", h("summary", t("messages.options")), stack(["priority", "life", "collapse", "link", "badge", "sound", "label"].map(labelled)));
  return h("form.compose", { onsubmit: (event) => event.preventDefault(), oninput: draw },
    stack(labelled("title"), labelled("body"), labelled("image"), pairsOf.element,
      group(t("messages.target"), inline(kind, value, names), note(t("messages.targetText"))),
      field("messages.when", time), note(t("messages.whenText")), more, problem,
      inline(submit(t("messages.review"), { onclick: review, writes: true }), button(t("messages.trial"), trial, { writes: true }), button(t("messages.check"), check, { writes: true }))),
    h("aside.stack", { label: t("messages.preview") }, h("h2", t("messages.preview")), preview));
}

/** Offers the names that there are of a kind of recipient, with how many they reach. */
async function suggestNames(project, kind, list) {
  const load = { audience: audiences, topic: topics }[kind];
  const found = load ? await load(project).catch(() => []) : [];
  show(list, found.map((one) => h("option", { value: one.name, label: `${one.name} (${number(one.users ?? one.registrations)})` })));
}

/** What it will look like: the parts that each platform shows. */
function previewOf(message, controls) {
  const { title, body, image } = message.notification ?? {};
  const bubble = (platform, ...more) => h("section.stack.tight", h("h3", platform),
    title || body ? h("div.bubble", h("b", { dir: "auto" }, title ?? ""), h("span", { dir: "auto" }, body ?? ""), more) : note(t("messages.silent")));
  const small = (text) => (text ? h("span.note", { dir: "auto" }, text) : null);
  return [
    bubble("Apple", small(controls.badge.value && `● ${controls.badge.value}`), small(image)), bubble("Android", small(image)), bubble("Web", small(message.webpush?.fcm_options?.link), small(image)),
    h("details", h("summary", t("messages.json")), h("pre", JSON.stringify(message, null, 2))),
  ];
}

const targetText = ({ kind, value }) => h("p", t(`target.${kind}`), " ", code(value));

/** Whom a recipient reaches now, by the lists that are about its kind. */
async function reachNow(project, recipient) {
  const lists = { topic: { topics }, condition: { topics }, audience: { audiences } }[recipient.kind] ?? {};
  const loaded = await Promise.all(Object.entries(lists).map(async ([name, load]) => [name, await load(project)]));
  return reachOf(recipient, Object.fromEntries(loaded));
}

const reachText = ({ unit, count, isMost }) => t(count === null ? "reach.unknown" : `reach.${unit}`, count, isMost);
const unknownText = ({ kind }, { unknown }) => t(kind === "audience" ? "reach.noAudience" : "reach.noTopic", unknown.join(", "));

function reviewForm(project, message, recipient, at, reach, close) {
  const { title, body } = message.notification ?? {};
  const isNobody = reach.unknown.length > 0 || reach.count === 0;
  const anyway = checkbox(false);
  const save = () => {
    if (isNobody && !anyway.checked) throw new Error(t("reach.confirm"));
    return send(project, message, recipient, { at });
  };
  const warning = isNobody ? [notice("warn", reach.unknown.length > 0 ? unknownText(recipient, reach) : t("reach.nobody")), h("label.row", anyway, t("reach.anyway"))] : null;
  return form(close, t(at ? "messages.schedule" : "messages.send"), save,
    title || body ? h("div.bubble", h("b", { dir: "auto" }, title ?? ""), h("span", { dir: "auto" }, body ?? "")) : note(t("messages.silent")),
    targetText(recipient), h("p.reach", icon("users"), " ", reachText(reach)), at ? h("p", t("messages.at", instant(at))) : null, warning, note(t("messages.reviewText")));
}

function trialForm(project, message, close) {
  const token = input(trialToken, { class: "mono", autofocus: true });
  const save = () => {
    trialToken = token.value.trim();
    return send(project, message, { kind: "token", value: trialToken });
  };
  return form(close, t("messages.send"), save, field("target.token", token), note(t("messages.trialText")));
}
