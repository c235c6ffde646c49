import RESTClient

/// The home screen's calls to the clinic.
package protocol HomeService: Sendable {
  func specialists() async throws(RequestError) -> [Specialist]
}

/// The clinic's own.
package struct NetworkHomeService: HomeService {
  private let client: HTTPClient

  package init(client: HTTPClient) {
    self.client = client
  }

  package func specialists() async throws(RequestError) -> [Specialist] {
    try await client.send(.specialists)
  }
}

extension Endpoint where Response == [Specialist] {
  fileprivate static var specialists: Endpoint { Endpoint(.get, "especialista").anonymous() }
}
