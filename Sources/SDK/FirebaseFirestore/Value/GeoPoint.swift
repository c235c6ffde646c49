import FirestoreModel
import Foundation

/// A point on the globe, in degrees.
public final class GeoPoint: NSObject, NSCopying, Sendable, Codable {
  /// Degrees north of the equator: -90 to 90.
  public let latitude: Double
  /// Degrees east of Greenwich: -180 to 180.
  public let longitude: Double

  /// A point; traps outside the globe.
  public init(latitude: Double, longitude: Double) {
    trapping { try GeoPoint.check(latitude: latitude, longitude: longitude) }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Throws `invalidArgument` outside the globe, where ``init(latitude:longitude:)`` would trap.
  public static func check(latitude: Double, longitude: Double) throws {
    if let problem = problem(latitude, longitude) {
      throw FirestoreErrorCode.error(.invalidArgument, problem)
    }
  }

  private static func problem(_ latitude: Double, _ longitude: Double) -> String? {
    if !(-90...90).contains(latitude) {
      return "GeoPoint requires a latitude value in the range of [-90, 90], but was \(latitude)"
    }
    if !(-180...180).contains(longitude) {
      return "GeoPoint requires a longitude value in the range of [-180, 180], but was \(longitude)"
    }
    return nil
  }

  /// Itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Compares two points: by latitude, then by longitude.
  public func compare(_ other: GeoPoint) -> ComparisonResult {
    let left = (latitude, longitude)
    let right = (other.latitude, other.longitude)
    if left < right { return .orderedAscending }
    return left > right ? .orderedDescending : .orderedSame
  }

  /// True for the same latitude and longitude.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? GeoPoint else { return false }
    return latitude == other.latitude && longitude == other.longitude
  }

  /// A hash of the latitude and the longitude.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(latitude)
    hasher.combine(longitude)
    return hasher.finalize()
  }

  /// The latitude and the longitude in the form of Google's SDK, for logs.
  public override var description: String { "<FIRGeoPoint: (\(latitude), \(longitude))>" }

  private enum CodingKeys: String, CodingKey {
    case latitude
    case longitude
  }

  /// Reads the members `latitude` and `longitude`.
  public required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    latitude = try container.decode(Double.self, forKey: .latitude)
    longitude = try container.decode(Double.self, forKey: .longitude)
    if let problem = Self.problem(latitude, longitude) {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: problem)
      )
    }
  }

  /// Writes the members `latitude` and `longitude`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(latitude, forKey: .latitude)
    try container.encode(longitude, forKey: .longitude)
  }
}
