import BaseText
import DocumentCodec
import FirestoreModel

/// A document as a request carries it: its name and its fields' bytes, not yet judged.
///
/// It points into the request's bytes and must not outlive them.
struct DocumentMessage {
  /// The bytes of the entries of `fields`, tags included.
  private enum FieldBytes {
    /// All entries follow each other, as encoders write them.
    case contiguous(UnsafeRawBufferPointer)
    /// Other fields lie between them; here they are gathered.
    case gathered([UInt8])
  }

  private let name: UnsafeRawBufferPointer
  private let fields: FieldBytes

  /// Reads a document to its end; its times are the server's and passed over.
  init(_ whole: UnsafeRawBufferPointer) throws {
    var reader = ProtobufReader(whole)
    var name = UnsafeRawBufferPointer(start: nil, count: 0)
    var runs: [Range<Int>] = []
    var run: Range<Int>?
    var start = 0
    while let field = try reader.nextField() {
      if field == 2 {
        guard reader.wireType == .bytes else { throw ProtobufError.unexpectedWireType }
        try reader.skip()
        let end = reader.position
        if let open = run, open.upperBound == start {
          run = open.lowerBound..<end
        } else {
          if let open = run { runs.append(open) }
          run = start..<end
        }
      } else if field == 1 {
        name = try reader.content()
      } else {
        try reader.skip()
      }
      start = reader.position
    }
    self.name = name
    fields = Self.fieldBytes(whole, runs, run)
  }

  private static func fieldBytes(
    _ whole: UnsafeRawBufferPointer,
    _ earlier: [Range<Int>],
    _ last: Range<Int>?
  ) -> FieldBytes {
    guard let last else { return .gathered([]) }
    if earlier.isEmpty { return .contiguous(UnsafeRawBufferPointer(rebasing: whole[last])) }
    return .gathered((earlier + [last]).flatMap { whole[$0] })
  }

  /// The name in the document.
  func documentName() throws -> DocumentName {
    guard isValidUTF8(name) else { throw ProtobufError.malformedText }
    return try DocumentName(parsing: name)
  }

  /// The fields, judged as those of a document of that name.
  func validatedFields(of name: DocumentName) throws -> DocumentFields {
    switch fields {
    case .contiguous(let bytes): try DocumentCodec.validate(bytes, name: name)
    case .gathered(let bytes):
      try bytes.withUnsafeBytes { try DocumentCodec.validate($0, name: name) }
    }
  }

  /// The write that stores this document under its own name.
  func write(
    mask: [FieldPath]?,
    transforms: [FieldTransform] = [],
    precondition: Precondition?
  ) throws -> Write {
    let name = try documentName()
    return Write(
      name: name,
      operation: .update(try validatedFields(of: name), mask: mask),
      transforms: transforms,
      precondition: precondition
    )
  }
}
