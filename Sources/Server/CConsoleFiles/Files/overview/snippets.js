/** The lines with which apps of each kind reach a server. Pure. */

/**
 * In development these are the emulators' settings, which carry no credentials; production refuses those, so there
 * they are the address over TLS with the project's configuration, or a service account's key.
 */
export function snippetsOf(mode, project, { protocol, hostname, port, origin }) {
  const number = port || (protocol === "https:" ? 443 : 80);
  const where = { project, hostname, port: number, authority: `${hostname}:${number}`, origin, isSecure: protocol === "https:" };
  return mode === "development" ? development(where) : production(where);
}

const lines = (...all) => all.join("\n");

const development = ({ project, hostname, port, authority, origin, isSecure }) => ({
  Swift: lines("FirebaseApp.configure()", "let settings = Firestore.firestore().settings", `settings.host = "${authority}"`, `settings.isSSLEnabled = ${isSecure}`, "Firestore.firestore().settings = settings",
    `Auth.auth().useEmulator(withHost: "${hostname}", port: ${port})`),
  Kotlin: lines(`Firebase.firestore.useEmulator("${hostname}", ${port})`, `Firebase.auth.useEmulator("${hostname}", ${port})`, "// In Android's own emulator this machine is 10.0.2.2."),
  JavaScript: lines(`const app = initializeApp({ apiKey: "${project}", projectId: "${project}" });`, `connectFirestoreEmulator(getFirestore(app), "${hostname}", ${port});`, `connectAuthEmulator(getAuth(app), "${origin}");`),
  Flutter: lines("await Firebase.initializeApp();", `FirebaseFirestore.instance.useFirestoreEmulator('${hostname}', ${port});`, `await FirebaseAuth.instance.useAuthEmulator('${hostname}', ${port});`),
  "React Native": lines("import firestore from '@react-native-firebase/firestore';", "import auth from '@react-native-firebase/auth';", "", `firestore().useEmulator('${hostname}', ${port});`, `auth().useEmulator('${origin}');`),
  "Node.js": lines(`// FIRESTORE_EMULATOR_HOST=${authority}`, `// FIREBASE_AUTH_EMULATOR_HOST=${authority}`, "import { initializeApp } from 'firebase-admin/app';", "import { getFirestore } from 'firebase-admin/firestore';", "",
    `initializeApp({ projectId: '${project}' });`, "await getFirestore().collection('notes').add({ text: 'Hello' });"),
  Python: lines(`# FIRESTORE_EMULATOR_HOST=${authority}`, "from google.cloud import firestore", "", `db = firestore.Client(project="${project}")`, 'db.collection("notes").add({"text": "Hello"})'),
  Linux: lines(`// BRASA_PROJECT=${project}`, "import FirebaseCore", "import FirebaseFirestore", "", "FirebaseApp.configure()", `Firestore.firestore().useEmulator(withHost: "${hostname}", port: ${port})`),
  curl: lines(`curl ${origin}/v1/projects/${project}/databases/'(default)'/documents/notes \\`, "  -H 'Authorization: Bearer owner' -H 'Content-Type: application/json' \\", `  -d '{"fields": {"text": {"stringValue": "Hello"}}}'`),
});

const production = ({ project, authority, origin }) => ({
  Swift: lines("FirebaseApp.configure()  // reads GoogleService-Info.plist", "let settings = Firestore.firestore().settings", `settings.host = "${authority}"`, "Firestore.firestore().settings = settings"),
  Kotlin: lines("// google-services.json is in the module's folder.", "Firebase.firestore.firestoreSettings = firestoreSettings {", `    host = "${authority}"`, "}"),
  JavaScript: lines(`<script src="${origin}/__/brasa/web.js"></script>`, '<script type="module">', '  import { initializeApp } from "firebase/app";', '  import { initializeFirestore } from "firebase/firestore";', "",
    `  const app = initializeApp({ apiKey: "${project}", projectId: "${project}", authDomain: "${origin.split("//")[1]}" });`, `  const db = initializeFirestore(app, { host: "${authority}", ssl: true });`, "</script>"),
  Flutter: lines("await Firebase.initializeApp();", `FirebaseFirestore.instance.settings = const Settings(host: '${authority}', sslEnabled: true);`),
  "React Native": lines("import firestore from '@react-native-firebase/firestore';", "", `await firestore().settings({ host: '${authority}', ssl: true });`),
  "Node.js": lines("// GOOGLE_APPLICATION_CREDENTIALS=backend.json", "import { Firestore } from '@google-cloud/firestore';", "", `const db = new Firestore({ projectId: '${project}', host: '${authority}', ssl: true });`, "await db.collection('notes').add({ text: 'Hello' });"),
  Python: lines("# GOOGLE_APPLICATION_CREDENTIALS=backend.json", "from google.cloud import firestore", "", `db = firestore.Client(project="${project}", client_options={"api_endpoint": "${authority}"})`, 'db.collection("notes").add({"text": "Hello"})'),
  Linux: lines(`// firebase-config.json lies beside the program, and names ${authority}.`, "import FirebaseCore", "import FirebaseFirestore", "", "FirebaseApp.configure()", "let db = Firestore.firestore()"),
  curl: lines("# ADMIN_KEY is the key that the server's first start printed.", `curl https://${authority}/v1/projects/${project}/databases/'(default)'/documents/notes \\`, '  -H "Authorization: Bearer $ADMIN_KEY" -H \'Content-Type: application/json\' \\', `  -d '{"fields": {"text": {"stringValue": "Hello"}}}'`),
});
