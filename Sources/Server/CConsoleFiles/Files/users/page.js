import { command } from "../base/commands.js";
import { bin, blank, button, checkbox, complain, confirm, dialog, effect, explain, failure, field, form, go, h, icon, iconButton, inline, instant, link, onCleanup, place, primary, problemLine, show, spread, submit, t, table, textIn, textOr, toast } from "../base/ui.js";
import { changesOf, create, get, list, providersOf, remove, search, update } from "./store.js";

/** How long after the last key a search begins. */
const TYPING_MILLISECONDS = 300;

/** The people of an app: found, made, changed, disabled, deleted. */
export function page() {
  const { project, query } = place.peek();
  const state = { users: [], next: null, found: null, searching: new AbortController() };
  const rows = h("div");
  const status = h("p.note", { role: "status" });
  const more = h("div");
  const draw = () => {
    const { users, next, found } = state;
    show(rows, users.length > 0 ? userTable(users, place.peek().query) : found && !found.isOver ? null : blank("users", t(found ? "users.notFound" : "users.none")));
    show(status, found ? t(found.isWhole || !found.isOver ? "users.looked" : "users.lookedAt", found.seen) : null);
    show(more, next ? button(t("users.more"), () => load(next)) : null);
  };
  const problem = (error) => error.name === "AbortError" || show(rows, failure(error));
  const load = async (token = null) => {
    try {
      const found = await list(project, token);
      Object.assign(state, { users: token ? [...state.users, ...found.users] : found.users, next: found.next, found: null });
      draw();
    } catch (error) {
      problem(error);
    }
  };
  const input = h("input", { type: "search", "aria-label": t("users.search"), placeholder: t("users.search"), autocomplete: "off", value: query.q ?? "" });
  /** Shows whom the field finds, and keeps it in the address. */
  const look = async () => {
    const text = input.value.trim();
    state.searching.abort();
    const searching = new AbortController();
    state.searching = searching;
    if (place.peek().rest.length === 0 && (place.peek().query.q ?? "") !== text) go({ project, area: "users", query: text ? { q: text } : {} }, { replace: true });
    if (!text) return load();
    const take = (found, isOver) => {
      if (searching.signal.aborted) return;
      Object.assign(state, { users: found.users, next: null, found: { ...found, isOver } });
      draw();
    };
    try {
      return take(await search(project, text, { signal: searching.signal, progress: (found) => take(found, false) }), true);
    } catch (error) {
      return searching.signal.aborted || problem(error);
    }
  };
  let timer = null;
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, TYPING_MILLISECONDS); });
  onCleanup(() => { clearTimeout(timer); state.searching.abort(); });
  /** One user was made, changed or deleted: the others stay as they are. */
  const renew = async (uid) => {
    const user = await get(project, uid).catch(() => null);
    const at = state.users.findIndex((one) => one.localId === uid);
    state.users = user === null ? state.users.filter((one) => one.localId !== uid) : at < 0 ? [user, ...state.users] : state.users.with(at, user);
    draw();
  };
  const add = async () => {
    const uid = await dialog(t("users.add"), (close) => createForm(project, close));
    if (!uid) return;
    toast(t("users.added"));
    await renew(uid);
  };
  const submitSearch = (event) => {
    event.preventDefault();
    clearTimeout(timer);
    look();
  };
  command({ label: () => t("users.add"), keys: "n", writes: true, run: add });
  command({ label: () => t("users.search"), keys: "/", run: () => input.focus() });
  followAddress(project, renew);
  look();
  return h("div.body",
    spread(h("h1", t("page.users")), primary(t("users.add"), add)),
    h("form.row", { role: "search", onsubmit: submitSearch }, h("div.grow", input), h("button", { type: "submit" }, t("users.find"))),
    status, rows, more);
}

/** Opens the user whom the address names. */
function followAddress(project, renew) {
  let opened = null;
  effect(() => {
    const [uid] = place.value.area === "users" ? place.value.rest : [];
    if (!uid || uid === opened) return;
    opened = uid;
    const { query } = place.peek();
    get(project, uid).then(async (user) => {
      const isChanged = user && await dialog(t("users.of", nameOf(user)), (close) => editForm(project, user, close));
      if (!user) toast(t("users.notFound"));
      opened = null;
      go({ project, area: "users", query }, { replace: true });
      if (isChanged) await renew(uid);
      document.querySelector(`main a[data-uid="${CSS.escape(uid)}"]`)?.focus();
    }, complain);
  });
}

/** What a user is called: the first of address, number, name, uid. */
export const nameOf = (user) => user.email || user.phoneNumber || user.displayName || user.localId;

/** What people call a provider; one that the project named itself has its id. */
const providerName = (id) => textOr(`provider.${id}`, id);

const dateOf = (milliseconds) => (milliseconds && milliseconds !== "0" ? instant(Number(milliseconds)) : "–");

const userTable = (users, query) => table(["users.identifier", "users.providers", "users.created", "users.lastSignIn", "users.uid"], users.map((user) => [
  [h("a", { href: link("users", [user.localId], query), data: { uid: user.localId } }, nameOf(user)), user.displayName && user.displayName !== nameOf(user) ? h("div.note", user.displayName) : null, user.disabled ? [" ", h("span.badge", { style: { color: "var(--danger)" } }, t("users.disabled"))] : null],
  providersOf(user).map(providerName).join(", ") || "–", dateOf(user.createdAt), dateOf(user.lastLoginAt), h("code", user.localId)]));

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
  const flags = { emailVerified: checkbox(Boolean(user.emailVerified)), disabled: checkbox(Boolean(user.disabled)) };
  const claims = h("textarea.mono", { rows: 3, spellcheck: "false", value: user.customAttributes || "{}" });
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
    h("p.mono", user.localId),
    Object.entries(controls).map(([name, control]) => field(labels[name], control)),
    h("label.row", flags.emailVerified, t("users.verified")), h("label.row", flags.disabled, t("users.disabled")),
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
  return h("ul.stack", { "aria-label": t("users.providers") },
    linked.map((provider) => h("li.spread", providerName(provider),
      bin(t("users.unlink", providerName(provider)), () => act(() => update(project, user.localId, { deleteProvider: [provider] }), "users.saved")))),
    factors.length > 0 ? h("li.spread", t("users.factors", factors.length),
      iconButton("trash", t("users.dropFactors"), () => act(() => update(project, user.localId, { mfa: {} }), "users.saved"), { writes: true })) : null);
}
