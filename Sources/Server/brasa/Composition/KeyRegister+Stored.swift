import Access
import Authentication
import BaseText
import Console
import ObjectStorage
import PushMessaging
import StorageAPI

extension KeyRegister {
  /// The keys that the services keep in a store.
  static func stored(
    accounts: Accounts,
    files: ObjectStorage,
    messages: PushService,
    _ permit: @escaping @Sendable () -> AdministratorPermit
  ) -> KeyRegister {
    KeyRegister {
      let permit = permit()
      let secrets = try Waiting.run { try await files.hmacKeys(permit) }
      let serverKeys = try Waiting.run { try await messages.serverKeys() }
      return accounts.serviceAccounts.all.map { IssuedKey($0) }
        + secrets.filter { $0.state != .deleted }.map { IssuedKey($0) }
        + serverKeys.map { IssuedKey($0) }
    } revokeSecret: { id in
      let permit = permit()
      return try Waiting.run { try await files.revokeHMACKey(Text(id), permit) }
    } revokeServerKey: { name, project in
      try Waiting.run { try await messages.revokeServerKey(named: name, of: project) }
    }
  }
}

extension IssuedKey {
  fileprivate init(_ key: HMACKey) {
    self.init(
      .sharedSecret,
      id: key.accessID.string,
      email: key.account.string,
      project: key.project,
      createdAt: key.created / 1_000,
      maker: key.maker,
      isActive: key.state == .active
    )
  }

  init(_ key: ServerKey) {
    self.init(
      .serverKey,
      id: key.name,
      project: key.project,
      createdAt: key.created / 1_000,
      maker: key.maker
    )
  }
}
