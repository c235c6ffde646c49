import BaseText
import FirestoreModel
import Synchronization

/// The fields of a large document, which are found and decoded once however often rules ask for them.
final class LargeFields: Sendable {
  /// Smaller documents are quicker to decode again.
  static let minimumBytes = 4_096

  private struct Known {
    var values: [Text: RulesValue?] = [:]
    /// Keys whose look was paid for.
    var paid: Set<Text> = []
    var all: MapValue?
  }

  private let fields: any RulesDocumentFields
  private let known = Mutex(Known())

  init(_ fields: any RulesDocumentFields) { self.fields = fields }

  func value(of key: Text) -> RulesValue? {
    known.withLock { known in
      if let value = known.values[key] { return value }
      let value = fields.value(of: key).map(RulesValue.init)
      known.values[key] = .some(value)
      return value
    }
  }

  func all() -> MapValue {
    known.withLock { known in
      if let all = known.all { return all }
      let all = fields.all()
      known.all = all
      return all
    }
  }

  /// Returns true the first time that it is asked about a key.
  func isFirstLook(at key: Text) -> Bool { known.withLock { $0.paid.insert(key).inserted } }

  /// The first look at a key walks over the fields in front.
  var lookupSteps: Int { fields.byteCount / 16 }

  /// The first walk decodes.
  var walkSteps: Int {
    known.withLock { $0.all.map { $0.entries.count * 4 } } ?? fields.byteCount
  }
}
