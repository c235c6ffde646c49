import Foundation

/// Feeds a reader of clients' data with mutated examples.
///
/// It looks for the end of the process: an overflow, an index out of range, a stack that is too
/// small. The input is kept in a file while it is read, so after a crash the file holds the input
/// that caused it. The file's name and the seed are printed before; `BRASA_FUZZ_SEED` takes a seed
/// again.
package struct Fuzzer {
  private let name: String
  private let seed: UInt64
  private let slowCount: Int
  private var mutator: Mutator

  /// The time that a reader is fed in the fast suite.
  private static let fastTime = Duration.milliseconds(700)

  /// A fuzzer whose inputs are changed examples; `slowCount` of them where the suite may take long.
  package init(_ name: String, slowCount: Int, examples: [[UInt8]]) {
    let environment = ProcessInfo.processInfo.environment
    var random = SystemRandomNumberGenerator()
    self.name = name
    self.slowCount = slowCount
    seed = environment["BRASA_FUZZ_SEED"].flatMap { UInt64($0) } ?? random.next()
    mutator = Mutator(examples: examples, seed: seed)
    isSlow = environment["BRASA_SLOW_TESTS"] != nil
  }

  private let isSlow: Bool

  /// Has the body read one input after the other.
  package mutating func run(_ body: ([UInt8]) throws -> Void) throws {
    let record = try InputRecord(name)
    announce(record)
    let end = ContinuousClock.now + Self.fastTime
    var count = 0
    while isSlow ? count < slowCount : ContinuousClock.now < end {
      let input = mutator.next()
      record.note(input)
      try body(input)
      count += 1
    }
    record.remove()
    say("\(count) inputs")
  }

  /// The same for a body that waits.
  package mutating func run(_ body: ([UInt8]) async throws -> Void) async throws {
    let record = try InputRecord(name)
    announce(record)
    let end = ContinuousClock.now + Self.fastTime
    var count = 0
    while isSlow ? count < slowCount : ContinuousClock.now < end {
      let input = mutator.next()
      record.note(input)
      try await body(input)
      count += 1
    }
    record.remove()
    say("\(count) inputs")
  }

  private func announce(_ record: InputRecord) {
    say("seed \(seed), the input being read is in \(record.path)")
  }

  /// Says it where nothing is buffered: a crash would take what is.
  private func say(_ text: String) {
    FileHandle.standardError.write(Data("fuzz \(name): \(text)\n".utf8))
  }
}

/// The file that holds the input being read: its length in eight bytes, least significant first, and it.
private final class InputRecord {
  let path: String
  private let handle: FileHandle

  init(_ name: String) throws {
    let file = "brasa-fuzz-\(name)-\(ProcessInfo.processInfo.processIdentifier)"
    path = FileManager.default.temporaryDirectory.appendingPathComponent(file).path
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forUpdatingAtPath: path)
    else { throw CocoaError(.fileNoSuchFile) }
    self.handle = handle
  }

  func note(_ input: [UInt8]) {
    let bytes = withUnsafeBytes(of: UInt64(input.count).littleEndian) { Array($0) } + input
    var start = 0
    while start < bytes.count {
      let written = bytes[start...].withUnsafeBytes {
        pwrite(handle.fileDescriptor, $0.baseAddress, $0.count, off_t(start))
      }
      guard written > 0 else { return }
      start += written
    }
  }

  func remove() {
    try? handle.close()
    try? FileManager.default.removeItem(atPath: path)
  }
}
