// Steps with Google's @google-cloud/storage on a bucket of the server that the environment names.

const { generateKeyPairSync, randomBytes } = require("crypto");
const { readFileSync, writeFileSync } = require("fs");
const { Readable } = require("stream");
const { pipeline } = require("stream/promises");
const { Storage } = require("@google-cloud/storage");
const { refusal, run } = require("./steps.js");

const { BUCKET, KEY_FILE, PROJECT, SERVER } = process.env;
const content = randomBytes(3 * 262_144 + 7);

/** The key of a file, or one that the server does not know. */
function key() {
  if (KEY_FILE) return JSON.parse(readFileSync(KEY_FILE, "utf8"));
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048, publicKeyEncoding: { type: "spki", format: "pem" }, privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return { client_email: `backend@${PROJECT}.example`, private_key: privateKey };
}

function open() {
  const { client_email, private_key } = key();
  return new Storage({ apiEndpoint: SERVER, projectId: PROJECT, credentials: { client_email, private_key } });
}

async function made() {
  const [bucket] = await open().createBucket(BUCKET);
  return bucket;
}

/** Whether a file has the bytes, which the client compares with the server's checksum; and its type. */
async function stored(file, bytes) {
  const [read] = await file.download();
  const [metadata] = await file.getMetadata();
  return [read.equals(bytes), Number(metadata.size), metadata.contentType];
}

async function uploads() {
  const bucket = await made();
  const small = Buffer.from("hello");
  // The client's own choice is a resumable upload.
  await bucket.file("default").save(content, { contentType: "text/plain", metadata: { metadata: { a: "1" } } });
  await bucket.file("empty.txt").save(Buffer.alloc(0));
  await bucket.file("small.txt").save(small, { resumable: false });
  await bucket.file("chunks").save(content, { chunkSize: 262_144, contentType: "image/png" });
  writeFileSync("local.txt", small);
  await bucket.upload("local.txt", { destination: "local.txt" });
  await pipeline(Readable.from([small, content]), bucket.file("stream").createWriteStream({ contentType: "image/png" }));
  const [metadata] = await bucket.file("default").getMetadata();
  return {
    default: await stored(bucket.file("default"), content), custom: metadata.metadata,
    empty: await stored(bucket.file("empty.txt"), Buffer.alloc(0)), small: await stored(bucket.file("small.txt"), small),
    chunks: await stored(bucket.file("chunks"), content), local: await stored(bucket.file("local.txt"), small),
    stream: await stored(bucket.file("stream"), Buffer.concat([small, content])),
  };
}

async function files() {
  const bucket = await made();
  const file = bucket.file("a/b.txt");
  await file.save("0123456789");
  const [part] = await file.download({ start: 2, end: 4 });
  await file.copy(bucket.file("a/c.txt"));
  await file.setMetadata({ cacheControl: "no-store" });
  const [metadata] = await file.getMetadata();
  const [found] = await bucket.getFiles({ prefix: "a/" });
  await file.delete();
  const [exists] = await file.exists();
  return {
    part: part.toString(), cacheControl: metadata.cacheControl, found: found.map((one) => one.name), exists,
    missing: await refusal(file.download()),
    taken: await refusal(bucket.file("a/c.txt").save("x", { preconditionOpts: { ifGenerationMatch: 0 }, resumable: false })),
  };
}

/** Signed addresses of both versions, used without any other proof. */
async function signed() {
  const bucket = KEY_FILE ? open().bucket(BUCKET) : await made();
  const file = bucket.file("signed/ç +.txt");
  const results = {};
  for (const version of ["v4", "v2"]) {
    const sign = async (action) => (await file.getSignedUrl({ version, action, expires: Date.now() + 600_000 }))[0];
    // Bytes have no type of their own, which the older signature would have to name.
    const put = await fetch(await sign("write"), { method: "PUT", body: Buffer.from(version) });
    const address = await sign("read");
    const read = await fetch(address);
    const altered = await fetch(address.replace("signed", "other"));
    results[version] = [put.status, read.status, await read.text(), altered.status];
  }
  return results;
}

run({ files, signed, uploads });
