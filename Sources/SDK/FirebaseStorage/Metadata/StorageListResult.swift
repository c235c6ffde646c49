import Foundation

/// A page of the items below a reference.
public final class StorageListResult: NSObject, Sendable {
  /// The references that have further ones below them.
  public let prefixes: [StorageReference]
  /// The objects.
  public let items: [StorageReference]
  /// The token with which to request the next page; nil if there is none.
  public let pageToken: String?

  init(prefixes: [StorageReference], items: [StorageReference], pageToken: String?) {
    self.prefixes = prefixes
    self.items = items
    self.pageToken = pageToken
  }

  /// Another page with the same references.
  public override func copy() -> Any {
    StorageListResult(prefixes: prefixes, items: items, pageToken: pageToken)
  }
}
