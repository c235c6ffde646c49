import BaseRuntime
import Realtime

extension FirestoreService {
  /// Figures of the listeners' hub and of the engine threads' lanes for `/metrics`.
  package var metrics: [(name: String, value: Double)] {
    let hub = (listeners?.statistics() ?? [:]).map { (name: "brasa_" + $0.key, value: $0.value) }
    let lanes = EngineThreads.Lane.allCases.flatMap { lane in
      let figures = threads.figures(of: lane)
      let name = "brasa_engine_\(lane)"
      return [
        (name: name + "_waiting", value: Double(figures.waiting)),
        (name: name + "_busy", value: Double(figures.busy)),
        (name: name + "_refused_total", value: Double(figures.refused)),
      ]
    }
    return hub + lanes + [(name: "brasa_engine_jobs_waiting", value: Double(threads.waiting))]
  }
}
