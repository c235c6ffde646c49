import BaseStatus
import FirestoreModel
import FirestoreWire
import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A running server, as a client reaches it over its port.
struct WatchServer: Sendable {
  let host: String
  let port: Int
  let token: String
  let isSecure: Bool
  /// A PEM file with authorities to trust beside the system's.
  let authority: String?

  private typealias Payload = NIOAsyncChannel<HTTP2Frame.FramePayload, HTTP2Frame.FramePayload>

  /// The largest answer that is taken: a document of 1 MiB and what surrounds it, with room.
  private static let largestMessage = 16 << 20
  /// Bytes that the server may send before they are read; HTTP/2's 64 KiB would have it wait for each round trip.
  private static let window = 1 << 20

  /// Sends one Listen request and hands over the responses, until the server ends the stream (which
  /// it does with a status that is thrown, where that is not OK).
  func listen(
    _ request: [UInt8],
    of database: DatabaseID,
    receive: ([UInt8]) async throws -> Void
  ) async throws {
    try await call("Listen", request, of: database, endsRequest: false, receive: receive)
  }

  /// Calls a method of Firestore's with one message, and hands over the responses.
  ///
  /// - Parameter endsRequest: False for a stream that stays open to further messages.
  func call(
    _ method: String,
    _ request: [UInt8],
    of database: DatabaseID,
    endsRequest: Bool = true,
    receive: ([UInt8]) async throws -> Void
  ) async throws {
    let stream = try await open()
    try await stream.executeThenClose { inbound, outbound in
      let headers = HTTP2Frame.FramePayload.Headers(headers: headers(of: database, method))
      try await outbound.write(.headers(headers))
      let body = ByteBuffer(bytes: GRPCFraming.frame(request))
      try await outbound.write(.data(.init(data: .byteBuffer(body), endStream: endsRequest)))
      var deframer = GRPCMessageDeframer(maximumSize: Self.largestMessage)
      for try await frame in inbound {
        switch frame {
        case .data(let data):
          guard case .byteBuffer(let bytes) = data.data else { continue }
          bytes.withUnsafeReadableBytes { deframer.append($0) }
          while let message = try deframer.next() { try await receive(message) }
        case .headers(let headers) where headers.endStream:
          return try check(headers.headers)
        default: break
        }
      }
      // Without a status the response is not whole.
      guard !endsRequest else {
        throw ServiceError(.unavailable, "\(host):\(port) ended the response early.")
      }
    }
  }

  private func open() async throws -> Payload {
    let context = try isSecure ? NIOSSLContext(configuration: tls()) : nil
    do {
      let multiplexer = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connectTimeout(.seconds(10))
        .channelOption(.socketOption(.tcp_nodelay), value: 1)
        .connect(host: host, port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            if let context {
              // An address is no name to ask the server for, and is checked all the same.
              let named = try? NIOSSLClientHandler(context: context, serverHostname: host)
              let handler =
                try named ?? NIOSSLClientHandler(context: context, serverHostname: nil)
              try channel.pipeline.syncOperations.addHandler(handler)
            }
            return try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
              mode: .client,
              streamDelegate: nil,
              configuration: Self.http2()
            ) { $0.eventLoop.makeSucceededVoidFuture() }
          }
        }
      return try await multiplexer.openStream { channel in
        channel.eventLoop.makeCompletedFuture {
          try Payload(wrappingChannelSynchronously: channel)
        }
      }
    } catch is NIOConnectionError {
      throw ServiceError(.unavailable, "No server responds at \(host):\(port).")
    } catch {
      throw ServiceError(.unavailable, "Cannot reach \(host):\(port): \(error)")
    }
  }

  private static func http2() -> NIOHTTP2Handler.Configuration {
    var configuration = NIOHTTP2Handler.Configuration()
    configuration.connection.targetWindowSize = window
    configuration.stream.targetWindowSize = window
    return configuration
  }

  private func tls() throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.applicationProtocols = ["h2"]
    if let authority {
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authority))
    }
    return configuration
  }

  private func headers(of database: DatabaseID, _ method: String) -> HPACKHeaders {
    HPACKHeaders([
      (":method", "POST"), (":scheme", isSecure ? "https" : "http"),
      (":path", "/google.firestore.v1.Firestore/\(method)"), (":authority", "\(host):\(port)"),
      ("te", "trailers"), ("content-type", "application/grpc"),
      ("authorization", "Bearer \(token)"), ("google-cloud-resource-prefix", database.path),
    ])
  }

  private func check(_ trailers: HPACKHeaders) throws {
    guard let number = trailers.first(name: "grpc-status").flatMap({ Int($0) }) else {
      let status = trailers.first(name: ":status") ?? "no status"
      throw ServiceError(.unavailable, "\(host):\(port) is not a Firestore server (\(status))")
    }
    guard number != 0 else { return }
    let text = trailers.first(name: "grpc-message") ?? ""
    let code = StatusCode(rawValue: number) ?? .unknown
    throw ServiceError(code, text.removingPercentEncoding ?? text)
  }
}
