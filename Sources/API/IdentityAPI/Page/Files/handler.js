// The page where a sign-in with a provider begins and ends, for Google's SDK for the web.
//
// It begins with the address that the SDK makes (`authType`, `providerId`, `redirectUrl`, `eventId`, …), which the server has
// checked. Production goes on to the provider; development asks which account it shall be. The provider leads back here, and
// the event goes to the frame in the app's page. Other clients of the code flow get the address that the provider led back to.

import { chooseAccount } from "./handler-accounts.js";
import { facts, isRedirect, keepEvent, sendToOpener, storageKey } from "./handler-event.js";

const texts = {
  en: {
    signedIn: ["Signed in at the provider", "You can close this page and go back to the app."],
    ended: ["Done", "You can close this page and go back to the app."],
    cancelled: ["The sign-in was cancelled", "You can close this page and go back to the app."],
    failed: ["The sign-in did not work", "You can close this page and try again in the app."],
    leaving: ["One moment", "The provider's page opens."],
    over: ["This sign-in is over", "Go back to the app and start another one."],
    lost: ["The app's page is gone", "Go back to the app and sign in again."],
    refused: ["This sign-in cannot start", "Tell the app's developer: %s"],
  },
  "pt-BR": {
    signedIn: ["Login feito no provedor", "Você pode fechar esta página e voltar ao aplicativo."],
    ended: ["Pronto", "Você pode fechar esta página e voltar ao aplicativo."],
    cancelled: ["O login foi cancelado", "Você pode fechar esta página e voltar ao aplicativo."],
    failed: ["O login não deu certo", "Você pode fechar esta página e tentar de novo no aplicativo."],
    leaving: ["Um momento", "A página do provedor vai abrir."],
    over: ["Este login já terminou", "Volte ao aplicativo e comece outro."],
    lost: ["A página do aplicativo não está mais aberta", "Volte ao aplicativo e entre de novo."],
    refused: ["Este login não pode começar", "Avise quem desenvolve o aplicativo: %s"],
  },
};

const explanations = {
  "auth/argument-error": "The address of the sign-in is not complete.",
  "auth/internal-error": "The server could not start the sign-in.",
  "auth/invalid-api-key": "The API key is of no project.",
  "auth/invalid-credential": "The provider refused the sign-in.",
  "auth/invalid-provider-id": "The address names no provider.",
  "auth/operation-not-allowed": "The provider is not enabled for this project.",
  "auth/too-many-requests": "Too many requests. Try again later.",
  "auth/unauthorized-domain": "The app's domain is not among the project's authorized domains.",
  "auth/unsupported-tenant-operation": "This server has no tenants.",
  "auth/user-cancelled": "The person cancelled the sign-in or declined what the app asked for.",
};

/** The server's codes, as the SDK calls them. */
const codes = {
  OPERATION_NOT_ALLOWED: "auth/operation-not-allowed", UNAUTHORIZED_DOMAIN: "auth/unauthorized-domain",
  INVALID_IDP_RESPONSE: "auth/invalid-credential", TOO_MANY_ATTEMPTS_TRY_LATER: "auth/too-many-requests",
};

/** A provider's errors that are a person's no. */
const refusals = ["access_denied", "user_cancelled_authorize", "user_cancelled_login", "user_denied"];

const query = new URLSearchParams(location.search);
const text = texts[document.documentElement.lang] || texts.en;
const handler = `${location.origin}/__/auth/handler`;

function show([title, explanation], detail = "") {
  const head = document.createElement("h1");
  const body = document.createElement("p");
  head.textContent = title;
  body.textContent = explanation.replace("%s", () => detail);
  document.querySelector("main").replaceChildren(head, body);
}

/** The sign-in that the SDK asks for, as it is kept while the person is at the provider. */
function readRequest() {
  return {
    type: query.get("authType"), eventId: query.get("eventId"), providerId: query.get("providerId"),
    redirectUrl: query.get("redirectUrl"), apiKey: query.get("apiKey") ?? "",
    key: storageKey(query.get("apiKey") ?? "", query.get("appName") ?? ""), sessionId: null,
  };
}

// The sign-in for which this tab is at the provider.
const underWayKey = "brasa:signIn";

// Sign-ins that ended in this tab: an event's id counts once.
const endedKey = "brasa:ended";
const ended = () => JSON.parse(sessionStorage.getItem(endedKey) ?? "[]");
const endId = ({ key, eventId }) => `${key} ${eventId}`;

/** True for the address of an app's own scheme, which the server has checked. */
const isOfApp = (address) => !/^https?:/i.test(address);

/** Leads to the app with what a provider would have given it. */
function goToApp({ redirectUrl }, { urlResponse, error }) {
  const refusal = error?.code === "auth/user-cancelled" ? "access_denied" : error?.code;
  const fields = error ? new URLSearchParams({ error: refusal }) : new URL(urlResponse).searchParams;
  location.replace(`${redirectUrl}?${fields}`);
}

