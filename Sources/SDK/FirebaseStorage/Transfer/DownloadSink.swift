import Foundation

/// The destination of a download's bytes.
enum DownloadSink: Sendable {
  /// Memory, up to so many bytes.
  case memory(limit: Int64)
  /// A file, by way of one beside it.
  case file(URL, partial: URL)

  /// The most bytes that are taken.
  var limit: Int64 {
    switch self {
    case .memory(let limit): limit
    case .file: .max
    }
  }
}
