import { confirm, dialog, explain, toast } from "../base/dialog.js";
import { command } from "../base/commands.js";
import { h, icon, iconButton, show } from "../base/dom.js";
import { instant, t } from "../base/i18n.js";
import { go, link, place } from "../base/navigation.js";
import { effect } from "../base/signal.js";
import { changesOf, create, find, list, providersOf, remove, update } from "./store.js";

/** The people of an app: found, made, changed, disabled, deleted. */
export function page() {
  const { project } = place.peek();
  const state = { users: [], next: null, isSearch: false };
  const rows = h("div", { class: "scroll" });
  const more = h("div", {});
  const draw = () => {
    show(rows, state.users.length === 0 ? h("p", {}, t(state.isSearch ? "users.notFound" : "users.none")) : table(state.users));
    show(more, state.next ? h("button", { type: "button", onclick: () => load(state.next) }, t("users.more")) : null);
  };
  const load = async (token = null) => {
    try {
      const found = await list(project, token);
      state.users = token ? [...state.users, ...found.users] : found.users;
      state.next = found.next;
      state.isSearch = false;
      draw();
    } catch (error) {
      show(rows, h("p", { class: "error", role: "alert" }, explain(error)));
    }
  };
  const input = h("input", { type: "search", "aria-label": t("users.search"), placeholder: t("users.search"), autocomplete: "off" });
  const search = async (event) => {
    event.preventDefault();
    if (!input.value.trim()) return load();
    try {
      Object.assign(state, { users: await find(project, input.value.trim()), next: null, isSearch: true });
      return draw();
    } catch (error) {
      return toast(explain(error));
    }
  };
  const add = async () => {
    const uid = await dialog(t("users.add"), (close) => createForm(project, close));
    if (!uid) return;
    toast(t("users.added"));
    load();
  };
  command({ label: () => t("users.add"), keys: "n", run: add });
  command({ label: () => t("users.search"), keys: "/", run: () => input.focus() });
  followAddress(project, load);
  load();
  return h("div", { class: "body" },
    h("div", { class: "spread" }, h("h1", {}, t("page.users")), h("button", { type: "button", class: "primary", onclick: add }, icon("plus"), t("users.add"))),
    h("form", { class: "row", role: "search", onsubmit: search }, h("div", { class: "grow" }, input), h("button", { type: "submit" }, t("users.find"))),
    rows, more);
}

/** Opens the user whom the address names. */
function followAddress(project, reload) {
  let opened = null;
  effect(() => {
    const [uid] = place.value.area === "users" ? place.value.rest : [];
    if (!uid || uid === opened) return;
    opened = uid;
    find(project, uid).then(async ([user]) => {
      if (user) await dialog(t("users.of", nameOf(user)), (close) => editForm(project, user, close));
      else toast(t("users.notFound"));
      opened = null;
      go({ project, area: "users" }, { replace: true });
      if (user) reload();
    }, (error) => toast(explain(error)));
  });
}

/** What a user is called: the first of address, number, name, uid. */
export const nameOf = (user) => user.email || user.phoneNumber || user.displayName || user.localId;

const dateOf = (milliseconds) => (milliseconds && milliseconds !== "0" ? instant(Number(milliseconds)) : "–");

function table(users) {
  return h("table", { class: "table" },
    h("thead", {}, h("tr", {}, ["users.identifier", "users.providers", "users.created", "users.lastSignIn", "users.uid"].map((key) => h("th", { scope: "col" }, t(key))))),
    h("tbody", {}, users.map((user) => h("tr", {},
      h("td", {}, h("a", { href: link("users", [user.localId]), dir: "auto" }, nameOf(user)), user.disabled ? [" ", h("span", { class: "badge", style: { color: "var(--danger)" } }, t("users.disabled"))] : null),
      h("td", {}, providersOf(user).join(", ") || "–"),
      h("td", {}, dateOf(user.createdAt)),
      h("td", {}, dateOf(user.lastLoginAt)),
      h("td", { class: "mono" }, user.localId)))));
}

