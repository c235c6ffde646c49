import BaseText

/// The function whose instance has a connection to the server.
package struct FunctionOrigin: Sendable {
  /// The function's project, whose administrator the connection is.
  package let project: Text
  /// The number of events that led to what the instance does now, one causing the next.
  package let depth: @Sendable () -> Int

  /// A function of a project, at that depth.
  package init(project: Text, depth: @escaping @Sendable () -> Int) {
    self.project = project
    self.depth = depth
  }
}
