import Foundation

/// The bytes of an upload: in memory, or a file that is read as they are needed.
enum UploadContent: Sendable {
  case data(Data)
  case file(URL)

  /// Returns the number of bytes; throws if the file cannot be read.
  func size() async throws -> Int64 {
    switch self {
    case .data(let data): return Int64(data.count)
    case .file(let url): return try await FileAccess.run { try Self.size(of: url) }
    }
  }

  private static func size(of url: URL) throws -> Int64 {
    let values: URLResourceValues
    do {
      values = try url.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    } catch {
      throw unreachable(url, error)
    }
    guard values.isRegularFile == true, let size = values.fileSize else {
      throw unreachable(url, nil)
    }
    return Int64(size)
  }

  private static func unreachable(_ url: URL, _ error: (any Error)?) -> StorageError {
    let cause = error.map { $0 as NSError }
    return .unknown(
      message:
        "File at URL: \(url) is not reachable. Ensure file URL is not a directory, symbolic link, or "
        + "invalid url.",
      serverError: cause.map {
        ["ResponseErrorDomain": $0.domain, "ResponseErrorCode": $0.code]
      } ?? [:]
    )
  }

  /// Bytes of the content; throws where the file has become shorter.
  func read(at offset: Int64, count: Int64) async throws -> Data {
    switch self {
    case .data(let data):
      let begin = data.startIndex + Int(offset)
      return Data(data[begin..<(begin + Int(count))])
    case .file(let url):
      let data = try await FileAccess.read(url, at: offset, count: count)
      guard data.count == count else {
        throw StorageError.unknown(message: "The file \(url.path) changed.", serverError: [:])
      }
      return data
    }
  }
}
