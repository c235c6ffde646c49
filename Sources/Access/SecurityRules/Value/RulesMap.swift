import BaseText
import FirestoreModel

/// A document's content that rules read; the store decodes only requested fields.
package protocol RulesDocumentFields: AnyObject, Sendable {
  /// The value of one top-level field.
  func value(of field: Text) -> Value?
  /// Everything, for the functions that look at whole maps.
  func all() -> MapValue
  /// Bytes of all fields as they are stored: what finding or decoding them takes.
  var byteCount: Int { get }
}

/// A document as `resource` and `get()` show it: `data`, `id` and `__name__`.
package final class RulesDocument: Sendable {
  /// `/databases/{database}/documents/…`.
  package let path: [Text]
  /// The document's fields.
  package let data: RulesMap

  /// A document at that full path.
  package init(path: [Text], data: RulesMap) {
    self.path = path
    self.data = data
  }
}

/// A map of a rule, from wherever its entries come.
package struct RulesMap: Sendable {
  private enum Storage: Sendable {
    case entries([Text: RulesValue])
    case fields(any RulesDocumentFields)
    case largeFields(LargeFields)
    case value(MapValue)
    case document(RulesDocument)
    case request(RequestObject)
  }

  private let storage: Storage
  /// True for the symbolic map of a query: fields that no filter names may exist.
  package let isOpen: Bool

  private init(storage: Storage, isOpen: Bool = false) {
    self.storage = storage
    self.isOpen = isOpen
  }

  /// A map with those entries.
  package init(_ entries: [Text: RulesValue], isOpen: Bool = false) {
    self.init(storage: .entries(entries), isOpen: isOpen)
  }

  /// A document's fields.
  package init(_ fields: any RulesDocumentFields) {
    let isLarge = fields.byteCount > LargeFields.minimumBytes
    self.init(storage: isLarge ? .largeFields(LargeFields(fields)) : .fields(fields))
  }

  /// A stored map.
  package init(_ value: MapValue) { self.init(storage: .value(value)) }

  /// A document with its name.
  package init(_ document: RulesDocument) { self.init(storage: .document(document)) }

  init(_ request: RequestObject) { self.init(storage: .request(request)) }

  /// The entry of that key.
  package subscript(key: Text) -> RulesValue? {
    switch storage {
    case .entries(let entries): entries[key]
    case .fields(let fields): fields.value(of: key).map(RulesValue.init)
    case .largeFields(let fields): fields.value(of: key)
    case .value(let map): map[key].map(RulesValue.init)
    case .document(let document): Self.member(key, of: document)
    case .request(let request): request[key.string]
    }
  }

  /// The steps that it took to get that value of that key; asked once for every look.
  func lookupSteps(_ key: Text, _ value: RulesValue?) -> Int {
    switch storage {
    case .entries, .document, .request: 0
    case .fields, .value: value?.conversionSteps ?? 0
    case .largeFields(let fields):
      fields.isFirstLook(at: key) ? fields.lookupSteps + (value?.conversionSteps ?? 0) : 0
    }
  }

  /// The steps that walking through all entries takes, what they hold aside.
  var walkSteps: Int {
    switch storage {
    case .entries(let entries): entries.count * 4
    case .fields(let fields): fields.byteCount
    case .largeFields(let fields): fields.walkSteps
    case .value(let map): map.entries.count * 4
    case .document, .request: 8
    }
  }

  private static func member(_ key: Text, of document: RulesDocument) -> RulesValue? {
    switch key.string {
    case "data": .map(document.data)
    case "id": document.path.last.map(RulesValue.string)
    case "__name__": .path(RulesPath(plain: document.path))
    default: nil
    }
  }

  /// Stored maps and requests hold no constraints.
  var holdsConstraint: Bool {
    guard case .entries(let entries) = storage else { return false }
    return entries.values.contains(where: \.holdsConstraint)
  }

  /// All entries by the UTF-8 order of their keys.
  package var sorted: [(key: Text, value: RulesValue)] {
    switch storage {
    case .entries(let entries): entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    case .fields(let fields): Self.convert(fields.all())
    case .largeFields(let fields): Self.convert(fields.all())
    case .value(let map): Self.convert(map)
    case .document, .request: keys.compactMap { key in self[key].map { (key, $0) } }
    }
  }

  var count: Int {
    switch storage {
    case .entries(let entries): entries.count
    case .fields(let fields): fields.all().entries.count
    case .largeFields(let fields): fields.all().entries.count
    case .value(let map): map.entries.count
    case .document, .request: keys.count
    }
  }

  /// The keys, sorted.
  var keys: [Text] {
    switch storage {
    case .entries(let entries): entries.keys.sorted()
    case .fields(let fields): fields.all().entries.map(\.key)
    case .largeFields(let fields): fields.all().entries.map(\.key)
    case .value(let map): map.entries.map(\.key)
    case .document: ["__name__", "data", "id"]
    case .request(let request): request.keys
    }
  }

  /// The first of the keys, without going through all of a large document's.
  func firstKeys(_ count: Int) -> [Text] {
    switch storage {
    case .largeFields(let fields): fields.all().entries.prefix(count).map(\.key)
    case .value(let map): map.entries.prefix(count).map(\.key)
    case .entries, .fields, .document, .request: Array(keys.prefix(count))
    }
  }

  private static func convert(_ map: MapValue) -> [(key: Text, value: RulesValue)] {
    map.entries.map { ($0.key, RulesValue($0.value)) }
  }
}

extension RulesValue {
  /// A stored value as rules see it.
  package init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .float(number)
    case .timestamp(let instant): self = .timestamp(RulesTimestamp(instant))
    case .string(let text): self = .string(text)
    case .bytes(let content): self = .bytes(content)
    case .reference(let name): self = .path(RulesPath(name))
    case .geoPoint(let point): self = .latlng(point)
    case .array(let elements): self = .list(elements.map(RulesValue.init))
    case .vector(let numbers): self = .vector(numbers)
    case .map(let map): self = .map(RulesMap(map))
    case .bson(let value): self = value.exactNumber.map(RulesValue.init) ?? .bson(value)
    }
  }

  /// The steps of making this from a stored value: maps are made as they are asked for.
  fileprivate var conversionSteps: Int {
    if case .list(let elements) = self { elements.count * 4 } else { 0 }
  }

  /// True if this is, or holds somewhere, a query's promise about a field.
  var holdsConstraint: Bool {
    switch self {
    case .constraint: true
    case .list(let elements): elements.contains(where: \.holdsConstraint)
    case .map(let map): map.holdsConstraint
    default: false
    }
  }

  /// True if this represents many values; containers and most functions do not take such.
  var isSymbolic: Bool {
    switch self {
    case .constraint(let constraint): !constraint.isLenient
    case .map(let map): map.isOpen
    case .path(let path): path.segments.contains(.unknown)
    default: false
    }
  }
}

extension RulesPath {
  /// A reference as a path: `/databases/{database}/documents/…`.
  package init(_ name: DocumentName) {
    self.init(plain: ["databases", name.database.database, "documents"] + name.path.segments)
  }
}
