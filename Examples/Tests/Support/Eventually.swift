/// Lets other tasks run until a condition on the main actor holds; false when it does not within
/// five minutes.
@MainActor
package func eventually(_ condition: @MainActor () -> Bool) async -> Bool {
  let deadline = ContinuousClock.now + .seconds(300)
  while !condition() {
    guard ContinuousClock.now < deadline else { return false }
    await Task.yield()
  }
  return true
}
