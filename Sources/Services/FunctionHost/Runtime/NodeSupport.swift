import Foundation

/// The programs of the host's own that run codebases in Node.
///
/// Google's functions-framework does the same for Google's own platform; this one has no packages. It takes Express, which
/// handlers expect, from the packages of the source where `firebase-functions` brings it.
enum NodeSupport {
  /// Writes the programs into a folder that instances read.
  static func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in [
      ("discover.cjs", discovery), ("serve.cjs", serving), ("tokens.cjs", tokens),
    ] {
      try SafeFile.write(Data(text.utf8), to: "\(folder)/\(name)")
    }
  }

  /// Asks the SDK of a source for its manifest: by a file, or by its server of manifests.
  private static let discovery = #"""
    "use strict";
    const { spawn } = require("child_process"), fs = require("fs"), http = require("http"), net = require("net");
    const output = process.argv[2];

    function fail(reason) {
      console.error(reason);
      process.exit(1);
    }
    function write(text, from) {
      try {
        fs.writeFileSync(output, JSON.stringify(JSON.parse(text)));
      } catch (error) {
        fail(from + " is no JSON: " + error.message);
      }
      process.exit(0);
    }
    if (fs.existsSync("functions.yaml")) write(fs.readFileSync("functions.yaml", "utf8"), "functions.yaml");
    const program = "node_modules/.bin/firebase-functions";
    if (!fs.existsSync(program)) fail("package.json does not name firebase-functions.");

    const seconds = Number(process.env.FUNCTIONS_DISCOVERY_TIMEOUT || "40");
    const deadline = Date.now() + seconds * 1000;

    function start() {
      if (Date.now() > deadline) fail("The SDK's server of manifests did not start.");
      const probe = net.createServer().listen(0, "127.0.0.1", () => {
        const port = probe.address().port;
        probe.close(() => ask(port));
      });
    }

    // Another program may take the port before the SDK's server does, and respond in its place.
    function isForeign(response) {
      return response.headers["x-powered-by"] !== "Express";
    }

    function ask(port) {
      const file = output + ".sdk";
      const child = spawn(process.execPath, [program, "."], {
        env: { ...process.env, PORT: String(port), FUNCTIONS_CONTROL_API: "true", FUNCTIONS_MANIFEST_OUTPUT_PATH: file },
        stdio: ["ignore", 2, 2],
      });
      let hasEnded = false;
      const end = () => {
        hasEnded = true;
        child.removeAllListeners("exit");
        child.kill("SIGKILL");
      };
      child.on("exit", (code) => {
        hasEnded = true;
        if (code === 0 && fs.existsSync(file)) write(fs.readFileSync(file, "utf8"), "The manifest");
        // The SDK's server also ends if its port is taken.
        const other = net.connect(port, "127.0.0.1");
        other.on("connect", () => {
          other.destroy();
          start();
        });
        other.on("error", () => fail("The source can't be loaded."));
      });
      const again = () => {
        if (hasEnded) return;
        if (Date.now() > deadline) fail("The SDK's server of manifests did not start.");
        setTimeout(get, 50);
      };
      const get = () => {
        if (hasEnded) return;
        const request = http.get({ host: "127.0.0.1", port, path: "/__/functions.yaml" }, (response) => {
          if (hasEnded) return request.destroy();
          if (isForeign(response)) {
            end();
            request.destroy();
            return start();
          }
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (part) => { text += part; });
          response.on("end", () => {
            end();
            if (response.statusCode !== 200) fail("The source can't be loaded: " + text);
            write(text, "The manifest");
          });
        });
        request.on("error", again);
      };
      get();
    }
    start();
    """#

  /// Has the Admin SDK verify tokens of users, which it doesn't where it has an emulator's address.
  private static let tokens = #"""
    "use strict";
    const Module = require("module");
    const host = process.env.FIREBASE_AUTH_EMULATOR_HOST;
    const address = "http://" + host + "/www.googleapis.com/";
    const patched = new WeakSet();

    function issuer(token) {
      try {
        return String(JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString()).iss);
      } catch {
        return "";
      }
    }
    function patch(jwt) {
      if (patched.has(jwt)) return;
      const made = jwt.PublicKeySignatureVerifier, emulated = jwt.EmulatorSignatureVerifier;
      if (!made || !made.withCertificateUrl || !emulated) {
        throw new Error("This version of firebase-admin can't verify tokens here. Update it to the newest one.");
      }
      const users = made.withCertificateUrl(address + "robot/v1/metadata/x509/securetoken@system.gserviceaccount.com");
      const cookies = made.withCertificateUrl(address + "identitytoolkit/v3/relyingparty/publicKeys");
      emulated.prototype.verify = (token) =>
        (issuer(token).startsWith("https://session.firebase.google.com/") ? cookies : users).verify(token);
      patched.add(jwt);
    }
    if (host) {
      const load = Module._load;
      Module._load = function (request, parent, isMain) {
        const loaded = load.apply(this, arguments);
        if (typeof request !== "string" || !/(^|\/)(jwt|token-verifier)(\.js)?$/.test(request)) return loaded;
        const file = Module._resolveFilename(request, parent, isMain);
        if (/firebase-admin\/lib\/utils\/jwt\.js$/.test(file)) patch(loaded);
        if (/firebase-admin\/lib\/auth\/token-verifier\.js$/.test(file)) {
          patch(require(file.replace("auth/token-verifier.js", "utils/jwt.js")));
        }
        return loaded;
      };
    }
    """#
}
