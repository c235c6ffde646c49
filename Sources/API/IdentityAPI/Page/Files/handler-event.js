// The event that ends a sign-in with a provider, and how the frame in the app's page receives it: by a message of the popup,
// or from the tab's storage after a redirect. Both stay within the server's own origin.

/** The kinds of sign-in that a page begins by leaving itself; the others are popups. */
const redirects = ["signInViaRedirect", "linkViaRedirect", "reauthViaRedirect"];

export const isRedirect = (type) => redirects.includes(type);

/** The name by which the frame of an app knows its events. */
export const storageKey = (apiKey, appName) => `${apiKey}:${appName}`;

const pendingKey = (key) => `firebase:redirectEvent:${key}`;

/** Leaves an event for the frame of the page that the tab goes back to, and nothing else reads. */
export function keepEvent(key, origin, authEvent) {
  sessionStorage.setItem(pendingKey(key), JSON.stringify({ origin, authEvent }));
}

/** Takes the event that a redirect left for a page of an origin; null where there is none. */
export function takeEvent(key, origin) {
  const text = sessionStorage.getItem(pendingKey(key));
  if (!text) return null;
  const kept = JSON.parse(text);
  if (kept.origin !== origin) return null;
  sessionStorage.removeItem(pendingKey(key));
  return kept.authEvent;
}

/** Sends an event to the frames of the server in the page that opened the popup. Frames of other origins receive nothing. */
export function sendToOpener(key, origin, authEvent) {
  if (!window.opener) return false;
  const message = { eventType: "sendAuthEvent", data: { storageKey: key, origin, authEvent } };
  for (let index = 0; index < window.opener.length; index += 1) {
    window.opener[index].postMessage(message, location.origin);
  }
  return window.opener.length > 0;
}

/** The server's findings about the page's request. */
export const facts = JSON.parse(document.querySelector("meta[name=brasa]").content);
