import Authentication
import BaseText

/// The texts of an email with a code, in English and Brazilian Portuguese.
struct CodeEmail {
  /// The languages of emails and pages.
  enum Language: String {
    case english = "en"
    case portuguese = "pt-BR"
  }

  private let code: OutgoingCode
  private let templates: MailTemplates
  private let project: Text
  private let language: Language

  /// An email in the language that the client asked for.
  init(_ code: OutgoingCode, templates: MailTemplates, project: Text, locale: String?) {
    self.code = code
    self.templates = templates
    self.project = project
    language = Self.language(of: locale)
  }

  /// The language that a locale's name asks for.
  static func language(of locale: String?) -> Language {
    locale?.lowercased().hasPrefix("pt") == true ? .portuguese : .english
  }

  /// The email itself.
  var mail: Mail {
    let texts = texts
    let subject = templates.subjects[code.purpose.rawValue] ?? texts.subject
    let body = templates.bodies[code.purpose.rawValue] ?? texts.body
    return Mail(
      recipient: code.recipient,
      subject: filled(subject) { $0 },
      text: filled(body) { $0 },
      html: page(filled(Self.escaped(body)) { Self.escaped($0) })
    )
  }

  private var appName: String { templates.appName ?? project.string }

  /// Puts the values in; each is written as `write` says.
  private func filled(_ template: String, _ write: (String) -> String) -> String {
    let values = [
      ("%LINK%", code.link), ("%EMAIL%", code.email), ("%NEW_EMAIL%", code.newEmail ?? ""),
      ("%APP_NAME%", appName),
    ]
    var result = ""
    var rest = template[...]
    while let start = rest.firstIndex(of: "%") {
      result += rest[..<start]
      rest = rest[start...]
      if let (name, value) = values.first(where: { rest.hasPrefix($0.0) }) {
        result += write(value)
        rest = rest.dropFirst(name.count)
      } else {
        result += "%"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }

  private func page(_ text: String) -> String {
    let link = Self.escaped(code.link)
    let linked = text.split(separator: link, omittingEmptySubsequences: false).joined(
      separator: "<a href=\"\(link)\">\(link)</a>"
    )
    let lines = linked.split(separator: "\n", omittingEmptySubsequences: false)
    return "<!doctype html><html lang=\"\(language.rawValue)\"><meta charset=\"utf-8\">"
      + "<body style=\"font:16px/1.5 sans-serif;color:#222\">\(lines.joined(separator: "<br>"))"
      + "</body></html>"
  }

  /// Text as HTML has it.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private var texts: (subject: String, body: String) {
    language == .portuguese ? portuguese : english
  }

  private var english: (subject: String, body: String) {
    let foot = "If you did not ask for this, you can ignore this email."
    switch code.purpose {
    case .passwordReset:
      return (
        "Reset your password for %APP_NAME%",
        "Hello,\n\nFollow this link to choose a new password for %EMAIL%.\n\n%LINK%\n\n\(foot)\n"
      )
    case .verifyEmail:
      return (
        "Verify your e-mail for %APP_NAME%",
        "Hello,\n\nFollow this link to verify that %EMAIL% is yours.\n\n%LINK%\n\n\(foot)\n"
      )
    case .emailSignIn:
      return (
        "Sign in to %APP_NAME%",
        "Hello,\n\nFollow this link to sign in as %EMAIL%.\n\n%LINK%\n\n\(foot)\n"
      )
    case .verifyAndChangeEmail:
      return (
        "Verify your new e-mail for %APP_NAME%",
        "Hello,\n\nFollow this link to change your address from %EMAIL% to %NEW_EMAIL%."
          + "\n\n%LINK%\n\n\(foot)\n"
      )
    case .recoverEmail:
      return (
        "Your e-mail for %APP_NAME% was changed",
        "Hello,\n\nYour address was changed to %NEW_EMAIL%. If that was not you, follow this link "
          + "to take it back.\n\n%LINK%\n"
      )
    }
  }

  private var portuguese: (subject: String, body: String) {
    let foot = "Se você não pediu isto, pode ignorar esta mensagem."
    switch code.purpose {
    case .passwordReset:
      return (
        "Redefina sua senha em %APP_NAME%",
        "Olá,\n\nAbra este link para escolher uma nova senha para %EMAIL%.\n\n%LINK%\n\n\(foot)\n"
      )
    case .verifyEmail:
      return (
        "Confirme seu e-mail em %APP_NAME%",
        "Olá,\n\nAbra este link para confirmar que %EMAIL% é seu.\n\n%LINK%\n\n\(foot)\n"
      )
    case .emailSignIn:
      return (
        "Entre em %APP_NAME%",
        "Olá,\n\nAbra este link para entrar como %EMAIL%.\n\n%LINK%\n\n\(foot)\n"
      )
    case .verifyAndChangeEmail:
      return (
        "Confirme seu novo e-mail em %APP_NAME%",
        "Olá,\n\nAbra este link para trocar seu endereço de %EMAIL% para %NEW_EMAIL%."
          + "\n\n%LINK%\n\n\(foot)\n"
      )
    case .recoverEmail:
      return (
        "Seu e-mail em %APP_NAME% foi trocado",
        "Olá,\n\nSeu endereço foi trocado para %NEW_EMAIL%. Se não foi você, abra este link para "
          + "desfazer a troca.\n\n%LINK%\n"
      )
    }
  }
}
