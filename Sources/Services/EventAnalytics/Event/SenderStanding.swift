import BaseText

/// The server's knowledge of the sender of a batch.
///
/// An API key is public, so a batch that has nothing else may name any app and any installation. Its events are kept apart from
/// those of senders that prove themselves, and have a small share of everything that is bounded.
package enum SenderStanding: Sendable, Hashable, CaseIterable {
  /// The installation's token, or an administrator's credentials, prove the sender; the app is one that the project registered.
  case proven
  /// The same in a project that registered no app: any app's id will do, and all of them have one share of new names.
  case provenOfAnyApp
  /// Nothing proves the sender, or its app is not among those that the project registered.
  case unproven

  /// True for a sender that is the installation which its batch names.
  var isProven: Bool { self != .unproven }
}

/// The names under which installations are kept.
enum InstanceName {
  /// The name of an installation that proved nothing; no id that a token proves begins like it.
  static func unproven(_ id: String) -> String { "?" + id }

  /// All names under which events may be that came in an installation's name.
  static func all(_ id: String) -> [String] { [id, unproven(id)] }
}

/// The sender of a request, by whose shares its bytes are counted.
package struct EventSender: Sendable {
  /// The network of its address.
  let network: String
  let project: Text
  let app: String
  /// The installation that the sender proved to be; nil for others.
  let installation: String?
  /// The proof that the sender gave, which decides whose shares are used.
  package let standing: SenderStanding

  /// A sender.
  package init(
    network: String,
    project: Text,
    app: String = "",
    installation: String? = nil,
    standing: SenderStanding = .proven
  ) {
    self.network = network
    self.project = project
    self.app = app
    self.installation = installation
    self.standing = standing
  }

  /// A number that distinguishes the network while this process runs, and reveals nothing of the
  /// address after that.
  package var networkMark: UInt64 {
    var hasher = Hasher()
    hasher.combine(network)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
