import Foundation

/// Reads and writes files away from the threads of asynchronous code.
enum FileAccess {
  private static let queue = DispatchQueue(
    label: "firebase.storage.files",
    attributes: .concurrent
  )

  /// Does blocking work and waits for it.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try work() }) }
    }
  }

  /// Bytes of a file; fewer where it ends before.
  static func read(_ file: URL, at offset: Int64, count: Int64) async throws -> Data {
    try await run {
      let handle = try FileHandle(forReadingFrom: file)
      defer { _ = try? handle.close() }
      try handle.seek(toOffset: UInt64(offset))
      var data = Data()
      while data.count < count,
        let part = try handle.read(upToCount: Int(count) - data.count), !part.isEmpty
      {
        data.append(part)
      }
      return data
    }
  }

  /// Writes bytes into a file that is there.
  static func write(_ data: Data, to file: URL, at offset: Int64) async throws {
    try await run {
      let handle = try FileHandle(forWritingTo: file)
      do {
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: data)
      } catch {
        // The caller receives the first error.
        _ = try? handle.close()
        throw error
      }
      try handle.close()
    }
  }

  /// Makes an empty file, in a directory that is made too where it is not there.
  static func create(_ file: URL) async throws {
    try await run {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data().write(to: file)
    }
  }
}
