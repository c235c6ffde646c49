// Development's page in place of a provider's: a person takes an account that signed in before, or invents one.

const texts = {
  en: {
    title: "Sign in with %s", explanation: "This is a development server. No provider is asked: choose who signs in.",
    invent: "Add a new account", email: "E-mail", name: "Name", screenName: "Screen name", photo: "Address of a photo",
    submit: "Sign in", generate: "Fill in for me", cancel: "Cancel", back: "Back", provider: "Go to the provider's page",
    optional: "%s (optional)",
  },
  "pt-BR": {
    title: "Entrar com %s", explanation: "Este é um servidor de desenvolvimento. Nenhum provedor é consultado: escolha quem entra.",
    invent: "Adicionar uma conta", email: "E-mail", name: "Nome", screenName: "Nome de usuário", photo: "Endereço de uma foto",
    submit: "Entrar", generate: "Preencher para mim", cancel: "Cancelar", back: "Voltar", provider: "Ir à página do provedor",
    optional: "%s (opcional)",
  },
};
const text = texts[document.documentElement.lang] || texts.en;
const names = ["Ana Souza", "Bia Lima", "Caio Alves", "Davi Rocha", "Elis Nunes", "Gil Prado"];

function element(name, content, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = content;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function button(content, attributes, act) {
  const made = element("button", content, { type: "button", ...attributes });
  made.addEventListener("click", act);
  return made;
}

/** The identities of the provider that the project's users have. */
async function knownIdentities(project, providerId) {
  try {
    const path = `/v1/projects/${encodeURIComponent(project)}/accounts:batchGet?maxResults=1000`;
    const answer = await fetch(path, { headers: { Authorization: "Bearer owner" } });
    const { users = [] } = answer.ok ? await answer.json() : {};
    return users.flatMap((user) => user.providerUserInfo ?? []).filter((found) => found.providerId === providerId);
  } catch {
    return [];
  }
}

/** An ID token's claims, without what is empty. */
function claimsOf(subject, { email, displayName, screenName, photoUrl }) {
  const all = {
    sub: subject, email, email_verified: email ? true : undefined, name: displayName, screen_name: screenName,
    picture: photoUrl,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ""));
}

const digits = () => Array.from(crypto.getRandomValues(new Uint8Array(21)), (byte) => byte % 10).join("");

function field(form, id, label, attributes = {}) {
  const shown = attributes.required === undefined ? text.optional.replace("%s", () => label) : label;
  const input = element("input", "", { id, autocomplete: "off", ...attributes });
  const row = element("label", shown);
  row.append(input);
  form.append(row);
  return input;
}

/** The form for an account that the provider has not seen. */
function invention(choose) {
  const form = element("form", "", { id: "main-form" });
  const email = field(form, "email-input", text.email, { type: "email", required: "" });
  const displayName = field(form, "display-name-input", text.name);
  const screenName = field(form, "screen-name-input", text.screenName);
  const photoUrl = field(form, "profile-photo-input", text.photo, { type: "url" });
  form.append(
    button(text.generate, { class: "quiet", id: "autogen-button" }, () => {
      const name = names[Math.floor(Math.random() * names.length)];
      displayName.value = name;
      email.value = `${name.split(" ")[0].toLowerCase()}.${digits().slice(0, 4)}@example.com`;
    }),
    element("button", text.submit, { type: "submit", id: "sign-in" }),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choose({ claims: claimsOf(digits(), {
      email: email.value, displayName: displayName.value, screenName: screenName.value, photoUrl: photoUrl.value,
    }) });
  });
  return form;
}

/** A line of the list, by which somebody signs in again. */
function account(found, choose) {
  const claims = claimsOf(found.rawId, found);
  const line = element("li", "", {
    class: "js-reuse-account", "data-id-token": encodeURIComponent(JSON.stringify(claims)),
  });
  const name = [found.displayName, found.email ?? found.screenName ?? found.rawId].filter(Boolean).join(" · ");
  line.append(element("button", name, { type: "button", class: "quiet" }));
  line.addEventListener("click", () => choose({ claims }));
  return line;
}

/** The two views: who signed in before, and the form for somebody new. */
function views(known, isSetUp, choose) {
  const list = element("div", "", { id: "accounts-list" });
  const form = element("div", "", { id: "add-user", hidden: "" });
  const toggle = (showsForm) => {
    list.hidden = showsForm;
    form.hidden = !showsForm;
  };
  const lines = document.createElement("ul");
  const adding = element("li", "", { id: "add-account-button", class: "js-new-account" });
  adding.append(element("button", text.invent, { type: "button" }));
  adding.addEventListener("click", () => {
    toggle(true);
    form.querySelector("input").focus();
  });
  lines.append(...known.map((found) => account(found, choose)), adding);
  list.append(lines);
  if (isSetUp) list.append(button(text.provider, { class: "quiet", id: "provider" }, () => choose({ wantsProvider: true })));
  list.append(button(text.cancel, { class: "quiet", id: "cancel" }, () => choose({})));
  form.append(invention(choose), button(text.back, { class: "quiet", id: "back-button" }, () => toggle(false)));
  return { list, form, toggle };
}

/**
 * Asks whom to sign in as, and returns the choice: `claims`, `wantsProvider` where the provider is set up, or nothing to cancel.
 *
 * The page has the title, the ids and the classes of the Auth emulator's, by which tests of apps find their way.
 */
export async function chooseAccount({ project, isSetUp }, providerId) {
  const known = await knownIdentities(project, providerId);
  return new Promise((choose) => {
    const { list, form, toggle } = views(known, isSetUp, choose);
    document.title = "Brasa: Auth Emulator IDP Login Widget";
    document.querySelector("main").replaceChildren(
      element("h1", text.title.replace("%s", () => providerId)), element("p", text.explanation), list, form,
    );
    window.toggleForm = toggle;
  });
}
