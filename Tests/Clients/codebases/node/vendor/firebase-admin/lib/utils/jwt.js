const { createPublicKey, verify } = require("crypto");

exports.EmulatorSignatureVerifier = class {
  async verify(token) {
    if (token.split(".")[2] !== "") throw new Error("the emulator signs nothing");
  }
};

exports.PublicKeySignatureVerifier = class {
  static withCertificateUrl(url) {
    return Object.assign(new this(), { url });
  }

  async verify(token) {
    const [head, body, signature] = token.split(".");
    const { alg, kid } = JSON.parse(Buffer.from(head, "base64url"));
    const certificates = await (await fetch(this.url)).json();
    if (alg !== "RS256" || !certificates[kid]) throw new Error("no such key");
    const key = createPublicKey(certificates[kid]);
    if (!verify("RSA-SHA256", `${head}.${body}`, key, Buffer.from(signature, "base64url"))) throw new Error("invalid signature");
  }
};
