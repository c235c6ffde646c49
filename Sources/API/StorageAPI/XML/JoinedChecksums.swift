import BaseText
import Crypto
import ObjectStorage
import StorageWire

/// A part of a multipart upload as the client lists it to complete the upload.
struct ListedPart {
  let number: Int
  let object: StoredObject
  /// The client's checksum of the part, in Base64.
  let checksum: (algorithm: ChecksumAlgorithm, text: String)?

  /// A part that was found, with what the client's element says of it.
  init(_ number: Int, _ object: StoredObject, _ element: XMLElement) {
    self.number = number
    self.object = object
    checksum =
      ChecksumAlgorithm.allCases.lazy
      .compactMap { algorithm in element[algorithm.element].map { (algorithm, $0.text) } }.first
  }

  /// The error for a part that is not there, or is another than the client lists.
  static func invalid(_ number: Int) -> XMLFailure {
    XMLFailure(
      400,
      "InvalidPart",
      "One or more of the specified parts could not be found, or its ETag did not match.",
      details: "\(number)"
    )
  }

  /// The tag of the object that parts become, as S3 makes it; nil where a part has no MD5.
  static func tag(of parts: [ListedPart]) -> String? {
    var hash = Insecure.MD5()
    for part in parts {
      guard let md5 = part.object.hashes.md5 else { return nil }
      hash.update(data: md5)
    }
    return "\(Hexadecimal.text(hash.finalize()))-\(parts.count)"
  }
}

/// The checksums of parts that become an object, and of the object, compared with those that the client sends to complete
/// the upload.
///
/// The object's may be of all bytes, or of the parts' checksums; the latter ends with a hyphen and the number of parts.
struct JoinedChecksums {
  private let said: (algorithm: ChecksumAlgorithm, text: String)?
  private let count: Int
  private var whole: ContentChecksum?
  private var composite: ContentChecksum?
  private var part: ContentChecksum?

  /// Throws where the client's parts have checksums by another algorithm than the object.
  init(_ parts: [ListedPart], _ request: XMLRequest) throws {
    count = parts.count
    let announced = try XMLPayload.announced(request)
    said = announced.flatMap { announced in announced.text.map { (announced.algorithm, $0) } }
    guard let said else { return }
    guard said.text.contains("-") else {
      whole = ContentChecksum(said.algorithm)
      return
    }
    guard parts.allSatisfy({ $0.checksum.map { $0.algorithm == said.algorithm } ?? true }) else {
      throw XMLFailure(400, "InvalidRequest", "The parts have checksums of another algorithm.")
    }
    composite = ContentChecksum(said.algorithm)
  }

  mutating func begin(_ listed: ListedPart) {
    part = (listed.checksum?.algorithm ?? composite?.algorithm).map { ContentChecksum($0) }
  }

  mutating func update(_ bytes: [UInt8]) {
    part?.update(bytes)
    whole?.update(bytes)
  }

  /// Throws where the part's bytes are not those of the client's checksum.
  mutating func end(_ listed: ListedPart) throws {
    guard let part else { return }
    composite?.update(part.bytes)
    guard let checksum = listed.checksum else { return }
    guard Base64.decode(checksum.text) == part.bytes else {
      throw ListedPart.invalid(listed.number)
    }
  }

  /// Throws where the object is not the one of the client's checksum.
  func finish() throws {
    guard let said else { return }
    let isSame: Bool
    if let composite {
      isSame = said.text == "\(Base64.standard(composite.bytes))-\(count)"
    } else {
      isSame = Base64.decode(said.text) == whole?.bytes
    }
    guard isSame else {
      throw XMLFailure(
        400,
        "BadDigest",
        "The provided \(said.algorithm.header) does not match what was computed."
      )
    }
  }
}
