import BaseText

extension [UInt8] {
  /// Returns true if these bytes sort before others as keys do.
  @inline(__always)
  func precedes(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { mine in
      other.withUnsafeBytes { compareBytes(mine, $0) == .ascending }
    }
  }

  /// The same for a part of other bytes.
  func precedes(_ other: ArraySlice<UInt8>) -> Bool {
    withUnsafeBytes { mine in
      other.withUnsafeBytes { compareBytes(mine, $0) == .ascending }
    }
  }
}
