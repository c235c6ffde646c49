import BaseJSON
import ObjectStorage

/// The part of a response that a client wants: `items(name,metadata/a),nextPageToken`.
struct FieldsMask: Sendable {
  /// The members that are wanted; an empty mask is all of a value.
  private var members: [String: FieldsMask] = [:]

  private init() {}

  /// Reads a mask; throws for a malformed one.
  init(_ text: String) throws(StorageError) {
    guard text.utf8.count <= 4_096 else { throw Self.invalid }
    var rest = text[...]
    self.init()
    try read(&rest, depth: 0)
    guard rest.isEmpty else { throw Self.invalid }
  }

  private static let invalid = StorageError(.invalid, "Invalid field selection")

  private mutating func read(_ rest: inout Substring, depth: Int) throws(StorageError) {
    guard depth < 16 else { throw Self.invalid }
    while true {
      var path: [String] = []
      repeat {
        if !path.isEmpty { rest.removeFirst() }
        let name = rest.prefix { !"/,()".contains($0) }
        guard !name.isEmpty, path.count < 16 else { throw Self.invalid }
        path.append(String(name))
        rest = rest.dropFirst(name.count)
      } while rest.first == "/"
      var inner = FieldsMask()
      if rest.first == "(" {
        rest.removeFirst()
        try inner.read(&rest, depth: depth + 1)
        guard rest.popFirst() == ")" else { throw Self.invalid }
      }
      add(path[...], inner)
      guard rest.first == "," else { return }
      rest.removeFirst()
    }
  }

  private mutating func add(_ path: ArraySlice<String>, _ inner: FieldsMask) {
    guard let name = path.first else { return }
    guard path.count > 1 else {
      var known = members[name] ?? FieldsMask()
      for (key, mask) in inner.members { known.members[key] = mask }
      members[name] = known
      return
    }
    members[name, default: FieldsMask()].add(path.dropFirst(), inner)
  }

  /// The wanted part of a value.
  func apply(to value: JSONValue) -> JSONValue {
    guard !members.isEmpty else { return value }
    switch value {
    case .object(let all):
      return .object(
        all.compactMap { member in
          (members[member.key] ?? members["*"]).map {
            JSONValue.Member(member.key, $0.apply(to: member.value))
          }
        }
      )
    case .array(let elements): return .array(elements.map { apply(to: $0) })
    default: return value
    }
  }
}
