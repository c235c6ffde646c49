import Foundation

/// Cuts what arrives into lines, without I/O.
struct LineSplitter: Sendable {
  /// A line is longer than any that the server sends.
  struct TooLong: Error {}

  private static let limit = 256 << 10
  private var rest = Data()

  /// Takes the next bytes; returns the lines that end in them, without their ends, empty ones left out.
  mutating func take(_ bytes: Data) throws -> [Data] {
    rest += bytes
    var lines: [Data] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[rest.startIndex..<end]
      if !line.isEmpty { lines.append(Data(line)) }
      rest = Data(rest[rest.index(after: end)...])
    }
    guard rest.count <= Self.limit else { throw TooLong() }
    return lines
  }
}
