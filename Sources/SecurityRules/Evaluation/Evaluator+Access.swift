import FirestoreModel

// Members, indexes and slices.

extension Evaluator {
  func member(_ object: RulesValue, _ name: Text, _ node: Node) throws(RulesFault) -> RulesValue {
    guard case .map(let map) = object else { throw typeFault(object, "map,path", node) }
    guard let value = map[name] else {
      throw fault("Property \(name.string) is undefined on object.", node)
    }
    return value
  }

  func element(
    _ object: RulesValue,
    _ index: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    switch (object, index) {
    case (.map, .string(let key)): return try member(object, key, node)
    case (.path(let path), .string(let name)):
      guard let bound = path.bindings[name] else {
        throw fault("Property \(name.string) is undefined on object.", node)
      }
      return .string(bound)
    case (.path(let path), .integer(let position)):
      guard let plain = path.plain, let position = Int(exactly: position),
        plain.indices.contains(position)
      else { throw fault("Index \(position) is out of range.", node) }
      return .string(plain[position])
    case (.list(let elements), .integer(let position)):
      guard let position = Int(exactly: position), elements.indices.contains(position) else {
        throw fault("Index \(position) is out of range.", node)
      }
      return elements[position]
    case (.string, .integer(let position)):
      guard position >= 0, position < .max else { throw fault("Index is out of range.", node) }
      return try slice(object, index, .integer(position + 1), node)
    case (.list, _), (.string, _): throw typeFault(index, "int", node)
    case (.map, _): throw typeFault(index, "string", node)
    case (.path, _): throw typeFault(index, "int,string", node)
    default: throw typeFault(object, "list,map,path,string", node)
    }
  }

  func slice(
    _ object: RulesValue,
    _ from: RulesValue?,
    _ to: RulesValue?,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    switch object {
    case .list(let elements):
      return .list(Array(elements[try bounds(from, to, elements.count, node)]))
    case .string(let text):
      let units = Array(text.string.utf16)
      let part = units[try bounds(from, to, units.count, node)]
      return .string(Text(String(decoding: part, as: UTF16.self)))
    case .path(let path):
      let range = try bounds(from, to, path.segments.count, node)
      return .path(RulesPath(Array(path.segments[range])))
    default: throw typeFault(object, "list,path,string", node)
    }
  }

  private func bounds(
    _ from: RulesValue?,
    _ to: RulesValue?,
    _ count: Int,
    _ node: Node
  ) throws(RulesFault) -> Range<Int> {
    let lower = try bound(from, or: 0, node)
    let upper = try bound(to, or: count, node)
    guard 0 <= lower, lower <= upper, upper <= count else {
      throw fault("Range is out of bounds.", node)
    }
    return lower..<upper
  }

  private func bound(_ value: RulesValue?, or other: Int, _ node: Node) throws(RulesFault) -> Int {
    guard let value else { return other }
    guard case .integer(let number) = value else { throw typeFault(value, "int", node) }
    return Int(number)
  }
}
