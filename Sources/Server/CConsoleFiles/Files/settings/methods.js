import { remover } from "../base/managed.js";
import { adder, button, call, checkbox, complain, confirmed, dialog, failure, field, form, group, h, iconButton, inline, input, listing, loading, note, path, place, primary, section, select, show, stack, t, tableOr, toast } from "../base/ui.js";

/** How people sign in to a project's apps: methods, providers, authorized domains and the texts of mails. */

const FLAGS = [["signIn.email.enabled", "password"], ["signIn.email.passwordRequired", "emailLink", true], ["signIn.anonymous.enabled", "anonymous"], ["client.permissions.disabledUserSignup", "signUp", true], ["client.permissions.disabledUserDeletion", "deletion", true]];
const KNOWN = { "google.com": "Google", "apple.com": "Apple", "github.com": "GitHub", "microsoft.com": "Microsoft", "facebook.com": "Facebook" };
const MAILS = ["resetPasswordTemplate", "verifyEmailTemplate", "emailSignInTemplate", "verifyAndChangeEmailTemplate", "changeEmailTemplate"];

const root = (project, ...rest) => path("v2", "projects", project, ...rest);

/** The value at a path of an object, as `signIn.email.enabled`. Pure. */
export const valueAt = (object, where) => where.split(".").reduce((value, name) => value?.[name], object);

/** An object with nothing but a value at a path. Pure. */
export const objectWith = (where, value) => where.split(".").reduceRight((inner, name) => ({ [name]: inner }), value);

/** Changes one part of the project's configuration. */
const configure = (project, where, value) => call("PATCH", `${root(project, "config")}?updateMask=${where}`, objectWith(where, value));

export function methodsView() {
  const { project } = place.peek();
  const handler = `${location.origin}/__/auth/handler`;
  return loading(call("GET", root(project, "config")), (config) => h("div.sections",
    methodList(project, config),
    providerList(project, handler),
    domainList(project, config),
    mailList(project, config.notification?.sendEmail ?? {})));
}

// Methods

const methodList = (project, config) => section(t("methods.own"), FLAGS.map(([where, name, isInverse]) => {
  const box = checkbox(Boolean(valueAt(config, where)) !== Boolean(isInverse), { writes: true });
  box.addEventListener("change", async () => {
    try {
      await configure(project, where, box.checked !== Boolean(isInverse));
      toast(t("methods.saved"));
    } catch (error) {
      box.checked = !box.checked;
      complain(error);
    }
  });
  return h("label.row", box, t(`methods.${name}`));
}));

// Providers

function providerList(project, handler) {
  const rows = h("div");
  const load = async () => {
    try {
      const [known, open] = await Promise.all(["defaultSupportedIdpConfigs", "oauthIdpConfigs"].map((kind) => call("GET", `${root(project, kind)}?pageSize=100`)));
      const all = [...(known.defaultSupportedIdpConfigs ?? []), ...(open.oauthIdpConfigs ?? [])].map((one) => ({ ...one, id: one.name.split("/").at(-1) }));
      show(rows, providerTable(all));
    } catch (error) {
      show(rows, failure(error));
    }
  };
  const edit = async (provider) => (await dialog(provider ? t("methods.providerOf", provider.id) : t("methods.addProvider"), (close) => providerForm(project, handler, provider, close))) && (toast(t("methods.saved")), load());
  const remove = async (title, textKey, id) => {
    if (await confirmed(title, t(textKey), () => call("DELETE", root(project, collectionOf(id), id)))) load();
  };
  const providerTable = (providers) => tableOr("methods.noProvider", ["methods.provider", "methods.state", "methods.clientId", null], providers.map((one) => [
    [KNOWN[one.id] ?? one.displayName ?? one.id, h("div.note", one.id)], t(one.enabled ? "methods.on" : "methods.off"), h("code", one.clientId ?? ""),
    inline(iconButton("edit", t("methods.providerOf", one.id), () => edit(one), { writes: true }), remover(t("methods.removeProvider", one.id), "methods.removeText", one.id, remove))]));
  load();
  return listing("methods.providers", primary(t("methods.addProvider"), () => edit(null)), note(t("methods.callback"), " ", h("code", handler)), rows);
}

const collectionOf = (id) => (id.startsWith("oidc.") ? "oauthIdpConfigs" : "defaultSupportedIdpConfigs");

