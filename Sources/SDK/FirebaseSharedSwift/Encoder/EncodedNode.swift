import Foundation

/// A part of an encoding in progress: started by a container, filled by others.
final class EncodedNode {
  private enum Content {
    case nothing
    case leaf(Any)
    case keyed([String: EncodedNode])
    case unkeyed([EncodedNode])
  }

  private var content = Content.nothing

  var isKeyed: Bool { if case .keyed = content { true } else { false } }

  /// The number of elements of an array.
  var count: Int { if case .unkeyed(let elements) = content { elements.count } else { 0 } }

  /// The finished part; nil where nothing was encoded.
  var structure: Any? {
    switch content {
    case .nothing: nil
    case .leaf(let value): value
    // A value that encodes nothing is an empty dictionary, as in JSON.
    case .keyed(let members): members.mapValues { $0.structure ?? [String: Any]() }
    case .unkeyed(let elements): elements.map { $0.structure ?? [String: Any]() }
    }
  }

  func set(_ value: Any) {
    if case .nothing = content {
      content = .leaf(value)
      return
    }
    preconditionFailure("A value was encoded twice at the same place.")
  }

  func becomeKeyed() {
    switch content {
    case .nothing: content = .keyed([:])
    case .keyed: break
    case .leaf, .unkeyed:
      preconditionFailure("A keyed container was requested where a value is already encoded.")
    }
  }

  func becomeUnkeyed() {
    switch content {
    case .nothing: content = .unkeyed([])
    case .unkeyed: break
    case .leaf, .keyed:
      preconditionFailure("An unkeyed container was requested where a value is already encoded.")
    }
  }

  /// The part under a key; the same one where it was there before and `isNew` is false.
  func member(_ key: String, isNew: Bool) -> EncodedNode {
    guard case .keyed(var members) = content else { preconditionFailure("Not a keyed container.") }
    if !isNew, let known = members[key] { return known }
    let node = EncodedNode()
    // Two holders would make each change a copy of all.
    content = .nothing
    members[key] = node
    content = .keyed(members)
    return node
  }

  /// A further element.
  func append() -> EncodedNode {
    guard case .unkeyed(var elements) = content else {
      preconditionFailure("Not an unkeyed container.")
    }
    let node = EncodedNode()
    content = .nothing
    elements.append(node)
    content = .unkeyed(elements)
    return node
  }
}
