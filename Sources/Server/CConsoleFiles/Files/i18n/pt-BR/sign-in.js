export default {
  signIn: "Entrar",
  "signIn.wrong": "O e-mail ou a senha não está certo.",
  "signIn.wrongCode": "O código não está certo. Cada código vale uma vez.",
  "signIn.code": "Código do aplicativo autenticador",
  "signIn.recentText": "Isto pede que você tenha entrado há pouco. Continua assim que você entrar; Esc desiste.",
  "signIn.againText": "Sua sessão terminou. O que você digitou ainda está aqui e continua assim que você entrar.",
  "signIn.help": "Sem conta, ou não consegue mais entrar? No servidor, brasa console open mostra um link.",
  setUp: "Configure sua conta",
  "setUp.passwordText": "Pelo menos 12 caracteres.",
  "setUp.factorText": "Coloque esta chave em um aplicativo autenticador e digite o código que ele mostra.",
  "setUp.open": "Abrir em um aplicativo autenticador",
  "setUp.factorOptional": "Só a própria máquina alcança este servidor; por isso o segundo fator pode faltar.",
  "setUp.finish": "Concluir",
  "setUp.text": (role) => `Seu papel será: ${role}.`,

  "setUp.qr": "A chave como código QR",

  "signIn.passkey": "Entrar com uma chave de acesso",
  "signIn.wrongPasskey": "Esta chave de acesso não é de nenhum administrador deste servidor.",
  "signIn.recovery": "Perdeu o aparelho? Um dos seus códigos de recuperação também serve.",
  "codes.kept": "Já os guardei",
};
