/** The lines with which apps of each kind reach a server. Pure. */

/**
 * In development these are the emulators' settings, which carry no credentials; production refuses those, so there
 * they are the address over TLS with the project's configuration, or a service account's key.
 */
export function snippetsOf(mode, project, { protocol, hostname, port, origin }) {
  const authority = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  return mode === "development" ? development(project, authority, hostname, origin, protocol === "https:") : production(project, authority, hostname, origin);
}

const development = (project, authority, hostname, origin, isSecure) => ({
  Swift: `let settings = Firestore.firestore().settings
settings.host = "${authority}"
settings.isSSLEnabled = ${isSecure}
Firestore.firestore().settings = settings`,
  JavaScript: `connectFirestoreEmulator(getFirestore(app), "${hostname}", ${authority.split(":").pop()});
connectAuthEmulator(getAuth(app), "${origin}");`,
  Python: `# FIRESTORE_EMULATOR_HOST=${authority}
db = google.cloud.firestore.Client(project="${project}")`,
});

const production = (project, authority, hostname, origin) => ({
  Swift: `let settings = Firestore.firestore().settings
settings.host = "${authority}"
Firestore.firestore().settings = settings`,
  JavaScript: [`<script src="${origin}/__/brasa/web.js"></script>`, '<script type="module">', '  import { initializeApp } from "firebase/app";', '  import { initializeFirestore } from "firebase/firestore";', "",
    `  const app = initializeApp({ apiKey: "${project}", projectId: "${project}", authDomain: "${origin.split("//")[1]}" });`, `  const db = initializeFirestore(app, { host: "${authority}", ssl: true });`, "</script>"].join("\n"),
  Python: `# GOOGLE_APPLICATION_CREDENTIALS=backend.json
from google.cloud import firestore

db = firestore.Client(project="${project}", client_options={"api_endpoint": "${authority}"})`,
});