/** The fields of a provider with what the API calls them, and those providers that have them. */
const FIELDS = [
  ["clientId", "methods.clientId", () => true],
  ["clientSecret", "methods.secret", (id) => id !== "apple.com", "password"],
  ["issuer", "methods.issuer", (id) => id.startsWith("oidc."), "url"],
  ["tenant", "methods.tenant", (id) => id === "microsoft.com"],
  ["appleSignInConfig.codeFlowConfig.teamId", "methods.team", (id) => id === "apple.com"],
  ["appleSignInConfig.codeFlowConfig.keyId", "methods.keyId", (id) => id === "apple.com"],
  ["appleSignInConfig.codeFlowConfig.privateKey", "methods.key", (id) => id === "apple.com", "key"],
];
const isSecret = (where) => where === "clientSecret" || where.endsWith("privateKey");

/** The body of a call and its mask: texts that were typed, and never an empty secret. Pure. */
export function providerChange(enabled, typed) {
  const fields = Object.entries(typed).filter(([where, text]) => text !== "" || !isSecret(where));
  const merge = (into, [where, text]) => {
    const names = where.split(".");
    const holder = names.slice(0, -1).reduce((object, name) => (object[name] ??= {}), into);
    holder[names.at(-1)] = text;
    return into;
  };
  return { body: fields.reduce(merge, { enabled }), mask: ["enabled", ...fields.map(([where]) => where)].join(",") };
}

function providerForm(project, handler, provider, close) {
  const kind = select([...Object.entries(KNOWN), ["oidc.", "OpenID Connect"]], "google.com", { onchange: () => draw() });
  const name = input("", { class: "mono" });
  const enabled = checkbox(provider ? Boolean(provider.enabled) : true);
  const rows = stack();
  const controls = new Map();
  const idOf = () => provider?.id ?? (kind.value === "oidc." ? `oidc.${name.value.trim()}` : kind.value);
  const nameField = field("methods.openName", name);
  const draw = () => {
    nameField.hidden = Boolean(provider) || kind.value !== "oidc.";
    controls.clear();
    show(rows, FIELDS.filter(([, , fits]) => fits(idOf())).map(([where, key, , type = "text"]) => {
      const hint = isSecret(where) && (provider?.hasSecret || valueAt(provider, where)) ? { placeholder: t("methods.kept") } : {};
      const control = type === "key" ? h("textarea.mono", { rows: 4, spellcheck: "false", ...hint }) : input(isSecret(where) ? "" : valueAt(provider, where), { type, ...(type === "password" ? { autocomplete: "new-password" } : {}), ...hint });
      controls.set(where, control);
      return field(key, control);
    }));
  };
  const save = async () => {
    const { body, mask } = providerChange(enabled.checked, Object.fromEntries([...controls].map(([where, control]) => [where, control.value.trim()])));
    const id = idOf();
    const collection = root(project, collectionOf(id));
    if (provider) await call("PATCH", `${collection}${path(id)}?updateMask=${mask}`, body);
    else await call("POST", `${collection}?${id.startsWith("oidc.") ? "oauthIdpConfigId" : "idpId"}=${encodeURIComponent(id)}`, body);
    return true;
  };
  draw();
  return form(close, t("save"), save, provider ? null : field("methods.provider", kind), nameField, h("label.row", enabled, t("methods.enabled")), rows, note(t("methods.callback"), " ", h("code", handler)));
}

// Domains

function domainList(project, config) {
  const rows = stack();
  const add = (domain = "") => rows.append(inline(input(domain, { class: "mono", label: t("methods.domain") })));
  for (const domain of config.authorizedDomains ?? []) add(domain);
  const save = async () => {
    const domains = [...rows.querySelectorAll("input")].map((one) => one.value.trim()).filter((one) => one !== "");
    await configure(project, "authorizedDomains", domains).then(() => toast(t("methods.saved")), complain);
  };
  return section(t("methods.domains"), note(t("methods.domainsText")), group(t("methods.domain"), rows, adder(t("methods.addDomain"), () => add(), { writes: true })), h("div", button(t("methods.saveDomains"), save, { writes: true })));
}

// Mails

function mailList(project, mails) {
  const edit = async (name) => {
    const saved = await dialog(t(`methods.${name}`), (close) => mailForm(project, name, mails[name] ?? {}, close));
    if (!saved) return;
    mails[name] = saved;
    toast(t("methods.saved"));
  };
  return section(t("methods.mails"), note(t("methods.mailsText")), h("ul.stack", MAILS.map((name) => h("li", button(t(`methods.${name}`), () => edit(name), { writes: true })))));
}

function mailForm(project, name, mail, close) {
  const subject = input(mail.subject, { maxlength: 300 });
  const body = h("textarea", { rows: 10, value: mail.body ?? "" });
  const save = async () => {
    const texts = { subject: subject.value, body: body.value };
    await configure(project, `notification.sendEmail.${name}`, texts);
    return texts;
  };
  return form(close, t("save"), save, field("methods.subject", subject), field("methods.body", body), note(t("methods.placeholders")));
}
