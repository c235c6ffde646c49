import BaseText

/// Knows which installations are in audiences; analytics does.
///
/// Any thread may call; calls block.
package protocol MessageAudiences: Sendable {
  /// Returns true if a project has an audience of that name.
  func exists(_ audience: String, in project: Text) throws -> Bool

  /// Returns true if an installation is in an audience, as that was within the last hour.
  func contains(_ installation: String, _ audience: String, in project: Text) throws -> Bool
}
