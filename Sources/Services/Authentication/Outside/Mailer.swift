/// An email to one address.
package struct Mail: Sendable, Hashable {
  package let recipient: String
  package let subject: String
  package let text: String
  /// The same as `text`, as an HTML page.
  package let html: String

  /// An email; whoever sends it refuses what would not be one line in its head.
  package init(recipient: String, subject: String, text: String, html: String) {
    self.recipient = recipient
    self.subject = subject
    self.text = text
    self.html = html
  }
}

/// Sends mail.
package protocol Mailer: Sendable {
  /// Takes the email for delivery and returns at once, so that the time an answer takes does not
  /// tell whether there was an email to send. Throws when it can take no more.
  func post(_ mail: Mail) throws
}
