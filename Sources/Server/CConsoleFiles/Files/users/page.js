import { command } from "../base/commands.js";
import { button, complain, confirm, dialog, effect, explain, failure, field, form, go, h, icon, iconButton, inline, input as line, instant, link, place, primary, problemLine, show, spread, submit, t, table, textIn, toast } from "../base/ui.js";
import { changesOf, create, find, list, providersOf, remove, update } from "./store.js";

/** The people of an app: found, made, changed, disabled, deleted. */
export function page() {
  const { project } = place.peek();
  const state = { users: [], next: null, isSearch: false };
  const rows = h("div", {});
  const more = h("div", {});
  const draw = () => {
    show(rows, state.users.length === 0 ? h("p", {}, t(state.isSearch ? "users.notFound" : "users.none")) : userTable(state.users));
    show(more, state.next ? button(t("users.more"), () => load(state.next)) : null);
  };
  const load = async (token = null) => {
    try {
      const found = await list(project, token);
      state.users = token ? [...state.users, ...found.users] : found.users;
      state.next = found.next;
      state.isSearch = false;
      draw();
    } catch (error) {
      show(rows, failure(error));
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
      return complain(error);
    }
  };
  const add = async () => {
    const uid = await dialog(t("users.add"), (close) => createForm(project, close));
    if (!uid) return;
    toast(t("users.added"));
    load();
  };
  command({ label: () => t("users.add"), keys: "n", writes: true, run: add });
  command({ label: () => t("users.search"), keys: "/", run: () => input.focus() });
  followAddress(project, load);
  load();
  return h("div", { class: "body" },
    spread(h("h1", {}, t("page.users")), primary(t("users.add"), add)),
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
    }, complain);
  });
}

/** What a user is called: the first of address, number, name, uid. */
export const nameOf = (user) => user.email || user.phoneNumber || user.displayName || user.localId;

const dateOf = (milliseconds) => (milliseconds && milliseconds !== "0" ? instant(Number(milliseconds)) : "–");

const userTable = (users) => table(["users.identifier", "users.providers", "users.created", "users.lastSignIn", "users.uid"], users.map((user) => [
  [h("a", { href: link("users", [user.localId]) }, nameOf(user)), user.disabled ? [" ", h("span", { class: "badge", style: { color: "var(--danger)" } }, t("users.disabled"))] : null],
  providersOf(user).join(", ") || "–", dateOf(user.createdAt), dateOf(user.lastLoginAt), h("code", {}, user.localId)]));

function createForm(project, close) {
  const email = line("", { type: "email", autofocus: true });
  const password = line("", { type: "password", autocomplete: "new-password" });
  const name = line();
  const save = () => create(project, Object.fromEntries(Object.entries({ email: email.value.trim(), password: password.value, displayName: name.value }).filter(([, text]) => text !== "")));
  return form(close, t("save"), save, field("users.email", email), field("users.password", password), field("name", name));
}

function editForm(project, user, close) {
  const controls = {
    displayName: line(user.displayName), email: line(user.email, { type: "email" }), phoneNumber: line(user.phoneNumber, { type: "tel" }), photoUrl: line(user.photoUrl, { type: "url" }),
    password: line("", { type: "password", autocomplete: "new-password" }),
  };
  const flags = { emailVerified: h("input", { type: "checkbox", checked: Boolean(user.emailVerified) }), disabled: h("input", { type: "checkbox", checked: Boolean(user.disabled) }) };
  const claims = h("textarea", { class: "mono", rows: 3, spellcheck: "false", value: user.customAttributes || "{}" });
  const problem = problemLine();
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
    const typed = Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, textIn(control, user[name])]));
    const changes = changesOf(user, { ...typed, claims: claims.value.trim() || "{}", emailVerified: flags.emailVerified.checked, disabled: flags.disabled.checked });
    return Object.keys(changes).length === 0 ? close(null) : act(() => update(project, user.localId, changes), "users.saved");
  };
  const destroy = async () => {
    if (await confirm(t("users.delete"), t("users.deleteText", nameOf(user)), t("users.deleteIt", nameOf(user)))) act(() => remove(project, user.localId), "users.deleted");
  };
  const revoke = () => act(() => update(project, user.localId, { validSince: String(Math.floor(Date.now() / 1_000)) }), "users.revoked");
  const labels = { displayName: "name", email: "users.email", phoneNumber: "users.phone", photoUrl: "users.photo", password: "users.newPassword" };
  return [
    h("p", { class: "mono" }, user.localId),
    Object.entries(controls).map(([name, control]) => field(labels[name], control)),
    h("label", { class: "row" }, flags.emailVerified, t("users.verified")), h("label", { class: "row" }, flags.disabled, t("users.disabled")),
    field("users.claims", claims),
    providerList(project, user, act), problem,
    spread(
      inline(button([icon("trash"), t("users.delete")], destroy, { class: "danger", writes: true }), button(t("users.revoke"), revoke, { writes: true })),
      inline(button(t("cancel"), () => close(null)), submit(t("save"), { onclick: save, writes: true }))),
  ];
}

function providerList(project, user, act) {
  const linked = providersOf(user).filter((provider) => !["password", "phone"].includes(provider));
  const factors = user.mfaInfo ?? [];
  if (linked.length === 0 && factors.length === 0) return null;
  return h("ul", { class: "stack", "aria-label": t("users.providers") },
    linked.map((provider) => h("li", { class: "spread" }, provider,
      iconButton("trash", t("users.unlink", provider), () => act(() => update(project, user.localId, { deleteProvider: [provider] }), "users.saved"), { writes: true }))),
    factors.length > 0 ? h("li", { class: "spread" }, t("users.factors", factors.length),
      iconButton("trash", t("users.dropFactors"), () => act(() => update(project, user.localId, { mfa: {} }), "users.saved"), { writes: true })) : null);
}
