import Foundation

/// The lines of all days of an export of events; none before its first file.
func unpackedLines(of folder: URL) throws -> [String] {
  guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
  let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    .filter { $0.hasSuffix(".gz") }
  guard !files.isEmpty else { return [] }
  let (process, output) = (Process(), Pipe())
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["gzip", "-dc"] + files.map { folder.appending(path: $0).path }
  process.standardOutput = output
  try process.run()
  let bytes = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
}
