import FirebaseCore
import Foundation
import Testing

/// A file of state.
struct FileStateStoreTests {
  private let file = FileManager.default.temporaryDirectory
    .appendingPathComponent("state-\(UUID().uuidString)/a/b")

  private var mode: Int? {
    (try? FileManager.default.attributesOfItem(atPath: file.path))?[.posixPermissions] as? Int
  }

  @Test func `only the owner may read it`() throws {
    let store = FileStateStore(file: file)
    #expect(try store.read() == nil)
    try store.update { old in
      #expect(old == nil)
      return Data("one".utf8)
    }
    #expect(try store.read() == Data("one".utf8) && mode == 0o600)
    try store.update { _ in nil }
    #expect(try store.read() == nil)
    try store.update { _ in nil }
  }

  @Test func `a change that fails leaves what was there`() throws {
    struct Failure: Error {}
    let store = FileStateStore(file: file)
    try store.update { _ in Data("one".utf8) }
    #expect(throws: Failure.self) { try store.update { _ in throw Failure() } }
    #expect(try store.read() == Data("one".utf8))
  }

  @Test func `changes of several at once are steps one after the other`() async throws {
    let file = file
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          // A store of its own has a descriptor of its own, as another process has.
          let store = FileStateStore(file: file)
          for _ in 0..<25 {
            try store.update { old in
              let count = old.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
              return Data("\(count + 1)".utf8)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try FileStateStore(file: file).read() == Data("200".utf8))
  }

  @Test func `a directory that cannot be written is an error`() {
    let store = FileStateStore(file: URL(fileURLWithPath: "/proc/none/state"))
    #expect(throws: (any Error).self) { try store.update { _ in Data() } }
  }
}
