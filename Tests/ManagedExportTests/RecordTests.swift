import BaseStatus
import Foundation
import ManagedExport
import ModelTestSupport
import Testing

/// All records of a file's bytes.
func records(_ bytes: [UInt8]) throws -> [[UInt8]] {
  var rest = bytes[...]
  var reader = ExportRecords("output-0") { count in
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
  var found: [[UInt8]] = []
  while let record = try reader.next() { found.append(record) }
  return found
}

@Suite struct RecordTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/emulator-export/firestore_export")

  private static func file(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  private static func log(_ records: [[UInt8]]) -> [UInt8] {
    var writer = ExportRecordWriter()
    for record in records { writer.append(record) }
    #expect(writer.size == writer.pending.count)
    return writer.take()
  }

  /// Sizes around the end of a block of 32,768 bytes with headers of 7.
  @Test(arguments: [0, 1, 32_753, 32_754, 32_755, 32_761, 32_762, 65_522, 65_523, 200_000])
  func `records of every size come back`(size: Int) throws {
    let records = [
      Array(repeating: UInt8(7), count: size), [1, 2, 3], [], Array(repeating: 9, count: 40_000),
    ]
    #expect(try ManagedExportTests.records(Self.log(records)) == records)
  }

  @Test func `the emulator's own file is read, and written as it was`() throws {
    let bytes = try Self.file("all_namespaces/all_kinds/output-0")
    let found = try records(bytes)
    #expect(found.count == 39)
    #expect(Self.log(found) == bytes)
    let index = try records(Self.file("firestore_export.overall_export_metadata"))
    #expect(ExportSummary(index).entities == 39)
  }

  @Test func `the emulator's indexes are written byte for byte`() throws {
    let index = try Self.file("firestore_export.overall_export_metadata")
    #expect(ExportSummary.index(entities: 39, bytes: 7_000) == index)
    let part = try Self.file("all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata")
    let written = ExportSummary.partIndex(
      name: "firestore_export",
      start: 1_795_747_881_077_600,
      end: 1_795_747_881_087_496
    )
    #expect(written == part)
  }

  @Test func `the emulator's documents come back as they were`() throws {
    let found = try records(Self.file("all_namespaces/all_kinds/output-0"))
    for entity in found {
      let document = try EntityReader().document(entity)
      let again = try EntityReader().document(EntityWriter(isForEmulator: true).entity(document))
      #expect(try fields(again) == fields(document))
      #expect(try name(again) == name(document))
    }
  }

  @Test func `a file that was cut off has its first records, or says where it ends`() throws {
    let whole = [Array(repeating: UInt8(1), count: 90), Array(repeating: 2, count: 40_000), [3]]
    let bytes = Self.log(whole)
    for count in stride(from: 0, to: bytes.count, by: 61) {
      do {
        let found = try records(Array(bytes.prefix(count)))
        #expect(found == Array(whole.prefix(found.count)))
      } catch let error as ServiceError {
        #expect(error.code == .dataLoss && error.message.contains("output-0"))
      }
    }
  }

  @Test func `damage is found`() throws {
    let bytes = Self.log([[1, 2, 3, 4], [5, 6, 7, 8]])
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x10
      #expect(throws: ServiceError.self) { try records(damaged) }
    }
  }

  @Test func `hostile files are refused or read, and never end the process`() throws {
    let examples = [
      Self.log([[1, 2, 3], Array(repeating: 4, count: 40_000)]),
      try Self.file("all_namespaces/all_kinds/output-0"),
    ]
    var fuzzer = Fuzzer("records", slowCount: 1_000_000, examples: examples)
    try fuzzer.run { bytes in
      do {
        _ = ExportSummary(try records(bytes))
      } catch let error as ServiceError {
        #expect(error.code == .dataLoss)
      }
    }
  }
}
