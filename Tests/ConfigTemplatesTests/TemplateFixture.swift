import BaseJSON
import BaseRuntime
import BaseStatus
import ConfigTemplates
import Synchronization

/// A clock that tests move.
final class TestClock: Sendable {
  private let time: Mutex<Int64>

  init(_ microseconds: Int64 = 1_800_000_000_000_000) { time = Mutex(microseconds) }

  var clock: MicrosecondClock { MicrosecondClock { [self] in time.withLock { $0 } } }

  func set(_ microseconds: Int64) { time.withLock { $0 = microseconds } }
}

/// The product's own fixture: deleting from the list is allowed, but not in Brazil.
let deleteListView = """
  {"conditions": [{"name": "Brazil", "expression": "device.country in ['BR']", "tagColor": "GREEN"}],
   "parameters": {"delete_list_view": {"defaultValue": {"value": "true"}, "valueType": "BOOLEAN",
                  "conditionalValues": {"Brazil": {"value": "false"}}}}}
  """

func template(_ json: String) throws -> ConfigTemplate {
  try ConfigTemplate(json: try JSONValue(parsing: json))
}

/// Returns the problem for which a template's JSON is refused; nil if it is accepted.
func problem(of json: String, _ namespace: ConfigNamespace = .client) -> String? {
  do {
    _ = try CompiledTemplate(try template(json), for: namespace)
    return nil
  } catch {
    return (error as? ServiceError)?.message ?? "\(error)"
  }
}

func client(country: String? = nil, id: String? = nil) -> ConfigClient {
  var client = ConfigClient()
  client.country = country
  client.installationID = id
  return client
}

/// Runs a body that fails and returns with which code.
func code(_ body: () throws -> Void) -> StatusCode? {
  do {
    try body()
    return nil
  } catch {
    return (error as? ServiceError)?.code
  }
}
