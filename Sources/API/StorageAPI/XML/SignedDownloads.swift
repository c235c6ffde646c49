import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire
import Synchronization

/// Signed URLs of recent downloads, so that a repeated one needs no second verification.
///
/// The validity of a signed request depends on its method, target, signed headers, the time and the
/// key, and on nothing else. The memory holds GETs of URLs that sign no header but `host`, without
/// a header that would have to be signed: for them target and host are sufficient. URLs of version
/// 2, which always sign headers, are verified each time. The time and the key are checked for each
/// repeated URL.
///
/// Two generations bound the memory: when the young one is full it becomes the old one, and what was not used since
/// goes. Any thread may call.
final class SignedDownloads: Sendable {
  /// The download that a URL allows.
  struct Download: Sendable {
    let bucket: BucketName
    let object: ObjectName
    /// Headers that the signer requests for the response.
    let overrides: [(name: HTTPField.Name, value: String)]
    let signature: VerifiedSignature
  }

  private struct URLParts: Hashable {
    let host: String
    let target: String
  }

  private struct Generations {
    var young: [URLParts: Download] = [:]
    var old: [URLParts: Download] = [:]
    var youngBytes = 0
  }

  private let generations = Mutex(Generations())
  /// Bytes of one generation.
  private let limit: Int
  /// The approximate memory of a URL beside its text, which is stored twice.
  private static let ownBytes = 1_024

  init(limit: Int = 2 << 20) { self.limit = limit }

  /// Returns the download that the URL of a request allows, if it was remembered.
  func download(_ request: ServiceRequest) -> Download? {
    guard let url = Self.parts(of: request) else { return nil }
    return generations.withLock { generations in
      if let known = generations.young[url] { return known }
      guard let known = generations.old[url] else { return nil }
      put(known, url, in: &generations)
      return known
    }
  }

  /// Remembers the target of a request's URL, if it is complete.
  func keep(_ download: Download, _ request: ServiceRequest) {
    guard download.signature.isOfTargetAlone, let url = Self.parts(of: request) else { return }
    generations.withLock { put(download, url, in: &$0) }
  }

  private func put(_ download: Download, _ url: URLParts, in generations: inout Generations) {
    let bytes = Self.ownBytes + 2 * url.target.utf8.count
    if generations.youngBytes + bytes > limit {
      generations.old = generations.young
      generations.young = [:]
      generations.youngBytes = 0
    }
    if generations.young.updateValue(download, forKey: url) == nil {
      generations.youngBytes += bytes
    }
  }

  /// The URL; nil where a header may change what the request means.
  private static func parts(of request: ServiceRequest) -> URLParts? {
    guard request.method == .get, let host = request.head.authority, let target = request.head.path,
      !request.headers.contains(where: { mayCount($0.name.canonicalName) })
    else { return nil }
    return URLParts(host: host, target: target)
  }

  private static func mayCount(_ name: String) -> Bool {
    name.hasPrefix("x-goog-") || name.hasPrefix("x-amz-") || name == "authorization"
      || name == "host"
  }
}
