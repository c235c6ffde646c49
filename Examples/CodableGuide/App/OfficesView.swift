#if canImport(SwiftUI)
import CodableGuideCore
import SwiftUI

/// The offices on a map without tiles; a tap on a row moves the map there.
struct OfficesView: View {
  let model: OfficesViewModel

  var body: some View {
    Form {
      Section {
        OfficeMap(frame: model.frame, offices: model.offices).frame(height: 300)
      }
      Section {
        ListStateView(list: model.list)
        ForEach(model.offices, id: \.id) { office in
          Button(office.name) { model.choose(office.id) }
        }
        Button("Show all") { model.choose(nil) }
      }
    }
  }
}

/// The grid of degrees and a pin an office.
struct OfficeMap: View {
  let frame: MapFrame
  let offices: [Office]

  var body: some View {
    Canvas { context, size in
      var grid = Path()
      for line in frame.meridians {
        grid.move(to: CGPoint(x: line.position * size.width, y: 0))
        grid.addLine(to: CGPoint(x: line.position * size.width, y: size.height))
      }
      for line in frame.parallels {
        grid.move(to: CGPoint(x: 0, y: line.position * size.height))
        grid.addLine(to: CGPoint(x: size.width, y: line.position * size.height))
      }
      context.stroke(grid, with: .color(.secondary.opacity(0.4)))
      for office in offices {
        guard let place = frame.position(of: office.location) else { continue }
        let point = CGPoint(x: place.x * size.width, y: place.y * size.height)
        context.draw(Image(systemName: "mappin"), at: point, anchor: .bottom)
      }
    }
    .accessibilityLabel("A map of the offices")
  }
}
#endif
