import BaseStatus
import Foundation
import Testing

@testable import FunctionHost

/// Archives that clients upload, as Python's `zipfile` wrote them, and as nobody should.
@Suite struct ZipArchiveTests {
  /// Files that are stored, with their names; the sums are those of CRC-32.
  private static func archive(
    _ files: [(name: String, text: String)],
    mode: UInt32 = 0o100_644,
    flags: UInt16 = 0,
    method: UInt16 = 0,
    damage: UInt32 = 0
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    var directory: [UInt8] = []
    for (name, text) in files {
      let offset = UInt32(bytes.count)
      let (name, content) = (Array(name.utf8), Array(text.utf8))
      let sum = crc(content) ^ damage
      let size = UInt32(content.count)
      let common =
        little(UInt16(20)) + little(flags) + little(method) + little(UInt32(0)) + little(sum)
        + little(size) + little(size) + little(UInt16(name.count)) + little(UInt16(0))
      bytes += little(UInt32(0x0403_4B50)) + common + name + content
      directory +=
        little(UInt32(0x0201_4B50)) + little(UInt16(0x0314)) + common + little(UInt16(0))
        + little(UInt16(0)) + little(UInt16(0)) + little(mode << 16) + little(offset) + name
    }
    let count = little(UInt16(files.count))
    let start = little(UInt32(bytes.count))
    return bytes + directory + little(UInt32(0x0605_4B50)) + little(UInt32(0)) + count + count
      + little(UInt32(directory.count)) + start + little(UInt16(0))
  }

  private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { part, _ in
        part & 1 == 1 ? (part >> 1) ^ 0xEDB8_8320 : part >> 1
      }
    }
  }

  private func reason(_ bytes: [UInt8]) -> String {
    do {
      _ = try SourceTree(unpacking: bytes)
      return ""
    } catch {
      return error.message
    }
  }

  @Test func `a deflated archive of Python is read`() throws {
    // zipfile.ZIP_DEFLATED with main.py, "x = 1\n" 200 times, executable.
    let bytes = try #require(Data(base64Encoded: Self.deflated))
    let files = try ZipArchive.files(of: Array(bytes))
    #expect(files.map(\.path) == ["main.py"])
    #expect(files.first?.bytes == Data(String(repeating: "x = 1\n", count: 200).utf8))
    #expect(files.first?.isExecutable == true)
  }

  @Test func `stored files are read, without what installations leave`() throws {
    let names = [
      "main.py", "a/b.txt", "venv/lib.py", "a/__pycache__/x.pyc", "folder/", ".env.local",
    ]
    let bytes = Self.archive(names.map { ($0, "text of \($0)") })
    let tree = try SourceTree(unpacking: bytes)
    #expect(tree.files.map(\.path) == ["a/b.txt", "main.py"])
    #expect(tree.text(of: "a/b.txt") == "text of a/b.txt")
  }

  @Test(arguments: [
    "../main.py", "/main.py", "a/../../b", "a//b", "a/./b", "a\\b", "a\u{0}b", "..",
    // The slash and the mark behind it are one character to Swift, and two to the system.
    "../\u{301}main.py", "a/../\u{301}b", "./\u{301}b",
  ])
  func `a name that leads out of the folder is refused`(name: String) {
    #expect(reason(Self.archive([(name, "")])).contains("leads out of the folder"))
  }

  @Test func `links, other methods, twins and damaged contents are refused`() {
    #expect(reason(Self.archive([("a", "b")], mode: 0o120_777)).contains("is a link"))
    #expect(reason(Self.archive([("a", "b")], flags: 1)).contains("encrypted"))
    #expect(reason(Self.archive([("a", "b")], method: 12)).contains("unsupported method"))
    #expect(reason(Self.archive([("a", "b"), ("a", "c")])).contains("twice"))
    #expect(reason(Self.archive([("a", "b"), ("a/b", "c")])).contains("a file and a folder"))
    let marked = Self.archive([("a", "b"), ("a/\u{301}b", "c")])
    #expect(reason(marked).contains("a file and a folder"))
    #expect(reason(Self.archive([("a", "b")], damage: 1)).contains("checksum"))
  }

  @Test func `every cut of an archive is refused`() {
    let bytes = Self.archive([("main.py", "text"), ("b", "")])
    for count in 0..<bytes.count {
      #expect(reason(Array(bytes.prefix(count))).hasPrefix("The uploaded archive can't be read"))
    }
  }

  @Test func `no changed byte ends the program`() {
    let bytes = Self.archive([("main.py", "text"), ("b/c", "more")])
    for index in bytes.indices {
      for value in [0, 0x7F, 0xFF] as [UInt8] where bytes[index] != value {
        var changed = bytes
        changed[index] = value
        _ = try? SourceTree(unpacking: changed)
      }
    }
  }

  @Test func `uploads are their project's, and end`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/uploads-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let clock = Clock()
    let uploads = try SourceUploads(folder: folder) { clock.now }
    let ticket = try uploads.issue(to: "shop")
    try await uploads.receive(ticket, Self.parts([1, 2], [3]))
    #expect(try uploads.archive(ticket.name, of: "shop") == [1, 2, 3])
    #expect(throws: ServiceError.self) { try uploads.archive(ticket.name, of: "bank") }
    clock.now += SourceUploads.lifetime
    #expect(throws: ServiceError.self) { try uploads.archive(ticket.name, of: "shop") }
    uploads.sweep()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    let first = try uploads.issue(to: "shop")
    clock.now += 1
    for _ in 0..<SourceUploads.mostOfProject { _ = try uploads.issue(to: "shop") }
    await #expect(throws: ServiceError.self) {
      try await uploads.receive(first, Self.parts([1]))
    }
  }

  private final class Clock: @unchecked Sendable {
    // One test's, which asks it from its own task.
    var now = 1_000.0
  }

  private static func parts(_ parts: [UInt8]...) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream { stream in
      for part in parts { stream.yield(part) }
      stream.finish()
    }
  }

  private static let deflated =
    "UEsDBBQAAAAIAAAAIQCqHJvUEgAAALAEAAAHAAAAbWFpbi5weatQsFUw5KoYJUfJUXKUHPQkAFBLAQIU"
    + "AxQAAAAIAAAAIQCqHJvUEgAAALAEAAAHAAAAAAAAAAAAAADtgQAAAABtYWluLnB5UEsFBgAAAAABAAEA"
    + "NQAAADcAAAAAAA=="
}
