import Foundation
import Logging
import Testing

@testable import FunctionHost

/// The depth of instances' calls.
@Suite struct InstanceDepthTests {
  @Test func `calls have the greatest depth of the deliveries in flight`() {
    let depth = InstanceDepth()
    #expect(depth.current == 0)
    depth.begin(1, depth: 2)
    depth.begin(2, depth: 5)
    #expect(depth.current == 5)
    depth.end(2)
    #expect(depth.current == 2)
    depth.end(1)
    // What runs on behind the response belongs to the chain.
    #expect(depth.current == 2)
    depth.begin(3, depth: 0)
    #expect(depth.current == 0)
  }

  @Test func `long chains don't lengthen others`() {
    let depth = InstanceDepth()
    depth.begin(1, depth: 3)
    #expect(depth.admits(8))
    #expect(!depth.admits(9))
    depth.end(1)
    #expect(depth.admits(9))
    depth.begin(2, depth: 9)
    #expect(depth.admits(9))
    #expect(!depth.admits(1))
    #expect(!depth.admits(10))
  }
}

/// The files of logs.
@Suite struct FunctionLogFilesTests {
  private static func withFolder(_ body: (String) throws -> Void) rethrows {
    let folder = FileManager.default.temporaryDirectory.path + "/logs-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private static func logs(_ folder: String) -> FunctionLogs {
    FunctionLogs(FunctionLogFiles(folder, log: Logger(label: "test"))) { 1 }
  }

  @Test func `lines are there after a restart, and numbers go on`() throws {
    Self.withFolder { folder in
      let key = FunctionLogs.Key(project: "shop", function: "greet")
      let first = Self.logs(folder)
      first.append(key, severity: "INFO", execution: "e", "one")
      first.append(key, severity: "ERROR", "two\nlines")
      first.flush()
      let second = Self.logs(folder)
      second.append(key, severity: "INFO", "three")
      let entries = second.entries(of: "shop", function: "greet", after: 0)
      #expect(entries.map(\.message) == ["one", "two\nlines", "three"])
      #expect(entries.map(\.sequence) == [1, 2, 3])
      #expect(entries[0].execution == "e" && entries[1].severity == "ERROR")
      #expect(second.entries(of: "bank", function: nil, after: 0).isEmpty)
    }
  }

  @Test func `files are bounded, for the server's user alone, and a cut line is skipped`() throws {
    try Self.withFolder { folder in
      let key = FunctionLogs.Key(project: "shop", function: "loud")
      let logs = Self.logs(folder)
      let line = String(repeating: "x", count: 10_000)
      for number in 0..<100 {
        logs.append(key, severity: "INFO", "\(number) \(line)")
        if number % 10 == 0 { logs.flush() }
      }
      logs.flush()
      let manager = FileManager.default
      var size = 0
      for name in try manager.contentsOfDirectory(atPath: folder + "/shop") {
        let attributes = try manager.attributesOfItem(atPath: folder + "/shop/" + name)
        size += attributes[.size] as? Int ?? 0
        #expect(attributes[.posixPermissions] as? Int == 0o600)
      }
      #expect(size < 3 * FunctionLogFiles.bytesPerFile)
      let path = folder + "/shop/loud.log"
      let handle = try #require(FileHandle(forWritingAtPath: path))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("{\"sequence\":".utf8))
      try handle.close()
      let read = Self.logs(folder).entries(of: "shop", function: "loud", after: 0)
      #expect(read.last?.sequence == 100)
      #expect(read.count > 10)
    }
  }

  @Test func `a link in place of a file is not followed`() throws {
    try Self.withFolder { folder in
      let target = folder + "-target"
      defer { try? FileManager.default.removeItem(atPath: target) }
      try FileManager.default.createDirectory(
        atPath: folder + "/shop",
        withIntermediateDirectories: true
      )
      try Data("kept".utf8).write(to: URL(fileURLWithPath: target))
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/shop/f.log",
        withDestinationPath: target
      )
      let logs = Self.logs(folder)
      logs.append(FunctionLogs.Key(project: "shop", function: "f"), severity: "INFO", "line")
      logs.flush()
      #expect(try String(contentsOfFile: target, encoding: .utf8) == "kept")
    }
  }
}
