export default {
  "production.explained": "Modo de produção: as credenciais são verificadas em cada chamada.",

  "overview.server": "Este servidor",
  "overview.databases": "Bancos de dados",
  "overview.noDatabase": "Este projeto ainda não tem banco de dados.",
  "overview.connect": "Conectar um app",
  "overview.connectText": "Apps autenticam seus usuários e alcançam o que as regras permitem; back-ends usam a chave de uma conta de serviço.",
  "overview.keys": "Registrar um app ou criar uma chave",
  "overview.steps": "Primeiros passos",
  "overview.hideSteps": "Ocultar",

  "step.database": "Criar um banco de dados",
  "step.document": "Adicionar um documento",
  "step.rules": "Dizer quem pode ler e escrever",
  "step.user": "Adicionar um usuário",
  "step.file": "Enviar um arquivo",
  "step.done": "Feito",
};
