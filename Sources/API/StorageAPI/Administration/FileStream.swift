import BaseJSON
import BaseStatus
import Checksums
import ObjectStorage

// Objects in transfer between a command and the process with the store: items, each a byte for its
// kind and then
//
//   0x01  an object as JSON; its bytes follow
//   0x02  the next bytes of the object
//   0x03  its end: the CRC-32C of the bytes, four bytes, the highest first
//   0x04  a line of an export, as JSON

/// One item of a stream of objects.
package enum FileItem: Sendable, Equatable {
  case object(FileHeader)
  case bytes([UInt8])
  /// The end of the object's bytes, with their CRC-32C.
  case end(crc32c: UInt32)
  /// A bucket or an object in an export, all of it but the bytes.
  case line([UInt8])

  /// The item's bytes.
  package var encoded: [UInt8] {
    switch self {
    case .object(let header): [1] + header.json
    case .bytes(let bytes): [2] + bytes
    case .end(let crc32c): [3] + CRC32C.bytes(of: crc32c)
    case .line(let json): [4] + json
    }
  }

  /// Reads an item; throws for any other input.
  package init(_ item: [UInt8]) throws(ServiceError) {
    let rest = Array(item.dropFirst())
    switch item.first {
    case 1: self = .object(try FileHeader(rest))
    case 2: self = .bytes(rest)
    case 3 where rest.count == 4: self = .end(crc32c: rest.reduce(0) { $0 << 8 | UInt32($1) })
    case 4: self = .line(rest)
    default: throw .invalidArgument("An item of a stream of files is malformed.")
    }
  }
}

/// The description of an object that precedes its bytes in a stream.
package struct FileHeader: Sendable, Equatable {
  /// The object's name in its bucket.
  package var name: String
  /// The number of bytes that follow.
  package var size: Int64
  /// The media type; nil if it is not known.
  package var contentType: String?

  /// An object of that name.
  package init(name: String, size: Int64, contentType: String? = nil) {
    self.name = name
    self.size = size
    self.contentType = contentType
  }

  fileprivate var json: [UInt8] {
    var members: [JSONValue.Member] = [
      JSONValue.Member("name", .string(name)),
      JSONValue.Member("size", .integer(size)),
    ]
    if let contentType {
      members.append(JSONValue.Member("contentType", .string(contentType)))
    }
    return JSONValue.object(members).compactBytes
  }

  fileprivate init(_ json: [UInt8]) throws(ServiceError) {
    let value = try JSONParser.parse(json)
    do {
      var reading = try JSONReading(value)
      guard let name = try reading.text("name"), let size = try reading.integer("size"), size >= 0
      else { throw JSONReading.invalid("name") }
      self.init(name: name.string, size: size, contentType: try reading.text("contentType")?.string)
    } catch let error as StorageError {
      throw .invalidArgument(error.message)
    } catch {
      throw .invalidArgument("A file's header is malformed.")
    }
  }
}
