export default {
  signIn: "Sign in",
  "signIn.wrong": "Email or password is not right.",
  "signIn.wrongCode": "The code is not right. Each code works once.",
  "signIn.code": "Code of the authenticator program",
  "signIn.recentText": "This takes that you have signed in lately. It goes on as soon as you have; Esc leaves it.",
  "signIn.againText": "Your session has ended. What you typed is still there; it goes on as soon as you have signed in.",
  "signIn.help": "No account, or no way in any more? On the server, brasa console open prints a link.",
  setUp: "Set up your account",
  "setUp.passwordText": "At least 12 characters.",
  "setUp.factorText": "Put this key into an authenticator program, then type the code that it shows.",
  "setUp.open": "Open in an authenticator program",
  "setUp.factorOptional": "This server is reached from its own machine alone, so the second factor may be left out.",
  "setUp.finish": "Finish",
  "setUp.text": (role) => `Your role will be: ${role}.`,

  "setUp.qr": "The key as a QR code",

  "signIn.passkey": "Sign in with a passkey",
  "signIn.wrongPasskey": "This passkey is of no administrator of this server.",
  "signIn.recovery": "Lost the device? One of your recovery codes does as well.",
  "codes.kept": "I have kept them",
};
