import Daemon

/// A ring with a fin towards each thing of the zone, as this device sees them: up is where it points.
/// - Source: contrib/contract/flare-protocol.md, "10.4 Views".
package struct CompassPicture: Sendable, Hashable {
    /// A thing around the device.
    package struct Fin: Sendable, Hashable {
        /// Degrees clockwise from north.
        package var bearing: Double
        package var metres: Double
        package var ink: Ink
        package var isNearby: Bool

        package init(bearing: Double, metres: Double, ink: Ink = .plain, isNearby: Bool = false) {
            (self.bearing, self.metres, self.ink, self.isNearby) = (bearing, metres, ink, isNearby)
        }

        /// Its width, degrees: 40 up to 1 m, 5 from 12 m on.
        package var span: Double { 40 - (min(max(metres, 1), 12) - 1) * 35 / 11 }
    }

    package var fins: [Fin] = []
    /// Compass degrees; `nil` if unknown: then north is up.
    package var heading: Double?
    /// Texts in the middle, from the top.
    package var captions: [String] = []

    package init() {}

    package func draw(on canvas: inout BrailleCanvas) {
        let centre = BrailleCanvas.Dot(Double(canvas.width - 1) / 2, Double(canvas.height - 1) / 2)
        let size = min(centre.x, centre.y)
        guard size >= 8 else { return }
        let radius = size * 0.9
        let up = heading ?? 0
        canvas.circle(centre, radius: radius, .faint)
        for (name, bearing) in [("E", 90.0), ("S", 180), ("W", 270), ("N", 0)] where size >= 20 || name == "N"
        {
            let place = centre.moved(by: radius * 0.74, towards: bearing - up)
            let (column, row) = canvas.cell(at: place)
            canvas.text(name, column: column, row: row, name == "N" ? .bold : .faint)
        }
        // The farthest first, the nearby one last.
        for fin in fins.sorted(by: { ($0.isNearby ? 1 : 0, -$0.metres) < ($1.isNearby ? 1 : 0, -$1.metres) })
        {
            let half = fin.isNearby ? max(size * 0.1, 2.2) : max(size * 0.05, 1)
            canvas.arc(
                centre,
                radii: radius - half...radius + half,
                direction: fin.bearing - up,
                span: fin.span,
                fin.ink
            )
        }
        drawCaptions(on: &canvas, around: centre, width: Int(radius * 0.95))
    }

    private func drawCaptions(on canvas: inout BrailleCanvas, around centre: BrailleCanvas.Dot, width: Int) {
        let middle = canvas.cell(at: centre)
        let first = middle.row - captions.count / 2
        for (index, caption) in captions.enumerated() {
            let text = TerminalText.fitted(TerminalText.visible(caption), columns: width)
            let column = (canvas.columns - TerminalText.width(text)) / 2
            canvas.text(text, column: column, row: first + index, index == 0 ? .bold : .plain)
        }
    }
}
