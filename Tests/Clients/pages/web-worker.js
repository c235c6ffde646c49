self.BRASA_ORIGIN = new URL(self.location).searchParams.get("server");
importScripts(`${self.BRASA_ORIGIN}/__/brasa/web.js`);
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("message", async ({ data, source }) => {
  const answer = await fetch(data.url, { method: "DELETE", headers: data.headers });
  source.postMessage(answer.status);
});
