import Foundation
import Observation

/// Beyond Google's API: a query's results as values that views observe, with or without SwiftUI.
///
/// It listens from its first moment to its last. Documents that cannot be decoded are left out and named in ``failures``.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor
@Observable
public final class LiveQuery<Element: Decodable & Sendable> {
  /// The results in the query's order.
  public private(set) var elements: [Element] = []
  /// The IDs of documents without such values, with their errors.
  public private(set) var failures: [String: any Error] = [:]
  /// True if the results are the cache's and may be behind the server; nil before the first.
  public private(set) var isFromCache: Bool?
  /// The error that ended the listener; nil while it lives.
  public private(set) var error: (any Error)?

  @ObservationIgnored private var task: Task<Void, Never>?

  /// Listens to a query.
  public init(_ query: Query, as type: Element.Type = Element.self) {
    task = Task { [weak self] in
      do {
        for try await snapshot in query.snapshots(includeMetadataChanges: true) {
          guard let self else { return }
          take(snapshot)
        }
      } catch {
        self?.error = error
      }
    }
  }

  deinit { task?.cancel() }

  private func take(_ snapshot: QuerySnapshot) {
    var elements: [Element] = []
    var failures: [String: any Error] = [:]
    for document in snapshot.documents {
      do {
        elements.append(try document.data(as: Element.self, with: .estimate))
      } catch {
        failures[document.documentID] = error
      }
    }
    self.elements = elements
    self.failures = failures
    isFromCache = snapshot.metadata.isFromCache
  }
}
