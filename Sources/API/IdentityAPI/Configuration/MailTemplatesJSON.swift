import Authentication
import BaseJSON
import FirestoreWire

/// The templates of a project's mails, as the member `notification.sendEmail` of the resource `config`.
///
/// Google has the first three; the others are Brasa's own.
enum MailTemplatesJSON {
  private static let templates: [(name: String, purpose: CodePurpose)] = [
    ("resetPasswordTemplate", .passwordReset), ("verifyEmailTemplate", .verifyEmail),
    ("changeEmailTemplate", .recoverEmail), ("emailSignInTemplate", .emailSignIn),
    ("verifyAndChangeEmailTemplate", .verifyAndChangeEmail),
  ]
  /// Bytes of a subject and of a body at most.
  private static let limits = (subject: 500, body: 20_000)

  /// The templates that differ from the server's own texts.
  static func json(_ mail: MailTemplates) -> JSONValue {
    var answer = AnswerBuilder()
    for (name, purpose) in templates {
      var template = AnswerBuilder()
      template.put("subject", mail.subjects[purpose.rawValue])
      template.put("body", mail.bodies[purpose.rawValue])
      if !template.members.isEmpty { answer.set(name, template.json) }
    }
    answer.put("senderDisplayName", mail.appName)
    return answer.json
  }

  /// Puts a change's templates into the mails; an empty text brings back the server's own.
  static func apply(_ reader: inout ChangeReader, to mail: inout MailTemplates) throws {
    let root = "notification.sendEmail"
    for (name, purpose) in templates {
      try reader.text("\(root).\(name).subject") { text in
        try check(text, limits.subject)
        guard text?.contains(where: \.isNewline) != true else {
          throw IdentityFailure.invalid("An email's subject must be one line.")
        }
        mail.subjects[purpose.rawValue] = text
      }
      try reader.text("\(root).\(name).body") { text in
        try check(text, limits.body)
        guard text?.contains("%LINK%") ?? true else {
          throw IdentityFailure.invalid("An email's body must contain %LINK%.")
        }
        mail.bodies[purpose.rawValue] = text
      }
    }
    try reader.text("\(root).senderDisplayName") { text in
      try check(text, limits.subject)
      guard text?.contains(where: \.isNewline) != true else {
        throw IdentityFailure.invalid("An app's name must be one line.")
      }
      mail.appName = text
    }
  }

  private static func check(_ text: String?, _ limit: Int) throws {
    guard text?.utf8.count ?? 0 <= limit else {
      throw IdentityFailure.invalid("An email's text can have at most \(limit) bytes.")
    }
  }
}
