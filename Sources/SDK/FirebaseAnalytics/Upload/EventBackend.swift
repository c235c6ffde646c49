import FirebaseCore
import Foundation
import Gzip

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The intake of events over HTTP.
struct EventBackend: Sendable {
  /// The outcome of sending a batch.
  enum Outcome: Sendable, Equatable {
    /// The server has it, and says what of it it dropped.
    case accepted(remarks: [String])
    /// The server will never take it.
    case refused(status: Int, text: String)
    /// It may be sent again, not before so many seconds where the server says so.
    case failed(retryAfter: TimeInterval?)
  }

  private struct Reply: Decodable {
    struct Dropped: Decodable {
      let index: Int?
      let field: String?
      let code: String?
      let description: String?

      var text: String {
        let subject = [index.map { "event \($0)" }, field].compactMap { $0 }
        return "\(subject.joined(separator: ", ")): \(code ?? "") \(description ?? "")"
      }
    }

    let dropped: [Dropped]?
  }

  private let url: URL
  private let key: String
  private let timeout: TimeInterval = 30

  /// The intake of an app; nil where its options name no server, project or key.
  init?(_ options: FirebaseOptions) {
    guard let base = options.address(of: .analytics)?.url, let project = options.projectID,
      let key = options.apiKey,
      let url = URL(
        string: "\(base)/v1/projects/\(project)/apps/\(options.googleAppID)/events:batch"
      )
    else { return nil }
    (self.url, self.key) = (url, key)
  }

  /// Sends a batch, with the installation's token where there is one: the server keeps apart what nothing proves.
  func send(_ batch: EventBatch, token: String? = nil) async -> Outcome {
    do {
      var request = URLRequest(url: url, timeoutInterval: timeout)
      request.httpMethod = "POST"
      let body = [UInt8](try JSONEncoder().encode(batch))
      let packed = GzipWriter.packed(body)
      request.httpBody = Data(packed.count < body.count ? packed : body)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      if packed.count < body.count {
        request.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
      }
      request.setValue(key, forHTTPHeaderField: "X-Goog-Api-Key")
      request.setValue(token, forHTTPHeaderField: "X-Goog-Firebase-Installations-Auth")
      return Self.outcome(try await HTTPClient.shared.answer(to: request))
    } catch is EncodingError {
      return .refused(status: 0, text: "The batch cannot be encoded.")
    } catch {
      return .failed(retryAfter: nil)
    }
  }

  private static func outcome(_ answer: HTTPAnswer) -> Outcome {
    switch answer.status {
    case 200..<300: return .accepted(remarks: remarks(answer.body))
    case 408, 429, 300..<400, 500...:
      return .failed(retryAfter: answer.headers["retry-after"].flatMap(TimeInterval.init))
    case 400..<500:
      let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
      return .refused(status: answer.status, text: text)
    default: return .failed(retryAfter: nil)
    }
  }

  /// Returns the remarks of a response about events that were dropped; none for a response in
  /// another form.
  private static func remarks(_ data: Data) -> [String] {
    let reply = try? JSONDecoder().decode(Reply.self, from: data)
    return reply?.dropped?.map(\.text) ?? []
  }
}
