const jwt = require("../utils/jwt");

const EMULATOR_VERIFIER = new jwt.EmulatorSignatureVerifier();
const CERTIFICATES = "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com";

exports.TokenVerifier = class {
  async verify(token, isEmulator) {
    const verifier = isEmulator ? EMULATOR_VERIFIER : jwt.PublicKeySignatureVerifier.withCertificateUrl(CERTIFICATES);
    await verifier.verify(token);
    return JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
  }
};
