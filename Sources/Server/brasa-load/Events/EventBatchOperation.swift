import Foundation

/// Sends batches of 25 events as our SDK does, each of a new number.
struct EventBatchOperation: FileOperation {
  /// Names with their parameter; a session's events.
  private static let names = [
    "screen_view", "view_item", "select_item", "view_item_list", "user_engagement", "search",
    "add_to_cart", "purchase",
  ]
  private static let countries = ["BR", "US", "DE", "PT", "AR", "FR", "JP", "IN"]

  static let batchEvents = 25

  let project: String
  let users: Int
  /// Numbers batches; no two of a run are the same.
  let next: @Sendable () -> Int

  func begin(_ random: inout RandomSource) -> FileRequest? {
    let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
    let user = random.below(users)
    let events = (0..<Self.batchEvents).map { event($0, now, &random) }
    let body = """
      {"appInstanceId":"c\(100_000_000 + user)-abcdefghijk","batchNumber":\(next()),\
      "sentTimeMillis":\(now / 1_000),"device":{"platform":"IOS","model":"model\(user % 40)",\
      "osVersion":"26.\(user % 5)","appVersion":"1.\(user % 7)","language":"pt-BR",\
      "country":"\(Self.countries[user % Self.countries.count])"},\
      "userProperties":{"level":{"value":"\(user % 10)"}},"events":[\(events.joined(separator: ","))]}
      """
    return FileRequest(
      method: "POST",
      path: "/v1/projects/\(project)/apps/1:42:ios:ab/events:batch",
      headers: [
        (name: "Content-Type", value: "application/json"),
        (name: "X-Goog-Api-Key", value: project),
      ],
      body: .bytes(Array(body.utf8)),
      keepsAnswer: true
    )
  }

  func receive(_ answer: FileAnswer) -> FileStep {
    guard answer.status == 200 else { return .failed(answer.errorName) }
    let text = String(decoding: answer.body, as: UTF8.self)
    guard text == "{\"accepted\":\(Self.batchEvents)}" else { return .failed(text) }
    return .finished(objects: Self.batchEvents, bytes: 0)
  }

  private func event(_ index: Int, _ now: Int64, _ random: inout RandomSource) -> String {
    let time = now - Int64(Self.batchEvents - index) * 1_000_000
    return """
      {"name":"\(Self.names[random.below(Self.names.count)])","timeMicros":\(time),\
      "sequence":\(index),"params":{"ga_session_id":{"intValue":\(now / 1_800_000_000 * 1_800)},\
      "engagement_time_msec":{"intValue":\(random.below(4_000))},\
      "item_id":{"stringValue":"SKU_\(random.below(500))"}}}
      """
  }
}
