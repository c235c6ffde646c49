#if canImport(SwiftUI)
import OrderStatusCore
import SwiftUI

/// The five lines of the last push.
struct StatusView: View {
  let model: OrderStatusViewModel
  let status: StatusViewModel

  var body: some View {
    NavigationStack {
      List {
        Section { lines }
        if let problem = status.problem {
          Section {
            Text(problem).foregroundStyle(.red)
            Button("Try again") { model.tryAgain() }
          }
        }
        if status.allowsBanners == false {
          Text("Notifications are off: changes appear without a banner.")
            .foregroundStyle(.secondary)
        }
        if let token = status.token {
          DisclosureGroup("This device's registration token") {
            Text(token).monospaced().textSelection(.enabled)
          }
        }
      }
      .navigationTitle("Order status")
      .toolbar {
        Button("Log out", systemImage: "person") { Task { await model.signOut() } }
      }
    }
  }

  @ViewBuilder private var lines: some View {
    let update = status.update
    LabeledContent("Message Id:", value: update?.messageID ?? status.unreadable ?? "")
    LabeledContent("Reason:", value: update?.reason ?? "")
    LabeledContent("Order Id:", value: update.map { "\($0.orderID)" } ?? "")
    LabeledContent("Status:", value: update?.status ?? "")
    LabeledContent("Email:", value: update?.email ?? "")
    if status.unreadable != nil {
      Text("The last message could not be read.").foregroundStyle(.red)
    }
  }
}
#endif
