/// Comparison whose time says nothing about where two secrets differ.
enum ConstantTime {
  /// Returns true if both have the same bytes; only their lengths show in the time it takes.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
