import FirebaseFirestore
import Observation

/// A collection as a list that stays true while somebody looks at it.
///
/// A document that is no `Element` is skipped and named in `skipped`; the others show. What is
/// added comes back through the listener, at once and without a connection too.
@MainActor @Observable
package final class LiveCollection<Element: Codable & Sendable> {
  /// A document that could not be mapped.
  package struct Skipped: Equatable, Sendable {
    package let id: String
    package let error: MappingError
  }

  /// nil until the first snapshot.
  package private(set) var elements: [Element]?
  package private(set) var skipped: [Skipped] = []
  /// True if the list may be behind the server: offline, or not in step yet.
  package private(set) var isFromCache = false
  /// Why the last addition was not stored.
  package private(set) var error: MappingError?
  /// Why the list follows the server no more; nil while it does.
  package private(set) var stopped: MappingError?
  /// The number of additions made here; a form that has a new number starts over.
  package private(set) var additions = 0
  @ObservationIgnored private let collection: CollectionReference
  @ObservationIgnored private let areInOrder: (Element, Element) -> Bool
  @ObservationIgnored private var listener: (any ListenerRegistration)?

  package init(
    _ collection: CollectionReference,
    sortedBy areInOrder: @escaping (Element, Element) -> Bool
  ) {
    self.collection = collection
    self.areInOrder = areInOrder
  }

  package func subscribe() {
    guard listener == nil else { return }
    listener = collection.addSnapshotListener(includeMetadataChanges: true) {
      [weak self] snapshot, error in
      if let snapshot { self?.take(snapshot) }
      if let error { self?.stopped = MappingError(error) }
    }
  }

  package func unsubscribe() {
    listener?.remove()
    listener = nil
  }

  /// Follows the server again after the listener has ended with an error.
  package func tryAgain() {
    guard stopped != nil else { return }
    stopped = nil
    unsubscribe()
    subscribe()
  }

  /// Stores a new document under an id of its own.
  package func add(_ element: Element) {
    do {
      try collection.addDocument(from: element) { [weak self] error in
        if let error { self?.error = MappingError(error) }
      }
      error = nil
      additions += 1
    } catch {
      self.error = MappingError(error)
    }
  }

  /// Maps every document by itself, so that a bad one costs only itself.
  private func take(_ snapshot: QuerySnapshot) {
    var elements: [Element] = []
    var skipped: [Skipped] = []
    for document in snapshot.documents {
      do {
        elements.append(try document.data(as: Element.self))
      } catch {
        skipped.append(Skipped(id: document.documentID, error: MappingError(error)))
      }
    }
    self.elements = elements.sorted(by: areInOrder)
    self.skipped = skipped
    isFromCache = snapshot.metadata.isFromCache
  }
}
