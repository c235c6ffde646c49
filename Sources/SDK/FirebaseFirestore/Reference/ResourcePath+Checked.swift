import BaseText
import FirestoreModel
import Foundation

/// The kind of resource that a path leads to.
enum PathKind {
  case collection
  case document
}

extension ResourcePath {
  /// The path further down; traps with the official texts on what does not lead to that kind.
  func appending(path: String, of kind: PathKind) -> ResourcePath {
    trapping { try checkedAppending(path: path, of: kind) }
  }

  /// The path further down; throws `invalidArgument` on what does not lead to that kind.
  func checkedAppending(path: String, of kind: PathKind) throws -> ResourcePath {
    let further = appending(path: path)
    if let problem = further.problem(of: path, kind) {
      throw FirestoreErrorCode.error(.invalidArgument, problem)
    }
    return further
  }

  private func appending(path: String) -> ResourcePath {
    let added = path.split(separator: "/", omittingEmptySubsequences: true)
    return ResourcePath(segments + added.map { Text(String($0)) })
  }

  /// Returns the problem with a path that led here; nil if there is none.
  private func problem(of path: String, _ kind: PathKind) -> String? {
    let count = segments.count
    switch kind {
    case _ where path.contains("//"):
      return "Invalid path (\(path)). Paths must not contain // in them."
    case .collection where path.isEmpty: return "Collection path cannot be empty."
    case .document where path.isEmpty: return "Document path cannot be empty."
    case .collection where !isCollection:
      return
        "Invalid collection reference. Collection references must have an odd number of segments, but "
        + "\(string) has \(count)"
    case .document where !isDocument:
      return
        "Invalid document reference. Document references must have an even number of segments, but "
        + "\(string) has \(count)"
    case .collection, .document: return nil
    }
  }
}
