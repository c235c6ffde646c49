import BaseText
import Crypto

/// The `Topic` of RFC 8030, by which a push service replaces a message that waits.
package enum WebPushTopic {
  /// The topic of a collapse key: 32 characters, always the same for the key, and telling nothing of it.
  package static func text(of collapseKey: String) -> String {
    Base64.url(Array(SHA256.hash(data: Array(collapseKey.utf8))).prefix(24))
  }
}
