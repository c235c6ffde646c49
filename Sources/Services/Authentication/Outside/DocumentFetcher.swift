/// A request to another operator's server.
package struct DocumentRequest: Sendable, Hashable {
  /// The address to ask, with its query.
  package let url: String
  /// The fields of a form to post; nil asks by GET.
  package let form: [FormField]?
  /// The value of the `authorization` header; nil sends none.
  package let authorization: String?

  /// One field of a form.
  package struct FormField: Sendable, Hashable {
    /// The field's name, before encoding.
    package let name: String
    /// The field's value, before encoding.
    package let value: String

    /// A field, not encoded.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A request for one document.
  package init(url: String, form: [FormField]? = nil, authorization: String? = nil) {
    self.url = url
    self.form = form
    self.authorization = authorization
  }
}

/// The server's response.
package struct FetchedDocument: Sendable, Hashable {
  /// The HTTP status.
  package let status: Int
  /// The response's body, whole.
  package let body: [UInt8]
  /// The time for which the response may be kept, in seconds; nil when the server does not say.
  package let maxAge: Int?

  /// A response.
  package init(status: Int, body: [UInt8], maxAge: Int? = nil) {
    self.status = status
    self.body = body
    self.maxAge = maxAge
  }
}

/// Fetches documents of identity providers: discovery, keys, tokens.
///
/// Addresses come from the operator's configuration and from the documents of providers named
/// there, never from a client. Still, the fetcher refuses addresses inside the operator's network
/// unless it may use them, follows no redirection, and bounds size and time.
package protocol DocumentFetcher: Sendable {
  /// Fetches a document; throws when there is no response or it is not allowed to ask.
  func fetch(_ request: DocumentRequest) async throws -> FetchedDocument
}
