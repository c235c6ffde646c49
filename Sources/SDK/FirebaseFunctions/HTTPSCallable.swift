import FirebaseCore
import Foundation
import Locking

/// The result of a call.
///
/// Unchecked: `data` is made of values of JSON, without other owners.
public final class HTTPSCallableResult: NSObject, @unchecked Sendable {
  /// The result: an array, a dictionary, a string, a number or `NSNull`.
  public let data: Any

  init(data: Any) { self.data = data }
}

/// A callable function.
public final class HTTPSCallable: NSObject, Sendable {
  private let call: CallableRequest
  private let timeout = Lock<TimeInterval>(70)

  init(call: CallableRequest) { self.call = call }

  /// Seconds after which a call fails with DEADLINE_EXCEEDED.
  public var timeoutInterval: TimeInterval {
    get { timeout.withLock { $0 } }
    set { timeout.withLock { $0 = newValue } }
  }

  /// Calls the function with a value of JSON.
  public func call(_ data: Any? = nil) async throws -> HTTPSCallableResult {
    let body = try CallableValue.body(of: data)
    return HTTPSCallableResult(data: try await call.send(body, seconds: timeoutInterval))
  }

  /// Calls the function without data; the callback comes on the main queue.
  public func call(
    completion: @escaping @MainActor (HTTPSCallableResult?, (any Error)?) -> Void
  ) { call(nil, completion: completion) }

  /// Calls the function with a value of JSON; the callback comes on the main queue.
  public func call(
    _ data: Any?,
    completion: @escaping @MainActor (HTTPSCallableResult?, (any Error)?) -> Void
  ) {
    let body: Data
    do {
      body = try CallableValue.body(of: data)
    } catch {
      Task { @MainActor in completion(nil, error) }
      return
    }
    Task { @MainActor [call, timeoutInterval] in
      do {
        let data = try await call.send(body, seconds: timeoutInterval)
        completion(HTTPSCallableResult(data: data), nil)
      } catch {
        completion(nil, error)
      }
    }
  }
}

/// A callable function with values of types of your own.
///
/// Unchecked: the coders are only read.
public struct Callable<Request: Encodable, Response: Decodable>: @unchecked Sendable {
  private let callable: HTTPSCallable
  private let encoder: FirebaseDataEncoder
  private let decoder: FirebaseDataDecoder

  init(callable: HTTPSCallable, encoder: FirebaseDataEncoder, decoder: FirebaseDataDecoder) {
    self.callable = callable
    self.encoder = encoder
    self.decoder = decoder
  }

  /// Seconds after which a call fails with DEADLINE_EXCEEDED.
  public var timeoutInterval: TimeInterval {
    get { callable.timeoutInterval }
    nonmutating set { callable.timeoutInterval = newValue }
  }

  /// Calls the function.
  public func call(_ data: Request) async throws -> Response {
    let encoded = try encoder.encode(data)
    let result = try await callable.call(encoded)
    return try decoder.decode(Response.self, from: result.data)
  }

  /// Calls the function.
  public func callAsFunction(_ data: Request) async throws -> Response { try await call(data) }
}
