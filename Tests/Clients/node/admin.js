// Steps with Google's firebase-admin, which the environment sends to a development server.

const { deleteApp, initializeApp } = require("firebase-admin/app");
const { getAuth } = require("firebase-admin/auth");
const { FieldValue, Timestamp, getFirestore } = require("firebase-admin/firestore");
const { refusal, run } = require("./steps.js");

const project = process.env.GCLOUD_PROJECT;
const app = initializeApp({ projectId: project });

/** A call of an app's client, by the project's API key. */
async function client(name, body) {
  const url = `http://${process.env.FIREBASE_AUTH_EMULATOR_HOST}/identitytoolkit.googleapis.com/v1/accounts:${name}?key=${project}`;
  const answer = await fetch(url, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  return answer.json();
}

async function users() {
  const auth = getAuth(app);
  const made = await auth.createUser({ email: "ana@example.com", password: "correct horse", displayName: "Ana" });
  await auth.setCustomUserClaims(made.uid, { level: 3 });
  await auth.updateUser(made.uid, { emailVerified: true });
  const found = await auth.getUserByEmail("ana@example.com");
  const taken = await refusal(auth.createUser({ email: "ana@example.com" }));
  const listed = await auth.listUsers(10);
  await auth.deleteUser(made.uid);
  return {
    found: [found.uid === made.uid, found.displayName, found.emailVerified, found.customClaims],
    taken, listed: listed.users.map((user) => user.email), gone: await refusal(auth.getUser(made.uid)),
  };
}

async function tokens() {
  const auth = getAuth(app);
  const user = await auth.createUser({ uid: "bia" });
  const customToken = await auth.createCustomToken(user.uid, { premium: true });
  const { idToken } = await client("signInWithCustomToken", { token: customToken, returnSecureToken: true });
  const claims = await auth.verifyIdToken(idToken, true);
  const cookie = await auth.createSessionCookie(idToken, { expiresIn: 3600_000 });
  const held = await auth.verifySessionCookie(cookie, true);
  const forged = `${idToken.split(".").slice(0, 2).join(".")}.c2lnbmF0dXJl`;
  await auth.updateUser(user.uid, { disabled: true });
  return {
    claims: [claims.uid, claims.aud, claims.premium], cookie: [held.uid, held.aud, held.premium],
    forged: await refusal(auth.verifyIdToken(forged)), disabled: await refusal(auth.verifyIdToken(idToken, true)),
  };
}

async function documents() {
  const reference = getFirestore(app).doc("people/ana");
  const at = Timestamp.fromDate(new Date("2026-01-02T03:04:05.678Z"));
  await reference.set({ at, bytes: Buffer.from([0, 255]), nested: { list: [1, 2.5, "é🔥", null, true] }, tags: ["a"], visits: 1 });
  await reference.update({ "nested.more": 1, tags: FieldValue.arrayUnion("b"), visits: FieldValue.increment(2) });
  const read = (await reference.get()).data();
  const missing = await getFirestore(app).doc("people/nobody").get();
  return {
    at: read.at.isEqual(at), bytes: [...read.bytes], nested: read.nested, tags: read.tags, visits: read.visits,
    missing: missing.exists, taken: await refusal(reference.create({})),
  };
}

async function transactions() {
  const database = getFirestore(app);
  const reference = database.doc("counters/visits");
  await reference.set({ count: 0 });
  const increment = () => database.runTransaction(async (transaction) => {
    const count = (await transaction.get(reference)).get("count") + 1;
    transaction.update(reference, { count });
    return count;
  });
  const counts = await Promise.all(Array.from({ length: 3 }, increment));
  const batch = database.batch();
  for (let number = 0; number < 3; number += 1) batch.set(database.doc(`numbers/${number}`), { number });
  await batch.commit();
  const found = await database.collection("numbers").where("number", ">", 0).orderBy("number", "desc").get();
  return { counts: counts.sort(), count: (await reference.get()).get("count"), found: found.docs.map((one) => one.id) };
}

/** A listener receives the documents that match, then a change. */
async function listener() {
  const collection = getFirestore(app).collection("products");
  await collection.doc("a").set({ price: 1 });
  const received = [];
  await new Promise((resolve, reject) => {
    const stop = collection.onSnapshot((snapshot) => {
      received.push(snapshot.docChanges().map((change) => [change.type, change.doc.id, change.doc.get("price")]));
      if (received.length === 1) collection.doc("a").update({ price: 2 }).catch(reject);
      if (received.length < 2) return;
      stop();
      resolve();
    }, reject);
  });
  return received;
}

run({ documents, listener, tokens, transactions, users }, () => deleteApp(app));
