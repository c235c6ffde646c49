import BaseStatus
import BaseText
import KeyValueStore

/// A client's acknowledgement: of everything by the stream up to a sequence, and of single messages
/// by any channel.
package struct Receipts: Sendable {
  /// The last position of the mailbox that the client has, with all before it; 0 acknowledges none.
  package var sequence: Int64
  /// Ids of messages that the device received, such as `0:17`; texts in another form are ignored.
  package var received: [String]
  /// Ids of messages that the user opened, in the form of `received`.
  package var opened: [String]

  /// Those receipts.
  package init(sequence: Int64, received: [String] = [], opened: [String] = []) {
    self.sequence = sequence
    self.received = received
    self.opened = opened
  }

  /// True if the client only says that it is there.
  package var isPing: Bool { sequence == 0 && received.isEmpty && opened.isEmpty }
}

/// A registration's token and the installation that shows it.
package struct TokenOwner: Sendable {
  /// The registration token, or an installation's id.
  package let token: String
  /// The id of the project to which the registration must belong.
  package let project: Text
  /// The id of the installation that the caller proved to be.
  package let installation: String

  /// An installation's token.
  package init(token: String, project: Text, installation: String) {
    self.token = token
    self.project = project
    self.installation = installation
  }

  /// The live registration; UNREGISTERED, or UNAUTHENTICATED where another installation made it.
  func registration(_ reader: any KeyValueReader) throws -> Registration {
    try checked(try PushService.registration(of: token, project, reader))
  }

  /// The same from memory, where its client is connected.
  func registration(_ book: inout DeliveryBook) throws -> Registration {
    try checked(try book.registration(of: token, project))
  }

  private func checked(_ known: Registration) throws(ServiceError) -> Registration {
    guard known.installation == installation else {
      throw ServiceError(.unauthenticated, "The registration belongs to another installation.")
    }
    return known
  }
}

extension PushService {
  /// The live registration of an installation's token.
  package func registration(of owner: TokenOwner) async throws -> Registration {
    try await read { try owner.registration($0) }
  }
}
