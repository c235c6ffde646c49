import { command } from "../base/commands.js";
import { blank, button, changing, dialog, failure, field, form, go, h, input, link, onCleanup, place, primary, searchLine, show, spread, stateBadge, t, table, toast } from "../base/ui.js";
import { dateOf, nameOf, providerName } from "./names.js";
import { create, get, list, providersOf, search } from "./store.js";
import { userView } from "./user.js";

/** How long after the last key a search begins. */
const TYPING_MILLISECONDS = 300;

/** The people of an app: all of them, or the one of the address. */
export function page() {
  const { project } = place.peek();
  let opened = "";
  return changing(h("div.body"), () => (place.value.area === "users" ? place.value.rest.slice(0, 1) : null), ([uid]) => {
    const before = opened;
    opened = uid ?? "";
    return uid ? userView(project, uid) : listView(project, before);
  });
}

/** All of them, or those who were looked for; the focus goes to the one who was open before. */
function listView(project, opened) {
  const { query } = place.peek();
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
  const wanted = searchLine("users.search", () => { clearTimeout(timer); timer = setTimeout(look, TYPING_MILLISECONDS); }, query.q);
  /** Shows whom the field finds, and keeps it in the address. */
  const look = async () => {
    const text = wanted.value.trim();
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
  onCleanup(() => { clearTimeout(timer); state.searching.abort(); });
  const add = async () => {
    const uid = await dialog(t("users.add"), (close) => createForm(project, close));
    if (!uid) return;
    toast(t("users.added"));
    state.users = [await get(project, uid), ...state.users];
    draw();
  };
  const submitSearch = () => {
    clearTimeout(timer);
    look();
  };
  command({ label: () => t("users.add"), keys: "n", writes: true, run: add });
  command({ label: () => t("users.search"), keys: "/", run: () => wanted.focus() });
  look().then(() => document.querySelector(`main a[data-uid="${CSS.escape(opened)}"]`)?.focus());
  return [spread(h("h1", t("page.users")), primary(t("users.add"), add)),
    h("form.row", { role: "search", onsubmit: submitSearch }, h("div.grow", wanted), h("button", { type: "submit" }, t("users.find"))),
    status, rows, more];
}

const userTable = (users, query) => table(["users.identifier", "users.providers", "users.created", "users.lastSignIn", "users.uid"], users.map((user) => [
  [h("a", { href: link("users", [user.localId], query), data: { uid: user.localId } }, nameOf(user)), user.displayName && user.displayName !== nameOf(user) ? h("div.note", user.displayName) : null, user.disabled ? [" ", stateBadge("danger", t("users.disabled"), "lock")] : null],
  providersOf(user).map(providerName).join(", ") || "–", dateOf(user.createdAt), dateOf(user.lastLoginAt), h("code", user.localId)]));

function createForm(project, close) {
  const email = input("", { type: "email", autofocus: true });
  const password = input("", { type: "password", autocomplete: "new-password" });
  const name = input();
  const save = () => create(project, Object.fromEntries(Object.entries({ email: email.value.trim(), password: password.value, displayName: name.value }).filter(([, text]) => text !== "")));
  return form(close, t("save"), save, field("users.email", email), field("users.password", password), field("name", name));
}