function createForm(project, close) {
  const email = h("input", { type: "email", autocomplete: "off", autofocus: true });
  const password = h("input", { type: "password", autocomplete: "new-password" });
  const name = h("input", { type: "text", autocomplete: "off" });
  const problem = h("p", { class: "error", role: "alert" });
  const save = async () => {
    const user = Object.fromEntries(Object.entries({ email: email.value.trim(), password: password.value, displayName: name.value }).filter(([, text]) => text !== ""));
    try {
      close(await create(project, user));
    } catch (error) {
      show(problem, explain(error));
    }
  };
  return [
    h("label", { class: "field" }, t("users.email"), email), h("label", { class: "field" }, t("users.password"), password), h("label", { class: "field" }, t("users.name"), name), problem,
    h("div", { class: "actions" }, h("button", { type: "button", onclick: () => close(null) }, t("cancel")), h("button", { type: "submit", class: "primary", onclick: save }, t("save"))),
  ];
}

function editForm(project, user, close) {
  const text = (value, properties = {}) => h("input", { type: "text", value: value ?? "", autocomplete: "off", ...properties });
  const controls = {
    displayName: text(user.displayName), email: text(user.email, { type: "email" }), phoneNumber: text(user.phoneNumber, { type: "tel" }), photoUrl: text(user.photoUrl, { type: "url" }),
    password: text("", { type: "password", autocomplete: "new-password" }),
  };
  const flags = { emailVerified: h("input", { type: "checkbox", checked: Boolean(user.emailVerified) }), disabled: h("input", { type: "checkbox", checked: Boolean(user.disabled) }) };
  const claims = h("textarea", { class: "mono", rows: 3, spellcheck: "false", value: user.customAttributes || "{}" });
  const problem = h("p", { class: "error", role: "alert" });
  const act = async (work, said) => {
    try {
      await work();
      toast(t(said));
      close(true);
    } catch (error) {
      show(problem, explain(error));
    }
  };
  const save = () => {
    const typed = Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, control.value]));
    const changes = changesOf(user, { ...typed, claims: claims.value.trim() || "{}", emailVerified: flags.emailVerified.checked, disabled: flags.disabled.checked });
    return Object.keys(changes).length === 0 ? close(null) : act(() => update(project, user.localId, changes), "users.saved");
  };
  const destroy = async () => {
    if (await confirm(t("users.delete"), t("users.deleteText", nameOf(user)), t("users.deleteIt", nameOf(user)))) act(() => remove(project, user.localId), "users.deleted");
  };
  const revoke = () => act(() => update(project, user.localId, { validSince: String(Math.floor(Date.now() / 1_000)) }), "users.revoked");
  const labels = { displayName: "users.name", email: "users.email", phoneNumber: "users.phone", photoUrl: "users.photo", password: "users.newPassword" };
  return [
    h("p", { class: "mono" }, user.localId),
    Object.entries(controls).map(([name, control]) => h("label", { class: "field" }, t(labels[name]), control)),
    h("label", { class: "row" }, flags.emailVerified, t("users.verified")), h("label", { class: "row" }, flags.disabled, t("users.disabled")),
    h("label", { class: "field" }, t("users.claims"), claims),
    providerList(project, user, act), problem,
    h("div", { class: "spread" },
      h("div", { class: "row" }, h("button", { type: "button", class: "danger", onclick: destroy }, icon("trash"), t("users.delete")), h("button", { type: "button", onclick: revoke }, t("users.revoke"))),
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => close(null) }, t("cancel")), h("button", { type: "submit", class: "primary", onclick: save }, t("save")))),
  ];
}

function providerList(project, user, act) {
  const linked = providersOf(user).filter((provider) => !["password", "phone"].includes(provider));
  const factors = user.mfaInfo ?? [];
  if (linked.length === 0 && factors.length === 0) return null;
  return h("ul", { class: "stack", "aria-label": t("users.providers") },
    linked.map((provider) => h("li", { class: "spread" }, provider,
      iconButton("trash", t("users.unlink", provider), () => act(() => update(project, user.localId, { deleteProvider: [provider] }), "users.saved")))),
    factors.length > 0 ? h("li", { class: "spread" }, t("users.factors", factors.length),
      iconButton("trash", t("users.dropFactors"), () => act(() => update(project, user.localId, { mfa: {} }), "users.saved"))) : null);
}
