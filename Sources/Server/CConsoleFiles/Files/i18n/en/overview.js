export default {
  "production.explained": "Production mode: credentials are checked on every call.",

  "overview.server": "This server",
  "overview.databases": "Databases",
  "overview.noDatabase": "This project has no database yet.",
  "overview.connect": "Connect an app",
};
