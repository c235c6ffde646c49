export default {
  "production.explained": "Modo de produção: as credenciais são verificadas em cada chamada.",

  "overview.server": "Este servidor",
  "overview.databases": "Bancos de dados",
  "overview.noDatabase": "Este projeto ainda não tem banco de dados.",
  "overview.connect": "Conectar um app",
};
