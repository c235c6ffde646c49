import KeyValueStore

/// A project's credentials, and how many registrations it has.
struct ProjectRecord: Sendable, Equatable {
  var apnsKeys: [APNsKey] = []
  var vapid: VAPIDPair?
  var registrations: Int64 = 0

  init() {}

  init(decoding value: some Collection<UInt8>) throws {
    var reader = try RecordReader(Array(value))
    while let field = try reader.next() {
      switch field.tag {
      case 1: apnsKeys.append(try Self.apnsKey(try field.record()))
      case 2: vapid = try Self.vapidPair(try field.record())
      case 3: registrations = try field.number()
      default: break
      }
    }
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    for key in apnsKeys {
      writer.put(1) { inner in
        inner.put(1, key.keyID)
        inner.put(2, key.teamID)
        inner.put(3, key.privateKey)
        inner.put(4, key.bundle)
      }
    }
    if let vapid {
      writer.put(2) { inner in
        inner.put(1, bytes: vapid.publicKey)
        inner.put(2, bytes: vapid.privateKey)
        inner.put(3, vapid.subject)
      }
    }
    writer.put(3, registrations)
    return writer.bytes
  }

  /// The key for an app: its own before one of all apps; nil without either.
  func apnsKey(for bundle: String) -> APNsKey? {
    apnsKeys.first { $0.bundle == bundle } ?? apnsKeys.first { $0.bundle.isEmpty }
  }

  private static func apnsKey(_ record: RecordReader) throws -> APNsKey {
    var record = record
    var texts = ["", "", "", ""]
    while let field = try record.next() {
      if (1...4).contains(field.tag) { texts[Int(field.tag) - 1] = try field.string() }
    }
    return APNsKey(keyID: texts[0], teamID: texts[1], privateKey: texts[2], bundle: texts[3])
  }

  private static func vapidPair(_ record: RecordReader) throws -> VAPIDPair {
    var record = record
    var (publicKey, privateKey, subject) = ([UInt8](), [UInt8](), "")
    while let field = try record.next() {
      switch field.tag {
      case 1: publicKey = field.raw
      case 2: privateKey = field.raw
      case 3: subject = try field.string()
      default: break
      }
    }
    return VAPIDPair(publicKey: publicKey, privateKey: privateKey, subject: subject)
  }
}