/** Ends a sign-in: its event goes to the app, and the person back to it. */
function end(request, outcome, notice) {
  sessionStorage.setItem(endedKey, JSON.stringify([...ended(), endId(request)].slice(-50)));
  if (isOfApp(request.redirectUrl)) return goToApp(request, outcome);
  const event = {
    type: request.type, eventId: request.eventId, urlResponse: null, sessionId: request.sessionId,
    postBody: null, tenantId: null, error: null, ...outcome,
  };
  const { origin } = new URL(request.redirectUrl);
  if (isRedirect(request.type)) {
    keepEvent(request.key, origin, event);
    return location.replace(request.redirectUrl);
  }
  show(sendToOpener(request.key, origin, event) ? notice : text.lost);
}

function fail(request, code, message = explanations[code] ?? code) {
  end(request, { sessionId: null, error: { code, message } }, code === "auth/user-cancelled" ? text.cancelled : text.failed);
}

/** Refuses a sign-in whose page is none of the project's: nobody is led there, and a frame of the project hears why. */
function refuse(request, code) {
  const error = { code, message: explanations[code] };
  if (request.eventId && !isRedirect(request.type)) {
    sendToOpener(request.key, null, { type: request.type, eventId: request.eventId, error });
  }
  show(text.refused, error.message);
}

async function call(verb, apiKey, body) {
  const answer = await fetch(`/v1/accounts:${verb}?key=${encodeURIComponent(apiKey)}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(json.error.message);
  return json;
}

/** The parameters for the provider's page, which are texts. */
function customParameters() {
  const given = JSON.parse(query.get("customParameters") || "{}");
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
}

async function goToProvider(request) {
  show(text.leaving);
  const begun = await call("createAuthUri", request.apiKey, {
    providerId: request.providerId, continueUri: handler, customParameter: customParameters(),
    oauthScope: (query.get("scopes") ?? "").replaceAll(",", " "),
  });
  const page = new URL(begun.authUri);
  if (!["http:", "https:"].includes(page.protocol)) throw new Error("INVALID_IDP_RESPONSE");
  const state = page.searchParams.get("state");
  sessionStorage.setItem(underWayKey, JSON.stringify({ state, request: { ...request, sessionId: begun.sessionId } }));
  location.replace(page.href);
}

/** The id of a session without a provider; pages of plain HTTP have no `crypto.randomUUID`. */
const randomID = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Signs in as an account that the person chooses, of those that the provider would have. */
async function goToAccounts(request) {
  const { claims, wantsProvider } = await chooseAccount(facts, request.providerId);
  if (wantsProvider) return goToProvider(request);
  if (!claims) return fail(request, "auth/user-cancelled");
  const fields = new URLSearchParams({ providerId: request.providerId, id_token: JSON.stringify(claims) });
  end({ ...request, sessionId: randomID() }, { urlResponse: `${handler}?${fields}` }, text.ended);
}

async function begin(request) {
  if (!facts.isAuthorized) return refuse(request, facts.problem);
  // Whoever comes back to this page by the browser's history starts nothing again.
  if (ended().includes(endId(request))) return show(text.over);
  if (facts.problem === "auth/argument-error") return refuse(request, facts.problem);
  if (facts.problem) return fail(request, facts.problem);
  try {
    await (facts.isDevelopment ? goToAccounts(request) : goToProvider(request));
  } catch (error) {
    fail(request, error instanceof SyntaxError ? "auth/argument-error" : codes[error.message.split(" : ")[0]] ?? "auth/internal-error");
  }
}

/** The sign-in that the provider's answer belongs to; it is taken, so that the answer counts once. */
function takeRequest(state) {
  const underWay = JSON.parse(sessionStorage.getItem(underWayKey) ?? "null");
  // Some providers give a refusal without the state; it ends what is under way in the tab, and nothing more.
  const isOurs = underWay?.state === state || (state === null && !query.has("code"));
  if (!underWay || !isOurs) return null;
  sessionStorage.removeItem(underWayKey);
  return underWay.request;
}

function comeBack(state) {
  const request = takeRequest(state);
  if (!request) return handToOpener();
  const [code, error] = [query.get("code"), query.get("error")];
  if (error || !code) return fail(request, refusals.includes(error) ? "auth/user-cancelled" : "auth/invalid-credential");
  const fields = new URLSearchParams({ providerId: request.providerId, code, state });
  // Apple tells the person's name beside the code, and only the first time.
  if (query.get("user")) fields.set("user", query.get("user"));
  end(request, { urlResponse: `${handler}?${fields}` }, text.ended);
}

/** For clients that began by themselves: the window that opened this one, if it is of this origin, gets the address. */
function handToOpener() {
  show(query.has("code") ? text.signedIn : text.failed);
  if (!window.opener) return;
  window.opener.postMessage({ type: "brasa:signIn", requestUri: location.href }, location.origin);
  window.close();
}

addEventListener("message", ({ origin, data }) => {
  if (origin === location.origin && data?.eventType === "authEventTaken") window.close();
});

if (facts.project !== undefined || facts.problem !== undefined) begin(readRequest());
else if (query.has("code") || query.has("error")) comeBack(query.get("state"));
else show(text.over);
