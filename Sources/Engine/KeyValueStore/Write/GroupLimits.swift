/// The limits on one group of a `WriteQueue`.
///
/// A bound is looked at between writes: the write that reaches it is still part of the group.
package struct GroupLimits: Sendable {
  /// Bytes of interactive writes; those beyond wait for the next group.
  package var interactiveBytes = 4 << 20
  /// Bytes of background writes.
  package var backgroundBytes = 256 << 10
  /// Time that the bodies of background writes take.
  package var backgroundTime = Duration.milliseconds(2)
  /// The longest that the last group may have taken to be on the disk for a thread to write its own group, and that
  /// such a group may take from its beginning to its outcome.
  ///
  /// With a slower disk the changes of threads that this saves do not matter.
  package var leadersLanding = Duration.microseconds(500)

  /// The time for which no thread writes its own group after one that took longer.
  package var leadersRest = Duration.seconds(1)

  /// The time for which the last group's landing tells how quick the disk is.
  package var leadersMemory = Duration.seconds(2)

  /// The bounds of a server.
  package init() {}
}
