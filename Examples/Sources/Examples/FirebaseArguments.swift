import ArgumentParser

/// The arguments that Firebase's SDK reads itself, as Xcode's schemes pass them to an app.
///
/// They are declared so that they are accepted and listed; nothing here reads them.
struct FirebaseArguments: ParsableArguments {
  @Flag(
    name: .customLong("FIRDebugEnabled", withSingleDash: true),
    help: "Logs debug messages of all products, and sends each event at once to the live view."
  )
  var debugEnabled = false

  @Flag(
    name: .customLong("FIRDebugDisabled", withSingleDash: true),
    help: "Ends what -FIRDebugEnabled began; it holds for later starts otherwise."
  )
  var debugDisabled = false

  @Flag(
    name: .customLong("FIRAnalyticsDebugEnabled", withSingleDash: true),
    help: "The same for Analytics alone."
  )
  var analyticsDebugEnabled = false

  @Flag(
    name: .customLong("FIRAnalyticsDebugDisabled", withSingleDash: true),
    help: "Ends what -FIRAnalyticsDebugEnabled began."
  )
  var analyticsDebugDisabled = false
}
