importScripts(`${new URL(self.location).searchParams.get("server")}/__/messaging/messaging-worker.js`);
self.onBrasaBackgroundMessage = (payload) => { self.background = payload; };
