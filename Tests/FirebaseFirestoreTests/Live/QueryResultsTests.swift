import FirebaseFirestore
import Foundation
import Observation
import Testing

/// Tests of the results that `@FirestoreQuery` shows, against the program.
@Suite(.timeLimit(.minutes(10))) @MainActor
struct QueryResultsTests {
  private struct Product: Codable, Equatable {
    var name: String
    var price: Int
  }

  private typealias Products = QueryResults<[Product]>
  private typealias ProductsOrError = QueryResults<Result<[Product], any Error>>

  private let fixture: LiveFixture

  init() throws { fixture = try LiveFixture() }

  /// Returns when a condition holds of what is shown.
  private static func wait<Items>(
    for results: QueryResults<Items>,
    until passes: (Items, (any Error)?) -> Bool
  ) async {
    results.begin()
    while !passes(results.items, results.error) {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = (results.items, results.error)
        } onChange: {
          continuation.resume()
        }
      }
    }
  }

  private func fill() async throws {
    for (name, price) in [("chair", 49), ("lamp", 20), ("table", 90)] {
      try await fixture.firestore.document("products/\(name)")
        .setData(["name": name, "price": price])
    }
  }

  @Test func `another request takes the place of the last`() async throws {
    try await fill()
    let firestore = fixture.firestore
    let dear = Products.Request(
      path: "products",
      predicates: [.whereField("price", isGreaterThan: 30), .order(by: "price", descending: true)]
    )
    let results = Products(dear, in: { firestore })
    #expect(results.items.isEmpty)
    await Self.wait(for: results) { items, _ in items.map(\.name) == ["table", "chair"] }
    results.request.predicates = [.order(by: "price"), .limit(to: 1)]
    await Self.wait(for: results) { items, _ in items.map(\.name) == ["lamp"] }
    try await firestore.document("products/pen").setData(["name": "pen", "price": 1])
    await Self.wait(for: results) { items, _ in items.map(\.name) == ["pen"] }
    #expect(results.error == nil)
  }

  @Test func `a document that is no value is left out, or is the error of all`() async throws {
    try await fill()
    let firestore = fixture.firestore
    let results = Products(.init(path: "products"), in: { firestore })
    await Self.wait(for: results) { items, _ in items.count == 3 }
    let either = ProductsOrError(.init(path: "products"), in: { firestore })
    try await firestore.document("products/half").setData(["name": "half"])
    await Self.wait(for: results) { _, error in error is DecodingError }
    #expect(results.items.count == 3)
    await Self.wait(for: either) { items, error in (try? items.get()) == nil && error != nil }
    either.request.strategy = .ignore
    await Self.wait(for: either) { items, error in (try? items.get().count) == 3 && error == nil }
  }

  @Test func `a path that is no collection's is an error`() async throws {
    let firestore = fixture.firestore
    let results = Products(.init(path: "products/chair"), in: { firestore })
    await Self.wait(for: results) { items, error in items.isEmpty && error != nil }
    results.request.path = "products"
    try await fill()
    await Self.wait(for: results) { items, error in items.count == 3 && error == nil }
  }

  @Test func `each predicate is what queries say`() {
    let products: Query = fixture.firestore.collection("products")
    let pairs: [([QueryPredicate], Query)] = [
      ([.where("a", isEqualTo: 1)], products.whereField("a", isEqualTo: 1)),
      ([.where("a", isIn: [1, 2])], products.whereField("a", in: [1, 2])),
      ([.where("a", isNotIn: [1])], products.whereField("a", notIn: [1])),
      ([.where(field: "a", arrayContains: 1)], products.whereField("a", arrayContains: 1)),
      ([.where("a", arrayContainsAny: [1])], products.whereField("a", arrayContainsAny: [1])),
      ([.where("a", isLessThan: 1)], products.whereField("a", isLessThan: 1)),
      ([.where("a", isGreaterThan: 1)], products.whereField("a", isGreaterThan: 1)),
      ([.where("a", isLessThanOrEqualTo: 1)], products.whereField("a", isLessThanOrEqualTo: 1)),
      (
        [.where("a", isGreaterThanOrEqualTo: 1)],
        products.whereField("a", isGreaterThanOrEqualTo: 1)
      ),
      ([.order(by: "a"), .limit(toLast: 2)], products.order(by: "a").limit(toLast: 2)),
    ]
    for (predicates, query) in pairs {
      #expect(predicates.reduce(products) { $1.applied(to: $0) } == query)
    }
  }
}
