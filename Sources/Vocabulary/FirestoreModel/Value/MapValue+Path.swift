// Reading and changing a map along field paths.

import BaseText

extension MapValue {
  /// The value at a path; nil where a name is missing or something on the way is no map.
  package func value(at path: FieldPath) -> Value? { value(at: path.segments[...]) }

  /// Sets the value at a path; any value on the way that is not a map is replaced by one.
  package mutating func set(_ value: Value, at path: FieldPath) {
    set(value, at: path.segments[...])
  }

  /// Removes the value at a path if there is one; maps on the way stay, even empty.
  package mutating func remove(at path: FieldPath) { remove(at: path.segments[...]) }

  /// Returns the parts of the map that the paths name, in its structure; missing fields are left
  /// out.
  package func projected(to paths: [FieldPath]) -> MapValue {
    var result = MapValue()
    for path in FieldMask.reduced(paths) {
      if let value = value(at: path) { result.set(value, at: path) }
    }
    return result
  }

  /// This map with the masked paths taken from another: present ones set, absent ones removed.
  package func applying(_ update: MapValue, mask: [FieldPath]) -> MapValue {
    var result = self
    for path in mask {
      if let value = update.value(at: path) {
        result.set(value, at: path)
      } else {
        result.remove(at: path)
      }
    }
    return result
  }

  func value(at path: ArraySlice<Text>) -> Value? {
    guard let name = path.first, let value = self[name] else { return nil }
    let rest = path.dropFirst()
    if rest.isEmpty { return value }
    guard case .map(let inner) = value else { return nil }
    return inner.value(at: rest)
  }

  mutating func set(_ value: Value, at path: ArraySlice<Text>) {
    guard let name = path.first else { return }
    let rest = path.dropFirst()
    if rest.isEmpty {
      self[name] = value
      return
    }
    var inner = MapValue()
    if case .map(let present)? = self[name] { inner = present }
    inner.set(value, at: rest)
    self[name] = .map(inner)
  }

  mutating func remove(at path: ArraySlice<Text>) {
    guard let name = path.first else { return }
    let rest = path.dropFirst()
    if rest.isEmpty {
      self[name] = nil
      return
    }
    guard case .map(var inner)? = self[name] else { return }
    inner.remove(at: rest)
    self[name] = .map(inner)
  }
}
