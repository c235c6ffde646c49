import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel
import Foundation
import ManagedExport
import ModelTestSupport
import Testing

/// A document's message.
func message(_ name: String, _ fields: MapValue) -> [UInt8] {
  var writer = ProtobufWriter()
  writer.string(1, name)
  writer.mapEntries(2, fields)
  return writer.bytes
}

/// The fields of a document's message as the store would keep them.
func fields(_ message: [UInt8]) throws -> DocumentFields {
  let parts = try message.withUnsafeBytes { try DocumentCodec.split(document: $0) }
  let database = DatabaseID(project: "shop")
  let name = DocumentName(database: database, path: ResourcePath(["products", "chair"]))
  return try DocumentCodec.validate(parts.fields, name: name)
}

/// The name in a document's message.
func name(_ message: [UInt8]) throws -> String {
  try message.withUnsafeBytes { try DocumentCodec.split(document: $0) }.name
}

@Suite struct EntityTests {
  private static let chair = "projects/shop/databases/(default)/documents/products/chair"

  @Test(arguments: [true, false])
  func `random documents come back as they were`(isForEmulator: Bool) throws {
    var random = RandomValues(seed: isForEmulator ? 1 : 2)
    for _ in 0..<400 {
      let written = message(Self.chair, random.map())
      let entity = try EntityWriter(isForEmulator: isForEmulator).entity(written)
      let read = try EntityReader().document(entity)
      #expect(try fields(read) == fields(written))
      #expect(try name(read) == Self.chair)
      #expect(try EntityReader.project(of: entity) == "shop")
    }
  }

  @Test(arguments: [
    "projects/p/databases/(default)/documents/a/b",
    "projects/p/databases/other/documents/a/b/c/d",
    "projects/p/databases/(default)/documents/a/__id7__",
    "projects/p/databases/(default)/documents/a/__id-7__",
    "projects/p/databases/(default)/documents/a/__id007__",
    "projects/p/databases/(default)/documents/a/__id0__",
    "projects/p/databases/(default)/documents/ação/com espaço",
  ])
  func `names come back as they were`(document: String) throws {
    let entity = try EntityWriter(isForEmulator: false).entity(message(document, MapValue([])))
    #expect(try name(EntityReader().document(entity)) == document)
  }

  @Test func `references to the own project lead to the target`() throws {
    let target = ExportedDatabase(project: "store", database: "copy")
    let cases = [
      ("shop/databases/(default)", "store/databases/copy"),
      ("shop/databases/other", "store/databases/other"),
      ("else/databases/(default)", "else/databases/(default)"),
    ]
    for (written, expected) in cases {
      let entity = try EntityWriter(isForEmulator: true).entity(
        reference(to: "projects/\(written)/documents/a/b", from: Self.chair)
      )
      let read = try EntityReader(into: target).document(entity)
      let moved = reference(to: "projects/\(expected)/documents/a/b", from: Self.chair)
      #expect(try fields(read) == fields(moved))
    }
  }

  /// A document with a reference in a list in a map.
  private func reference(to name: String, from document: String) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, document)
    writer.message(2) { entry in
      entry.string(1, "map")
      entry.message(2) { value in
        value.message(ValueField.map) { map in
          map.message(1) { entry in
            entry.string(1, "list")
            entry.message(2) { value in
              value.message(ValueField.array) { array in
                array.message(1) { $0.string(ValueField.reference, name) }
              }
            }
          }
        }
      }
    }
    return writer.bytes
  }

  @Test func `a list in a list is refused by name`() {
    var writer = ProtobufWriter()
    writer.string(1, Self.chair)
    writer.message(2) { entry in
      entry.string(1, "lists")
      entry.message(2) { value in
        value.message(ValueField.array) { outer in
          outer.message(1) { $0.message(ValueField.array) { _ in } }
        }
      }
    }
    let text = refusal { try EntityWriter(isForEmulator: true).entity(writer.bytes) }
    #expect(text?.contains("list in it") == true)
  }

  @Test func `entities that are no documents are refused with a reason`() throws {
    func entity(_ body: (inout ProtobufWriter) -> Void) -> [UInt8] {
      var writer = ProtobufWriter()
      body(&writer)
      return writer.bytes
    }
    let part: [UInt8] = [0x0B, 0x12, 1, 0x61, 0x22, 1, 0x62, 0x0C]
    let halfPart: [UInt8] = [0x0B, 0x12, 1, 0x61, 0x0C]
    let key = entity { $0.message(13) { $0.content(14, part) } }
    let cases: [(String, [UInt8])] = [
      ("no key", []),
      ("no path", entity { $0.message(13) { $0.string(13, "s~p") } }),
      ("incomplete", entity { $0.message(13) { $0.content(14, halfPart) } }),
      (
        "namespace",
        entity {
          $0.message(13) { key in
            key.string(20, "space")
            key.content(14, part)
          }
        }
      ),
      ("not a string", key + entity { $0.message(15) { $0.content(3, [0xFF]) } }),
      ("UTF-8", key + property { $0.content(3, [0xFF]) }),
      ("App Engine", key + property { $0.content(8, []) }),
      ("years", key + property(meaning: 7) { $0.int64(1, .max) }),
      ("coordinates", key + property { $0.append([0x2B, 0x2C]) }),
      ("deep", key + property(meaning: 19) { $0.content(3, Self.deepMap(25)) }),
      ("malformed", [0x6A, 0x05, 0x01]),
    ]
    for (reason, bytes) in cases {
      let text = refusal { try EntityReader().document(bytes) }
      #expect(text?.contains(reason) == true, "\(reason): \(text ?? "none")")
    }
  }

  private func property(meaning: UInt64 = 0, _ value: (inout ProtobufWriter) -> Void) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.message(15) { property in
      if meaning > 0 { property.varint(1, meaning) }
      property.string(3, "name")
      property.message(5) { value(&$0) }
    }
    return writer.bytes
  }

  /// Maps in maps.
  private static func deepMap(_ levels: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<levels {
      var writer = ProtobufWriter()
      writer.message(15) { property in
        property.varint(1, 19)
        property.string(3, "a")
        property.message(5) { $0.content(3, bytes) }
      }
      bytes = writer.bytes
    }
    return bytes
  }

  private func refusal(_ body: () throws -> [UInt8]) -> String? {
    do {
      _ = try body()
      return nil
    } catch let error as ServiceError {
      return error.message
    } catch {
      return nil
    }
  }

  @Test func `hostile entities are refused or read, and never end the process`() throws {
    var random = RandomValues(seed: 3)
    let writer = EntityWriter(isForEmulator: true)
    let examples = try (0..<20).map { _ in
      try writer.entity(message(Self.chair, random.map()))
    }
    var fuzzer = Fuzzer("entities", slowCount: 1_000_000, examples: examples)
    try fuzzer.run { bytes in
      do {
        _ = try EntityWriter(isForEmulator: false).entity(EntityReader().document(bytes))
      } catch {
        #expect((error as? ServiceError)?.code == .invalidArgument)
      }
    }
  }
}
