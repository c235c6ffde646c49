/// A number of bytes as operators write it: `500000`, `20MB`, `50GB`; units are powers of a thousand.
struct ByteSize: Sendable, Equatable {
  let bytes: Int64

  private static let units: [(suffix: String, bytes: Int64)] = [
    ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000), ("B", 1),
  ]

  /// Reads a text; nil for invalid text, or a number of more than 64 bits.
  init?(_ text: String) {
    let text = text.uppercased()
    let unit = Self.units.first { text.hasSuffix($0.suffix) }
    let digits = text.dropLast(unit?.suffix.count ?? 0)
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits) else {
      return nil
    }
    let (bytes, isTooMuch) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
    guard !isTooMuch else { return nil }
    self.bytes = bytes
  }
}
