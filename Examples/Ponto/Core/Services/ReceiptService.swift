import Foundation
import RESTClient

/// The server's receipts.
package protocol ReceiptService: Sendable {
  func receipts() async throws(RequestError) -> [Receipt]
  /// Creates or replaces: sending the same receipt again changes nothing.
  func post(_ receipt: Receipt) async throws(RequestError)
  /// Deletes; a receipt that is not there is no error, for the answer to an earlier request may
  /// have been lost.
  func delete(_ id: UUID) async throws(RequestError)
}

/// The time clock's own.
package struct NetworkReceiptService: ReceiptService {
  private let client: HTTPClient

  package init(client: HTTPClient) {
    self.client = client
  }

  package func receipts() async throws(RequestError) -> [Receipt] {
    try await client.send(.receipts).values
  }

  package func post(_ receipt: Receipt) async throws(RequestError) {
    try await client.send(.post(receipt))
  }

  package func delete(_ id: UUID) async throws(RequestError) {
    do {
      try await client.send(.delete(id))
    } catch  where error.status == 404 {
      return
    }
  }
}

extension Endpoint where Response == ReceiptList {
  fileprivate static var receipts: Endpoint { Endpoint(.get, "recibos") }
}

extension Endpoint where Response == Void {
  fileprivate static func post(_ receipt: Receipt) -> Endpoint {
    Endpoint(.post, "recibos", body: .json(ReceiptForm(receipt))).repeatable()
  }

  fileprivate static func delete(_ id: UUID) -> Endpoint {
    Endpoint(.delete, "recibos", id.uuidString.lowercased())
  }
}
