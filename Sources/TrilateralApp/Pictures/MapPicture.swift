import Daemon
package import Flare
import Things

/// The plan seen from above: perimeter, zones, things in their colours, and this device.
/// - Source: contrib/contract/flare-protocol.md, "10.4 Views".
package struct MapPicture: Sendable, Hashable {
    package struct Zone: Sendable, Hashable {
        package var name: String
        package var box: Box
        /// Whether the device is in it.
        package var isCurrent: Bool
    }

    package struct Thing: Sendable, Hashable {
        package var name: String
        package var position: Point3D
        package var ink: Ink
        /// Whether it is a light that is off: it is drawn hollow.
        package var isOff: Bool
        package var isNearby: Bool

        package init(
            name: String,
            position: Point3D,
            ink: Ink = .plain,
            isOff: Bool = false,
            isNearby: Bool = false
        ) {
            (self.name, self.position, self.ink) = (name, position, ink)
            (self.isOff, self.isNearby) = (isOff, isNearby)
        }
    }

    package struct Device: Sendable, Hashable {
        package var position: Point3D
        package var accuracyMetres: Double?
        /// Where it points on the picture, degrees clockwise from up.
        package var direction: Double?
    }

    package var perimeter: Box?
    package var zones: [Zone] = []
    package var things: [Thing] = []
    package var device: Device?
    /// Whether the plan's y axis points down.
    package var isFlipped = false

    private static let deviceInk = Ink(.init(hex: 0x3D8BFF), isBold: true)

    package init() {}

    package func draw(on canvas: inout BrailleCanvas) {
        guard let scale = PictureScale(corners, isFlipped: isFlipped, on: canvas) else {
            let text = TerminalText.fitted("no plan of this place", columns: canvas.columns)
            let column = (canvas.columns - TerminalText.width(text)) / 2
            return canvas.text(text, column: column, row: canvas.rows / 2, .faint)
        }
        if let perimeter { canvas.rectangle(perimeter, scale, .faint) }
        for zone in zones where !zone.isCurrent { canvas.rectangle(zone.box, scale, .faint) }
        for zone in zones where zone.isCurrent { canvas.rectangle(zone.box, scale, .plain) }
        if let device { drawSurroundings(of: device, scale, on: &canvas) }
        for thing in things where !thing.isNearby { draw(thing, scale, on: &canvas) }
        for thing in things where thing.isNearby { draw(thing, scale, on: &canvas) }
        if let device { draw(device, scale, on: &canvas) }
        for zone in zones { drawName(of: zone, scale, on: &canvas) }
        for thing in things where thing.isNearby { drawName(of: thing, scale, on: &canvas) }
        for thing in things where !thing.isNearby { drawName(of: thing, scale, on: &canvas) }
    }

    /// The points that the picture must show.
    private var corners: [Point3D] {
        let boxes = zones.map(\.box) + [perimeter].compactMap(\.self)
        let ends = boxes.flatMap {
            [$0.origin, Point3D(x: $0.origin.x + $0.width, y: $0.origin.y + $0.height)]
        }
        return ends + things.map(\.position) + [device?.position].compactMap(\.self)
    }

    // MARK: Marks

    private func draw(_ thing: Thing, _ scale: PictureScale, on canvas: inout BrailleCanvas) {
        let centre = scale.dot(thing.position)
        if thing.isNearby { canvas.circle(centre, radius: 4.5, thing.ink) }
        if thing.isOff {
            canvas.circle(centre, radius: 1.6, thing.ink)
        } else {
            canvas.disc(centre, radius: thing.isNearby ? 2.3 : 1.6, thing.ink)
        }
    }

    /// What lies below the things: the accuracy, and the line to the nearby thing.
    private func drawSurroundings(
        of device: Device,
        _ scale: PictureScale,
        on canvas: inout BrailleCanvas
    ) {
        let centre = scale.dot(device.position)
        if let metres = device.accuracyMetres, metres > 0 {
            canvas.circle(centre, radius: scale.length(metres), .faint)
        }
        for thing in things where thing.isNearby {
            canvas.line(from: centre, to: scale.dot(thing.position), thing.ink)
        }
    }

    private func draw(_ device: Device, _ scale: PictureScale, on canvas: inout BrailleCanvas) {
        let centre = scale.dot(device.position)
        canvas.disc(centre, radius: 2.3, Self.deviceInk)
        guard let direction = device.direction, direction.isFinite else { return }
        canvas.line(from: centre, to: centre.moved(by: 7, towards: direction), Self.deviceInk)
    }

    // MARK: Names

    /// A zone's name in its upper left corner, where there is room.
    private func drawName(of zone: Zone, _ scale: PictureScale, on canvas: inout BrailleCanvas) {
        let text = TerminalText.visible(zone.name)
        let (from, to) = scale.area(zone.box)
        let (left, right) = (canvas.cell(at: from).column + 1, canvas.cell(at: to).column)
        let name = TerminalText.fitted(text, columns: right - left)
        guard TerminalText.width(name) >= min(4, TerminalText.width(text)) else { return }
        let rows = canvas.cell(at: from).row + 1..<max(canvas.cell(at: from).row + 1, canvas.cell(at: to).row)
        let cells = left..<left + TerminalText.width(name)
        guard let row = rows.prefix(3).first(where: { canvas.isEmpty(columns: cells, row: $0) }) else {
            return
        }
        canvas.text(name, column: left, row: row, zone.isCurrent ? .plain : .faint)
    }

    /// A thing's name beside it, if it covers nothing; that of the nearby thing may cover lines.
    private func drawName(of thing: Thing, _ scale: PictureScale, on canvas: inout BrailleCanvas) {
        let name = TerminalText.fitted(TerminalText.visible(thing.name), columns: 24)
        let count = TerminalText.width(name)
        guard count > 0 else { return }
        let (column, row) = canvas.cell(at: scale.dot(thing.position))
        let gap = thing.isNearby ? 4 : 2
        let places = [
            (column + gap, row), (column - gap - count + 1, row), (column - count / 2, row - gap / 2 - 1),
            (column - count / 2, row + gap / 2 + 1),
        ]
        func isFree(_ place: (column: Int, row: Int), covering: Bool) -> Bool {
            let cells = place.column..<place.column + count
            guard (0..<canvas.rows).contains(place.row), cells.lowerBound >= 0,
                cells.upperBound <= canvas.columns
            else { return false }
            return covering
                ? !canvas.hasText(columns: cells, row: place.row)
                : canvas.isEmpty(columns: cells, row: place.row)
        }
        let place =
            places.first { isFree($0, covering: false) }
            ?? (thing.isNearby ? places.first { isFree($0, covering: true) } : nil)
        guard let place else { return }
        canvas.text(name, column: place.0, row: place.1, thing.isNearby ? .bold : .faint)
    }
}

extension BrailleCanvas {
    fileprivate mutating func rectangle(_ box: Box, _ scale: PictureScale, _ ink: Ink) {
        let (from, to) = scale.area(box)
        rectangle(from: from, to: to, ink)
    }
}
