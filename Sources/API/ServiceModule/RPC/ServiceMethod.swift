import Access
import BaseStatus

/// A gRPC method of a service: protobuf bytes in, protobuf bytes out.
package struct ServiceMethod: Sendable {
  /// Answers with the encoded message.
  package typealias Respond = @Sendable (Result<[UInt8], ServiceError>) -> Void
  /// Answers with a stream of encoded messages.
  package typealias RespondStream = @Sendable (Result<any ResponseStream, ServiceError>) -> Void

  /// The handler of a call, by the number of messages that each side sends.
  ///
  /// The gateway calls on an event loop: none may block. Answers come exactly once, on any thread, and may
  /// come before the call returns.
  package enum Handler: Sendable {
    case unary(@Sendable (_ request: [UInt8], CallContext, @escaping Respond) -> Void)
    case serverStreaming(
      @Sendable (_ request: [UInt8], CallContext, @escaping RespondStream) -> Void
    )
    /// Opens the call, or throws the error that ends it at once; the service keeps the responses
    /// until it has finished them or was cancelled.
    case bidirectional(
      @Sendable (CallContext, any StreamResponses) throws(ServiceError) -> any StreamCall
    )
  }

  /// A method's messages as JSON, for browsers, whose streams are WebChannels.
  package struct JSONForm: Sendable {
    /// The protobuf bytes of a request in JSON.
    package let request: @Sendable ([UInt8]) throws(ServiceError) -> [UInt8]
    /// The JSON of a response's protobuf bytes.
    package let response: @Sendable ([UInt8]) throws(ServiceError) -> [UInt8]

    /// Both ways.
    package init(
      request: @escaping @Sendable ([UInt8]) throws(ServiceError) -> [UInt8],
      response: @escaping @Sendable ([UInt8]) throws(ServiceError) -> [UInt8]
    ) {
      self.request = request
      self.response = response
    }
  }

  /// As a client sends it: `/google.firestore.v1.Firestore/Commit`.
  package let path: String
  /// The method in logs and metrics; methods that share one are counted together.
  package let name: String
  /// Starts a call of the method; called on an event loop, so it must not block.
  package let handler: Handler
  /// Nil where browsers have no use for the method.
  package let json: JSONForm?
  /// True if the method changes nothing, and viewers of the console may call it as a WebChannel.
  package var isReading = false

  /// A method; without a name it is the path's last part.
  package init(path: String, name: String? = nil, json: JSONForm? = nil, handler: Handler) {
    self.path = path
    self.name = name ?? path.split(separator: "/").last.map(String.init) ?? path
    self.handler = handler
    self.json = json
  }

  /// The service that the path names: `google.firestore.v1.Firestore`.
  package var serviceName: String { path.split(separator: "/").first.map(String.init) ?? "" }
}
