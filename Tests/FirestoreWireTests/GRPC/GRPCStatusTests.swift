import BaseStatus
import BaseText
import FirestoreWire
import SwiftProtobuf
import Testing

@testable import FirestoreWire

@Suite("gRPC statuses, paths and headers")
struct GRPCStatusTests {
  @Test(arguments: [
    ("plain ?#/&=+ text", "plain ?#/&=+ text"), ("100%", "100%25"), ("é\n\u{7F}~", "%C3%A9%0A%7F~"),
  ])
  func `only what must be escaped is`(text: String, encoded: String) {
    #expect(GRPCStatus.percentEncoded(text) == encoded)
  }

  @Test func `a huge text is cut to what clients take`() throws {
    let error = ServiceError(.invalidArgument, String(repeating: "é", count: 100_000))
    let message = try #require(GRPCStatus(error: error).trailers.last)
    #expect(message.name == "grpc-message")
    #expect(message.value.utf8.count <= 4_100 && message.value.hasSuffix("%C3%A9..."))
    let link =
      "The query requires an index: https://x/?create_composite="
      + String(repeating: "Q", count: 2000)
    #expect(GRPCStatus(error: ServiceError(.failedPrecondition, link)).trailers[1].value == link)
  }

  @Test func `success has a status alone`() {
    #expect(GRPCStatus.ok.trailers.map(\.name) == ["grpc-status"])
    #expect(GRPCStatus.ok.trailers.map(\.value) == ["0"])
  }

  @Test func `an error's details come as a whole status`() throws {
    let error = ServiceError(
      .failedPrecondition,
      "Too much",
      reason: .init("WHY", helpURL: "https://x"),
      violations: [.init(field: "a", description: "b")]
    )
    let trailers = GRPCStatus(error: error).trailers
    #expect(trailers.map(\.name) == ["grpc-status", "grpc-message", "grpc-status-details-bin"])
    #expect(trailers[0].value == "9" && trailers[1].value == "Too much")
    let bytes = try #require(Base64.decode(trailers[2].value.utf8))
    let status = try Google_Rpc_Status(serializedBytes: bytes)
    #expect(status.code == 9 && status.message == "Too much" && status.details.count == 3)
    let request = try Google_Rpc_BadRequest(unpackingAny: status.details[2])
    #expect(request.fieldViolations[0].field == "a")
  }

  @Test(arguments: [
    ("1H", Duration.seconds(3600)), ("2M", .seconds(120)), ("99999999S", .seconds(99_999_999)),
    ("5m", .milliseconds(5)), ("6u", .microseconds(6)), ("7n", .nanoseconds(7)),
  ])
  func `a timeout is read`(header: String, duration: Duration) {
    #expect(GRPCTimeout.parse(header) == duration)
  }

  @Test(arguments: ["", "S", "1", "123456789S", "-1S", "1.5S", "1x", "1 S", "+1S"])
  func `a malformed timeout is none`(header: String) {
    #expect(GRPCTimeout.parse(header) == nil)
  }

  @Test func `health answers as the protocol says`() throws {
    let response = HealthCheckResponse(status: .serving).encoded()
    let decoded = try Grpc_Health_V1_HealthCheckResponse(serializedBytes: response)
    #expect(decoded.status == .serving)
    var request = Grpc_Health_V1_HealthCheckRequest()
    request.service = "s"
    #expect(try HealthCheckRequest(decoding: request.bytes).service == "s")
  }
}
