/// An email to one address.
package struct Mail: Sendable, Hashable {
  /// The address that the email goes to, without a display name.
  package let recipient: String
  /// The subject, one line of plain text.
  package let subject: String
  /// The body as plain text.
  package let text: String
  /// The same as `text`, as an HTML page.
  package let html: String

  /// An email; the sender refuses a header field that is not one line.
  package init(recipient: String, subject: String, text: String, html: String) {
    self.recipient = recipient
    self.subject = subject
    self.text = text
    self.html = html
  }
}

/// Sends mail.
package protocol Mailer: Sendable {
  /// Takes the email for delivery and returns at once, so that the time a response takes does not
  /// tell whether there was an email to send. Throws when it can take no more.
  func post(_ mail: Mail) throws
}
