#if canImport(Security)
import Foundation
import Security
import Locking

/// State in the Keychain: a generic password that is readable after the first unlock.
package struct KeychainStateStore: StateStore {
  private let service: String
  private let account: String
  private let accessGroup: String?
  private let synchronizes: Bool

  /// Read-and-replace is one step in this process; the Keychain itself is safe among processes.
  private static let lock = Lock(())

  /// A store under a service and an account, perhaps of an access group and on all of the person's devices.
  package init(
    service: String,
    account: String,
    accessGroup: String? = nil,
    synchronizes: Bool = false
  ) {
    self.service = service
    self.account = account
    self.accessGroup = accessGroup
    self.synchronizes = synchronizes
  }

  private var query: [CFString: Any] {
    var query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
      kSecUseDataProtectionKeychain: true,
    ]
    if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
    if synchronizes { query[kSecAttrSynchronizable] = true }
    return query
  }

  /// The item's bytes, nil where there is none; throws other statuses as an `NSError`.
  package func read() throws -> Data? {
    var query = query
    query[kSecReturnData] = true
    query[kSecMatchLimit] = kSecMatchLimitOne
    var found: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &found)
    if status == errSecItemNotFound { return nil }
    try Self.check(status)
    return found as? Data
  }

  /// Replaces the item's bytes; one step in this process, but not among processes.
  package func update(_ change: (Data?) throws -> Data?) throws {
    try Self.lock.withLock { _ in
      let old = try read()
      switch (old, try change(old)) {
      case (nil, nil): break
      case (_?, nil): try Self.check(SecItemDelete(query as CFDictionary))
      case (nil, let new?): try add(new)
      case (_?, let new?):
        let values = [kSecValueData: new] as CFDictionary
        try Self.check(SecItemUpdate(query as CFDictionary, values))
      }
    }
  }

  private func add(_ data: Data) throws {
    var item = query
    item[kSecValueData] = data
    item[kSecAttrAccessible] =
      synchronizes
      ? kSecAttrAccessibleAfterFirstUnlock : kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
    try Self.check(SecItemAdd(item as CFDictionary, nil))
  }

  private static func check(_ status: OSStatus) throws {
    guard status == errSecSuccess else {
      throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
    }
  }
}
#endif
