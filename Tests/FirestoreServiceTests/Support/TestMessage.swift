import DocumentCodec

/// Protobuf messages written field by field, as a gRPC client sends them.
struct TestMessage {
  private(set) var writer = ProtobufWriter()

  init(_ parts: Part...) { for part in parts { part.write(&writer) } }

  init(_ parts: [Part]) { for part in parts { part.write(&writer) } }

  var bytes: [UInt8] { writer.bytes }

  /// One field.
  struct Part: Sendable {
    let write: @Sendable (inout ProtobufWriter) -> Void

    static func text(_ field: Int, _ value: String) -> Part {
      Part { $0.string(field, value) }
    }

    static func number(_ field: Int, _ value: Int64) -> Part {
      Part { $0.varint(field, UInt64(bitPattern: value)) }
    }

    static func double(_ field: Int, _ value: Double) -> Part {
      Part { $0.double(field, value) }
    }

    static func message(_ field: Int, _ parts: Part...) -> Part {
      Part { $0.content(field, TestMessage(parts).bytes) }
    }

    static func bytes(_ field: Int, _ value: [UInt8]) -> Part {
      Part { $0.content(field, value) }
    }

    /// A string value of a document's field map.
    static func field(_ name: String, _ value: String) -> Part {
      .message(2, .text(1, name), .message(2, .text(17, value)))
    }

    /// `where field == value` of a structured query.
    static func equals(_ field: String, _ value: String) -> Part {
      .message(
        3,
        .message(2, .message(1, .text(2, field)), .number(2, 5), .message(3, .text(17, value)))
      )
    }
  }
}
