import BaseText
import HTTPTypes

/// Services of Google's that Brasa does not have, known by what their clients ask for.
///
/// A path of such a service may look like a bucket's and an object's name. Clients that speak JSON cannot read what
/// Storage would say of those.
package struct AbsentService: Sendable, Equatable {
  /// The name that the service has at Google.
  package let name: String

  /// A sentence for clients.
  package var text: String { "Brasa has no \(name)." }

  /// The service that a request is for; nil where it looks like no absent service's.
  package init?(_ head: HTTPRequest) {
    let parts = (head.path ?? "").split(
      separator: "?",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    guard let path = parts.first, path.utf8.count <= Self.longestPath else { return nil }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .map { PercentEncoding.decode($0) ?? String($0) }
    let query = parts.count > 1 ? parts[1] : ""
    guard
      let name = Self.isRealtimeDatabase(segments, query, head.headerFields)
        ? "Realtime Database" : Self.name(of: segments)
    else { return nil }
    self.name = name
  }

  private static let longestPath = 2_000

  private static func name(of segments: [String]) -> String? {
    if let service = services.first(where: { fits(segments[...], $0.pattern[...]) }) {
      return service.name
    }
    return segments.count >= 3 && isRegion(segments[1]) ? "Cloud Functions" : nil
  }

  /// The database of JSON: its paths end with `.json`, and its clients identify themselves or name
  /// their database.
  private static func isRealtimeDatabase(
    _ segments: [String],
    _ query: Substring,
    _ headers: HTTPFields
  ) -> Bool {
    guard let last = segments.last else { return false }
    let namesDatabase = query.split(separator: "&").contains { $0.hasPrefix("ns=") }
    if segments == [".ws"] || segments == [".lp"] || last == ".json" { return true }
    guard last.hasSuffix(".json") else { return false }
    return namesDatabase || headers.contains { $0.name.canonicalName == "x-firebase-decoding" }
      || headers[.userAgent]?.hasPrefix("Firebase/") ?? false
  }

  /// Returns true for a name like `us-central1`.
  private static func isRegion(_ text: String) -> Bool {
    guard text.utf8.count <= 30 else { return false }
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 2, let place = parts.last else { return false }
    let digits = place.reversed().prefix { (48...57).contains($0) }.count
    return (1...2).contains(digits) && place.count > digits
      && (parts[0] + place.dropLast(digits)).allSatisfy { (97...122).contains($0) }
      && !parts[0].isEmpty
  }

  /// A `*` fits a segment, a `v*` a version, and `**` all that follows, also nothing.
  private static func fits(_ segments: ArraySlice<String>, _ pattern: ArraySlice<Substring>) -> Bool
  {
    guard let wanted = pattern.first else { return segments.isEmpty }
    if wanted == "**" { return true }
    guard let segment = segments.first else { return false }
    let isLike =
      switch wanted {
      case "*": !segment.isEmpty
      case "v*": segment.wholeMatch(of: /v[0-9](alpha|beta)?[0-9]?/) != nil
      default: segment == wanted
      }
    return isLike && fits(segments.dropFirst(), pattern.dropFirst())
  }

  private static let services: [(pattern: [Substring], name: String)] = [
    ("v*/projects/*/locations/*/instances/**", "Realtime Database"),
    ("v*/projects/*/locations/*/functions/**", "Cloud Functions"),
    ("v*/projects/*/locations/*/services/**", "Cloud Run"),
    ("v*/projects/*/locations/*/queues/**", "Cloud Tasks"),
    ("v*/projects/*/locations/*/jobs/**", "Cloud Scheduler"),
    ("v*/projects/*/locations/*/triggers/**", "Eventarc"),
    ("v*/projects/*/locations/*/publishers/**", "Firebase AI Logic"),
    ("v*/projects/*/models/**", "Firebase AI Logic"),
    ("v*/models/**", "Firebase AI Logic"),
    ("v*/projects/*/topics/**", "Pub/Sub"),
    ("v*/projects/*/subscriptions/**", "Pub/Sub"),
    ("v*/projects/*/secrets/**", "Secret Manager"),
    ("v*/projects/*/apps/**", "App Check"),
    ("v*/projects/*/sites/**", "Hosting"),
    ("v*/sites/**", "Hosting"),
    ("v*/shortLinks", "Dynamic Links"),
    ("v*/entries:write", "Cloud Logging"),
    ("v*/projects/*/timeSeries", "Cloud Monitoring"),
    ("bigquery/v2/**", "BigQuery"),
    ("compute/v1/**", "Compute Engine"),
    ("dns/v1/**", "Cloud DNS"),
    ("sql/v*/**", "Cloud SQL"),
    ("retry_test/**", "storage testbench"),
  ].map { ($0.0.split(separator: "/"), $0.1) }
}
