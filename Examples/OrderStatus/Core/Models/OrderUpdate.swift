/// The content of a push about an order: the five lines of the screen.
package struct OrderUpdate: Codable, Equatable, Sendable {
  /// The id that the sender's answer has too.
  package let messageID: String
  package let reason: String
  package let orderID: Int64
  package let status: String
  /// The email of the person who ordered.
  package let email: String

  /// Returns true if the order is that of the person who signs in with this email; case does not
  /// count, as at the provider.
  func isOf(_ person: String) -> Bool { email.lowercased() == person.lowercased() }
}
