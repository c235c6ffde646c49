import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes products into a server over REST, as another client does.
struct Seed {
  /// The server answered with something else than success.
  struct Refused: Error {
    let answer: String
  }

  let url: String
  let project: String

  private var documents: String { "projects/\(project)/databases/(default)/documents" }

  /// Fills a collection with so many products.
  func fill(_ collection: String, _ count: Int) async throws {
    for start in stride(from: 0, to: count, by: 500) {
      try await write((start..<min(start + 500, count)).map { (collection, $0, $0) })
    }
  }

  /// Writes products, each to a collection under an id, and returns when the server has answered.
  func write(_ products: [(collection: String, id: Int, number: Int)]) async throws {
    let writes = products.map { product in
      ["update": document("\(product.collection)/product-\(product.id)", product.number)]
    }
    guard let url = URL(string: "\(url)/v1/\(documents):commit") else { return }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("Bearer owner", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONSerialization.data(withJSONObject: ["writes": writes])
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw Refused(answer: String(decoding: data, as: UTF8.self))
    }
  }

  private func document(_ path: String, _ number: Int) -> [String: Any] {
    let fields = BenchmarkClient.product(number).mapValues { value -> [String: Any] in
      switch value {
      case let value as Int: ["integerValue": "\(value)"]
      case let value as Double: ["doubleValue": value]
      default: ["stringValue": "\(value)"]
      }
    }
    return ["name": "\(documents)/\(path)", "fields": fields]
  }
}
