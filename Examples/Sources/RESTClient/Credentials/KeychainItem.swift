#if canImport(Security)
import Foundation
import Security

/// A generic password in the Keychain, readable while the device is unlocked and never copied
/// to another device.
package struct KeychainItem: CredentialStore {
  private let account: String

  package init(account: String) {
    self.account = account
  }

  package func load() throws -> Data? {
    var query = self.query
    query[kSecReturnData] = true
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    guard status != errSecItemNotFound else { return nil }
    guard status == errSecSuccess else { throw KeychainError(status: status) }
    return item as? Data
  }

  package func save(_ secret: Data?) throws {
    let deleted = SecItemDelete(query as CFDictionary)
    guard deleted == errSecSuccess || deleted == errSecItemNotFound else {
      throw KeychainError(status: deleted)
    }
    guard let secret else { return }
    var item = query
    item[kSecValueData] = secret
    item[kSecAttrAccessible] = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    let added = SecItemAdd(item as CFDictionary, nil)
    guard added == errSecSuccess else { throw KeychainError(status: added) }
  }

  private var query: [CFString: Any] {
    [kSecClass: kSecClassGenericPassword, kSecAttrAccount: account]
  }
}

package struct KeychainError: Error {
  package let status: OSStatus
}
#endif
