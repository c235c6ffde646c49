import BaseText
import FirestoreModel
import Synchronization

/// A client's request, as rules see it.
package struct RulesRequest: Sendable {
  /// The service whose match blocks are tried.
  package var service: RulesService
  /// The operation, `request.method`; `read` and `write` exist in statements alone.
  package var method: RulesMethod
  /// The whole path: `databases`, the database's id, `documents` and the document's own segments; for
  /// Storage `b`, the bucket, `o` and the object's segments.
  package var path: [Text]
  /// Nil is not signed in.
  package var auth: RulesAuth?
  /// The one time of the request: `serverTimestamp()` writes the same.
  package var time: Timestamp
  /// The stored state before the request: `RulesMap(RulesDocument)`, or for Storage the object's
  /// metadata; nil if there is none.
  package var resource: RulesMap?
  /// The document that a write will leave behind, transforms applied; nil for deletes.
  package var newResource: RulesMap?
  /// The value of `request.inTransaction`.
  package var isInTransaction: Bool
  /// The names that a write gives beside the document's fields; nil where it gives none.
  package var named: RulesWriteFields?

  /// A request; resources are set where there are some.
  package init(
    service: RulesService = .firestore,
    method: RulesMethod,
    path: [Text],
    auth: RulesAuth? = nil,
    time: Timestamp,
    resource: RulesMap? = nil,
    newResource: RulesMap? = nil,
    isInTransaction: Bool = false
  ) {
    self.service = service
    self.method = method
    self.path = path
    self.auth = auth
    self.time = time
    self.resource = resource
    self.newResource = newResource
    self.isInTransaction = isInTransaction
  }
}

/// The fields that a write names: its transforms' and its mask's.
package struct RulesWriteFields: Sendable {
  /// In the write's order.
  let transforms: [Text]
  /// Nil where the write has no mask.
  let mask: [Text]?

  /// Names with points between their parts.
  package init(transforms: [Text], mask: [Text]?) {
    self.transforms = transforms
    self.mask = mask
  }

  /// `request.writeFields`: the transforms', then the mask's in order.
  var all: RulesValue { .list((transforms + (mask ?? []).sorted()).map(RulesValue.string)) }
}

/// The signed-in caller: `request.auth`.
package struct RulesAuth: Sendable {
  let map: RulesMap

  /// The user's id and all claims of the token.
  package init(uid: Text, token: RulesMap) {
    map = RulesMap(["uid": .string(uid), "token": .map(token)])
  }
}

/// Notes whether a condition has looked at `request.time`.
final class TimeUse: Sendable {
  private let seen = Atomic(false)

  var isSeen: Bool { seen.load(ordering: .relaxed) }

  func note() { seen.store(true, ordering: .relaxed) }
}

/// `request` of a rule.
final class RequestObject: Sendable {
  private let request: RulesRequest
  /// Nil is a path that is not known: of a collection group.
  private let path: [Text]?
  private let query: RulesMap?
  private let timeUse: TimeUse

  init(_ request: RulesRequest, path: [Text]?, query: RulesMap?, timeUse: TimeUse) {
    self.timeUse = timeUse
    self.request = request
    self.path = path
    self.query = query
  }

  /// Members that exist for this kind of request, sorted.
  var keys: [Text] {
    let all: [Text] = [
      "auth", "fields", "headers", "inTransaction", "method", "path", "query", "readFields",
      "resource", "time", "transforms", "writeFields",
    ]
    return all.filter { self[$0.string] != nil }
  }

  subscript(name: String) -> RulesValue? {
    switch name {
    case "auth": .some(request.auth.map { .map($0.map) } ?? .null)
    case "method": .string(Text(request.method.rawValue))
    case "path": path.map { .path(RulesPath(plain: $0)) }
    case "time": time
    case "resource": resource
    case "query": query.map(RulesValue.map)
    case "headers", "params": .map(RulesMap([:]))
    case "inTransaction": .boolean(request.isInTransaction)
    case "fields": isWrite ? nil : .null
    case "readFields": isWrite ? .null : nil
    case "writeFields": isWrite ? request.named?.all ?? .null : nil
    case "transforms": isWrite ? transforms : nil
    default: nil
    }
  }

  /// True if `request` has the members that writes of Firestore have.
  private var isWrite: Bool {
    request.service == .firestore && request.method != .get && request.method != .list
  }

  private var transforms: RulesValue {
    guard let named = request.named, !named.transforms.isEmpty else { return .null }
    return .list(named.transforms.map(RulesValue.string))
  }

  private var time: RulesValue {
    timeUse.note()
    return .timestamp(RulesTimestamp(request.time))
  }

  private var resource: RulesValue? {
    switch (request.service, request.method) {
    case (.firestore, .get), (.firestore, .list): nil
    default: .some(request.newResource.map(RulesValue.map) ?? .null)
    }
  }
}
