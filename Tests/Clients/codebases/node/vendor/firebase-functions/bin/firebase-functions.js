#!/usr/bin/env node
// The manifest of a source, by a file or over HTTP, as Google's package hands it out.

const fs = require("fs"), http = require("http"), net = require("net"), path = require("path");
const { spawn } = require("child_process");

function manifest(folder) {
  const endpoints = {};
  const walk = (found, names) => {
    for (const [name, value] of Object.entries(found)) {
      const all = [...names, name];
      if (typeof value === "function" && value.__endpoint) {
        endpoints[all.join("-")] = { platform: "gcfv2", ...value.__endpoint, entryPoint: all.join(".") };
      } else if (value && typeof value === "object") {
        walk(value, all);
      }
    }
  };
  walk(require(path.resolve(folder)), []);
  return JSON.stringify({ specVersion: "v1alpha1", endpoints, requiredAPIs: [], extensions: {}, params: [] });
}

const folder = process.argv[2] || ".";
// With the file port-taken, another program has the port of the first start.
const taken = path.join(process.env.TMPDIR || "", "taken");
const isTaken = fs.existsSync(path.join(folder, "port-taken")) && !fs.existsSync(taken);
const answersOverHTTP = fs.existsSync(path.join(folder, "over-http"));
if (process.env.FUNCTIONS_MANIFEST_OUTPUT_PATH && !answersOverHTTP) {
  fs.writeFileSync(process.env.FUNCTIONS_MANIFEST_OUTPUT_PATH, manifest(folder));
  process.exit(0);
}
const server = http.createServer((request, response) => {
  if (request.url === "/__/quitquitquit") process.exit(0);
  try {
    response.setHeader("X-Powered-By", "Express");
    response.setHeader("Content-Type", "text/yaml");
    response.end(manifest(folder));
  } catch (error) {
    response.statusCode = 400;
    response.end(String(error.message));
  }
});
const listen = () => server.listen(Number(process.env.PORT), "127.0.0.1");

function listenBehindAnother() {
  const other = `require("http").createServer((request, response) => {
    response.end('{"specVersion": "v1alpha1", "endpoints": {}}');
  }).listen(process.env.PORT, "127.0.0.1");
  setTimeout(() => process.exit(), 60_000);`;
  fs.writeFileSync(taken, "");
  spawn(process.execPath, ["-e", other], { detached: true, stdio: "ignore" });
  const wait = () => net.connect(process.env.PORT, "127.0.0.1").on("connect", listen).on("error", () => setTimeout(wait, 10));
  wait();
}
if (isTaken) listenBehindAnother();
else listen();
