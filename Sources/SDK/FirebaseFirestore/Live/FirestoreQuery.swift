#if canImport(SwiftUI)
import Combine
import SwiftUI

/// A view's property that has a collection's documents as values, as long as the view is shown.
///
/// The property's type is an array of decodable values, which stays as it was where there is an error, or a `Result` of
/// one. The database is the default one of the default app. `$property` can ask for something else.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor
@propertyWrapper
public struct FirestoreQuery<T>: DynamicProperty {
  /// The request, and its outcome.
  public struct Configuration {
    /// The collection's path.
    public var path: String
    /// Conditions, orders and limits.
    public var predicates: [QueryPredicate]
    /// The treatment of documents that cannot be decoded.
    public var decodingFailureStrategy = DecodingFailureStrategy.raise
    /// The animation that shows changes.
    public var animation: Animation?
    /// The reason why there are no newer results; setting it has no effect.
    public var error: (any Error)?
  }

  /// Made once for a view, which observes the results themselves.
  @MainActor
  private final class Listening: ObservableObject {
    let results: QueryResults<T>
    var animation: Animation?

    init(_ results: QueryResults<T>, _ animation: Animation?) {
      self.results = results
      self.animation = animation
      results.perform = { [unowned self] in withAnimation(self.animation, $0) }
    }
  }

  @StateObject private var listening: Listening

  /// A collection's documents; the array is empty until the first have come.
  public init<U: Decodable>(
    collectionPath: String,
    predicates: [QueryPredicate] = [],
    decodingFailureStrategy: DecodingFailureStrategy = .raise,
    animation: Animation? = nil
  ) where T == [U] {
    let request = QueryResults<T>.Request(
      path: collectionPath,
      predicates: predicates,
      strategy: decodingFailureStrategy
    )
    _listening = StateObject(wrappedValue: Listening(QueryResults(request), animation))
  }

  /// A collection's documents or an error.
  public init<U: Decodable>(
    collectionPath: String,
    predicates: [QueryPredicate] = [],
    decodingFailureStrategy: DecodingFailureStrategy = .raise,
    animation: Animation? = nil
  ) where T == Result<[U], any Error> {
    let request = QueryResults<T>.Request(
      path: collectionPath,
      predicates: predicates,
      strategy: decodingFailureStrategy
    )
    _listening = StateObject(wrappedValue: Listening(QueryResults(request), animation))
  }

  /// The results.
  public var wrappedValue: T {
    listening.results.begin()
    return listening.results.items
  }

  /// The request; a change of the path or the predicates takes effect at once.
  public var projectedValue: Configuration {
    get {
      let results = listening.results
      return Configuration(
        path: results.request.path,
        predicates: results.request.predicates,
        decodingFailureStrategy: results.request.strategy,
        animation: listening.animation,
        error: results.error
      )
    }
    nonmutating set {
      listening.animation = newValue.animation
      listening.results.request = QueryResults<T>.Request(
        path: newValue.path,
        predicates: newValue.predicates,
        strategy: newValue.decodingFailureStrategy
      )
    }
  }
}
#endif
