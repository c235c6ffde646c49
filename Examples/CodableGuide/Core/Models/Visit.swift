import FirebaseFirestore
import Foundation

/// A person's last visit: `visits/{uid}`, a document that need not exist.
package struct Visit: Codable, Sendable {
  @DocumentID package var id: String?
  /// By the server's clock: nil when it is written, and until the server has answered.
  @ServerTimestamp package var time: Date?
  /// Stored as null where there is none, so that a query can ask for it; a plain optional would
  /// leave the field out.
  @ExplicitNull package var remark: String?

  package init(remark: String?) {
    self.remark = remark
  }
}
