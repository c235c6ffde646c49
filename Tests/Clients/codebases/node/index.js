// Functions in Node; test_functions_node.py deploys them and calls each by its real cause.

const { onCall, onDocumentWritten, onRequest, onEventLogged, onTaskDispatched, onUserCreated } = require("firebase-functions");

/// Writes down what a function saw, where the test reads it.
async function note(kind, seen) {
  const address = `http://${process.env.FIRESTORE_EMULATOR_HOST}/v1/projects/${process.env.GCLOUD_PROJECT}`;
  const response = await fetch(`${address}/databases/(default)/documents/seen`, {
    method: "POST",
    headers: { Authorization: "Bearer owner", "Content-Type": "application/json" },
    body: JSON.stringify({ fields: { kind: { stringValue: kind }, seen: { stringValue: JSON.stringify(seen) } } }),
  });
  if (!response.ok) throw new Error(await response.text());
}

exports.echo = onRequest((request, response) => {
  console.log("echo of", request.path);
  response.status(201).set("X-Answer", "yes").json({
    method: request.method, path: request.path, query: request.query, body: request.body, ip: request.ip,
    length: request.rawBody.length, own: request.get("X-Own"), check: request.get("X-Firebase-AppCheck") || null,
  });
});

exports.parts = onRequest(async (request, response) => {
  for (let number = 0; number < 3; number++) response.write(`part ${number}\n`);
  response.end();
});

exports.fails = onRequest(async () => {
  throw new Error("this function fails");
});

exports.leaves = onRequest(() => process.exit(3));

exports.math = {
  add: onCall((request) => {
    if (typeof request.data.a !== "number") {
      throw Object.assign(new Error("a is missing"), { code: "INVALID_ARGUMENT", status: 400, details: { field: "a" } });
    }
    return { sum: request.data.a + request.data.b, authorization: request.rawRequest.get("authorization") || null };
  }),
};

exports.whose = onCall(async (request) => {
  try {
    return (await require("firebase-admin").auth().verifyIdToken(request.data)).sub;
  } catch (error) {
    return `refused: ${error.message}`;
  }
});

exports.count = onCall((request, stream) => {
  for (let number = 0; number < request.data.to; number++) stream({ number });
  return "done";
});

exports.written = onDocumentWritten("products/{product}", async (seen) => {
  await note("written", {
    id: seen.id, document: seen.document, before: seen.data.before, after: seen.data.after, subject: seen.subject,
  });
});

exports.greeted = onUserCreated(async (user, context) => {
  await note("greeted", { email: user.email, uid: user.uid, type: context.eventType, id: context.eventId });
});

exports.bought = onEventLogged("purchase", async (event, context) => {
  await note("bought", {
    name: event.name, params: event.params, value: event.valueInUsd, day: event.date, logTime: event.logTime,
    user: event.user.userId, app: event.user.appInfo, country: event.user.geoInfo.country,
    plan: event.user.userProperties.plan.value.stringValue, resource: context.resource, type: context.eventType,
  });
});

exports.resized = onTaskDispatched((task) => note("resized", { ...task.data, queue: task.queueName, by: task.auth.iss }));

exports.reads = onRequest((request, response) => {
  const done = {};
  for (const file of request.query.paths.split(",")) {
    try {
      require("fs").readFileSync(file);
      done[file] = "read";
    } catch (error) {
      done[file] = error.code;
    }
  }
  response.json(done);
});
