/// Waits, without polling by time, until a condition on the main actor holds; false after a very
/// large number of turns of the executor.
@MainActor
package func eventually(_ condition: @MainActor () -> Bool) async -> Bool {
  let deadline = ContinuousClock.now + .seconds(30)
  while !condition() {
    guard ContinuousClock.now < deadline else { return false }
    await Task.yield()
  }
  return true
}
