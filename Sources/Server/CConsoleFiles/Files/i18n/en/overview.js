export default {
  "production.explained": "Production mode: credentials are checked on every call.",

  "overview.server": "This server",
  "overview.databases": "Databases",
  "overview.noDatabase": "This project has no database yet.",
  "overview.connect": "Connect an app",
  "overview.connectText": "Apps sign their users in and reach what the rules allow; back ends use a service account's key.",
  "overview.keys": "Register an app or create a key",
  "overview.steps": "First steps",
  "overview.hideSteps": "Hide",

  "step.database": "Create a database",
  "step.document": "Add a document",
  "step.rules": "Say who may read and write",
  "step.user": "Add a user",
  "step.file": "Upload a file",
  "step.done": "Done",
};
