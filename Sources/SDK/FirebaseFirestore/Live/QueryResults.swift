import Observation

/// The treatment of documents that `@FirestoreQuery` cannot decode.
public enum DecodingFailureStrategy: Sendable {
  /// They are left out.
  case ignore
  /// The first one's error takes the place of all results.
  case raise
}

/// The results that `@FirestoreQuery` shows, of a query by path and predicates, which can be
/// changed.
///
/// It listens from `begin` to its last moment. An error ends that, until there is another request.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor
@Observable
package final class QueryResults<Items> {
  /// The query to listen to.
  package struct Request {
    /// The collection's path, with slashes between segments.
    package var path: String
    /// The conditions, orders and limits, applied in their order.
    package var predicates: [QueryPredicate]
    /// The treatment of documents that cannot be decoded.
    package var strategy: DecodingFailureStrategy

    /// A request for a collection's documents.
    package init(
      path: String,
      predicates: [QueryPredicate] = [],
      strategy: DecodingFailureStrategy = .raise
    ) {
      self.path = path
      self.predicates = predicates
      self.strategy = strategy
    }
  }

  /// The results, as the property's type has them.
  package private(set) var items: Items
  /// The reason why there are no newer results; nil if there are.
  package private(set) var error: (any Error)?
  /// The query to listen to; a new one replaces the last.
  package var request: Request {
    didSet { if isListening { listen() } }
  }
  /// Makes every change of the results, so that it can be shown as a movement.
  @ObservationIgnored package var perform: (() -> Void) -> Void = { $0() }

  @ObservationIgnored private let database: () -> Firestore
  @ObservationIgnored private let decode:
    ([QueryDocumentSnapshot], DecodingFailureStrategy) throws -> Items
  /// Returns the items to show for an error; nil keeps those shown before.
  @ObservationIgnored private let failed: (any Error) -> Items?
  @ObservationIgnored private var isListening = false
  @ObservationIgnored private var task: Task<Void, Never>?

  private init(
    _ items: Items,
    _ request: Request,
    in database: @escaping () -> Firestore,
    decode: @escaping ([QueryDocumentSnapshot], DecodingFailureStrategy) throws -> Items,
    failed: @escaping (any Error) -> Items?
  ) {
    self.items = items
    self.request = request
    self.database = database
    self.decode = decode
    self.failed = failed
  }

  deinit { task?.cancel() }

  /// Listens, unless it does already.
  package func begin() {
    guard !isListening else { return }
    isListening = true
    listen()
  }

  private func listen() {
    task?.cancel()
    let query = Result {
      let collection: Query = try database().collection(at: request.path)
      return request.predicates.reduce(collection) { $1.applied(to: $0) }
    }
    task = Task { [weak self] in
      do {
        for try await snapshot in try query.get().snapshots {
          guard !Task.isCancelled, let self else { return }
          show(.success(snapshot.documents))
        }
      } catch {
        if !Task.isCancelled { self?.show(.failure(error)) }
      }
    }
  }

  private func show(_ result: Result<[QueryDocumentSnapshot], any Error>) {
    perform {
      do {
        items = try decode(result.get(), request.strategy)
        error = nil
      } catch {
        self.error = error
        if let shown = failed(error) { items = shown }
      }
    }
  }
}

extension QueryResults {
  /// Results that stay as they were where there is an error.
  package convenience init<Element: Decodable>(
    _ request: Request,
    in database: @escaping () -> Firestore = { .firestore() }
  ) where Items == [Element] {
    self.init([], request, in: database, decode: Self.elements, failed: { _ in nil })
  }

  /// Results or the error.
  package convenience init<Element: Decodable>(
    _ request: Request,
    in database: @escaping () -> Firestore = { .firestore() }
  ) where Items == Result<[Element], any Error> {
    self.init(
      .success([]),
      request,
      in: database,
      decode: { .success(try Self.elements(of: $0, $1)) },
      failed: { .failure($0) }
    )
  }

  private static func elements<Element: Decodable>(
    of documents: [QueryDocumentSnapshot],
    _ strategy: DecodingFailureStrategy
  ) throws -> [Element] {
    switch strategy {
    case .raise: try documents.map { try $0.data(as: Element.self) }
    case .ignore: documents.compactMap { try? $0.data(as: Element.self) }
    }
  }
}
