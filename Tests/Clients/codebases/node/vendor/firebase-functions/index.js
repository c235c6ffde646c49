// Speaks the protocol of Google's firebase-functions, whose package the suite can't install: endpoints with their
// manifests, and handlers with the signatures that a host calls.

function endpoint(handler, trigger) {
  handler.__endpoint = trigger;
  return handler;
}

exports.onRequest = (handler) => endpoint((request, response) => handler(request, response), { httpsTrigger: {} });

exports.onCall = (handler) =>
  endpoint(
    async (request, response) => {
      response.set("Access-Control-Allow-Origin", request.header("origin") || "*");
      if (request.method === "OPTIONS") return response.status(204).send("");
      if (Object.keys(request.body).some((name) => name !== "data")) return response.status(400).send("Bad Request");
      const streams = request.header("accept") === "text/event-stream";
      const send = (value) => response.write(`data: ${JSON.stringify(value)}\n\n`);
      if (streams) response.set("Content-Type", "text/event-stream").status(200);
      try {
        const stream = (message) => streams && send({ message });
        const result = await handler({ data: request.body.data, rawRequest: request }, stream);
        if (!streams) return response.status(200).send({ result });
        send({ result });
        response.end();
      } catch (error) {
        const told = error.code ? error : { code: "INTERNAL", message: "INTERNAL", status: 500 };
        response.status(told.status).send({ error: { status: told.code, message: told.message, details: told.details } });
      }
    },
    { callableTrigger: {}, labels: { "deployment-callable": "true" } },
  );

exports.onTaskDispatched = (handler) =>
  endpoint(
    async (request, response) => {
      const [, token] = /^Bearer (.*)$/.exec(request.header("authorization") || "") || [];
      if (!token) return response.status(401).send("no token");
      const auth = JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
      await handler({ data: request.body.data, auth, queueName: request.header("x-cloudtasks-queuename") });
      response.status(204).end();
    },
    { taskQueueTrigger: { retryConfig: { maxAttempts: 1 }, rateLimits: {} } },
  );

exports.onDocumentWritten = (document, handler) =>
  endpoint(
    (event) => {
      if (!event.datacontenttype.includes("application/protobuf")) throw new Error("no protobuf");
      const fields = message(event.data);
      return handler({ ...event, data: { before: data(fields[2]), after: data(fields[1]) } });
    },
    {
      eventTrigger: {
        eventType: "google.cloud.firestore.document.v1.written", retry: false,
        eventFilters: { database: "(default)", namespace: "(default)" }, eventFilterPathPatterns: { document },
      },
    },
  );

exports.onUserCreated = (handler) =>
  endpoint((data, context) => handler(data, context), {
    platform: "gcfv1",
    eventTrigger: {
      eventType: "providers/firebase.auth/eventTypes/user.create", retry: false,
      eventFilters: { resource: `projects/${process.env.GCLOUD_PROJECT}` },
    },
  });

exports.onEventLogged = (name, handler) =>
  endpoint(
    (data, context) => {
      // Exactly one event, whose values tell their types.
      const [event] = data.eventDim;
      const params = Object.entries(event.params || {}).map(([key, value]) => {
        const [type] = Object.keys(value);
        return [key, type === "stringValue" ? value[type] : Number(value[type])];
      });
      const logTime = new Date(event.timestampMicros / 1000).toISOString();
      return handler({ ...event, params: Object.fromEntries(params), logTime, user: data.userDim }, context);
    },
    {
      platform: "gcfv1",
      eventTrigger: {
        eventType: "providers/google.firebase.analytics/eventTypes/event.log", retry: false,
        eventFilters: { resource: `projects/${process.env.GCLOUD_PROJECT}/events/${name}` },
      },
    },
  );

// MARK: google.events.cloud.firestore.v1

/// The fields of a protobuf message, each by its number: the bytes or the number of every occurrence.
function message(bytes) {
  const fields = {};
  let at = 0;
  const number = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(number());
    let value;
    if ((tag & 7) === 0) value = number();
    if ((tag & 7) === 1) [value, at] = [bytes.readDoubleLE(at), at + 8];
    if ((tag & 7) === 2) {
      const length = Number(number());
      [value, at] = [bytes.subarray(at, at + length), at + length];
    }
    (fields[tag >> 3] ||= []).push(value);
  }
  return fields;
}

/// The fields of a document that are numbers and texts.
function data(document) {
  if (!document) return null;
  const found = {};
  for (const entry of message(document[0])[2] || []) {
    const { 1: name, 2: value } = message(entry);
    const { 2: integer, 3: double, 17: text } = message(value[0]);
    found[name[0]] = integer ? Number(integer[0]) : double ? double[0] : text[0].toString();
  }
  return found;
}
