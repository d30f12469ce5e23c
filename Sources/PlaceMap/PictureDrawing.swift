import Flare
import Glibc
import Things

/// Draws one picture, from the ground up.
struct PictureDrawing {
    let frame: PlanFrame
    private let isEmpty: Bool
    private var placer: LabelPlacer
    private var glows: [RGBColour: Int] = [:]
    private var definitions = ""
    private var body = ""

    /// The most colours whose light shines; more of them would not be told apart.
    private static let glowLimit = 64

    /// - Parameter content: What the plan must show; `nil` for nothing.
    init(_ content: PlanBounds?, isFlipped: Bool) {
        isEmpty = content == nil
        frame = PlanFrame(
            content ?? PlanBounds(Box(origin: .zero, width: 10, height: 5)),
            isFlipped: isFlipped
        )
        let room = LabelPlacer.Area(
            left: 4,
            top: PlanFrame.header - 8,
            right: PlanFrame.pictureWidth - 4,
            bottom: PlanFrame.header + frame.planHeight + 10
        )
        placer = LabelPlacer(room: room)
    }

    // MARK: Zones

    mutating func drawZones(_ zones: ArraySlice<(id: FlareID, zone: PlanZone)>, here: FlareID?) {
        // That where we are goes last, so that its border is whole.
        for (_, zone) in zones.filter({ $0.id != here }) { draw(zone, class: "w") }
        for (_, zone) in zones.filter({ $0.id == here }) { draw(zone, class: "w h") }
    }

    /// In a corner of each where no mark stands.
    mutating func drawNames(of zones: ArraySlice<(id: FlareID, zone: PlanZone)>) {
        for (_, zone) in zones { drawName(of: zone) }
    }

    private mutating func draw(_ zone: PlanZone, class name: String) {
        let area = area(of: zone)
        body +=
            "<rect class=\"\(name)\" x=\"\(area.left)\" y=\"\(area.top)\" width=\"\(area.right - area.left)\""
        body += " height=\"\(area.bottom - area.top)\" rx=\"4\"/>"
    }

    private mutating func drawName(of zone: PlanZone) {
        let area = area(of: zone)
        guard area.bottom - area.top >= 24,
            let name = PictureText.fitted(zone.name, size: 13, width: Double(area.right - area.left - 14))
        else { return }
        let width = Int(PictureText.width(name, size: 13).rounded(.up))
        let corners = [
            (area.left + 8, area.top + 18), (area.right - width - 8, area.top + 18),
            (area.left + 8, area.bottom - 8), (area.right - width - 8, area.bottom - 8),
        ]
        for (x, y) in corners {
            let label = LabelPlacer.Area(left: x, top: y - 13, right: x + width, bottom: y + 4)
            guard placer.takeIfFree(label) else { continue }
            return write(name, x, y, class: "s")
        }
    }

    private func area(of zone: PlanZone) -> LabelPlacer.Area {
        let box = zone.box
        let (y, other) = (frame.y(box.origin.y), frame.y(box.origin.y + box.height))
        return LabelPlacer.Area(
            left: frame.x(box.origin.x),
            top: min(y, other),
            right: frame.x(box.origin.x + box.width),
            bottom: max(y, other)
        )
    }

    // MARK: Things

    mutating func drawThings(_ things: [PlanThing], nearby: PlanThing?, device: PlanDevice?) {
        let radius = radius(among: things.count)
        for thing in things { shine(thing, radius) }
        if let nearby, let device {
            let (from, to) = (point(device.position), point(nearby.position))
            body += "<path class=\"l d\" d=\"M\(from.x) \(from.y)L\(to.x) \(to.y)\"/>"
        }
        for thing in things { draw(thing, radius) }
        guard let nearby else { return }
        let at = point(nearby.position)
        body += "<circle class=\"l\" cx=\"\(at.x)\" cy=\"\(at.y)\" r=\"\(radius + 6)\"/>"
    }

    /// Marks shrink where there are many.
    private func radius(among count: Int) -> Int { count <= 60 ? 9 : count <= 250 ? 6 : 4 }

    private mutating func shine(_ thing: PlanThing, _ radius: Int) {
        guard case .on(let colour, let level) = thing.mark, let glow = glow(colour) else { return }
        let at = point(thing.position)
        let reach = radius + Int((Double(radius) * 4 * level).rounded())
        body += "<circle cx=\"\(at.x)\" cy=\"\(at.y)\" r=\"\(reach)\" fill=\"url(#g\(glow))\"/>"
    }

    private mutating func glow(_ colour: RGBColour) -> Int? {
        if let glow = glows[colour] { return glow }
        guard glows.count < Self.glowLimit else { return nil }
        let number = glows.count
        glows[colour] = number
        definitions +=
            "<radialGradient id=\"g\(number)\"><stop offset=\".2\" stop-color=\"\(colour.hexText)\" "
        definitions +=
            "stop-opacity=\".65\"/><stop offset=\"1\" stop-color=\"\(colour.hexText)\" stop-opacity=\"0\"/>"
        definitions += "</radialGradient>"
        return number
    }

    private mutating func draw(_ thing: PlanThing, _ radius: Int) {
        let at = point(thing.position)
        let circle = "<circle class=\"i\" cx=\"\(at.x)\" cy=\"\(at.y)\" r=\"\(radius)\""
        switch thing.mark {
        case .on(let colour, let level):
            // A lamp that is dim is paler, never as pale as one that is off.
            let mixed = RGBColour(red: 128, green: 128, blue: 128).mixed(
                with: colour,
                fraction: 0.4 + 0.6 * level
            )
            body += "\(circle) style=\"fill:\(mixed.hexText)\"/>"
        case .off(let colour):
            body += "\(circle)/>"
            let ring = colour.map { " style=\"stroke:\($0.hexText)\"" } ?? ""
            body += "<circle class=\"k\" cx=\"\(at.x)\" cy=\"\(at.y)\" r=\"\(max(1, radius - 4))\"\(ring)/>"
        case .other:
            let side = max(4, radius + 2)
            body += "<rect class=\"q\" x=\"\(at.x - side / 2)\" y=\"\(at.y - side / 2)\" width=\"\(side)\""
            body += " height=\"\(side)\" rx=\"2\"/>"
        }
    }

    /// Keeps names away from the marks of things.
    mutating func keepFree(_ things: [PlanThing]) {
        let radius = radius(among: things.count)
        for thing in things.prefix(300) {
            let (x, y) = point(thing.position)
            placer.take(
                LabelPlacer.Area(left: x - radius, top: y - radius, right: x + radius, bottom: y + radius)
            )
        }
    }

    // MARK: Names of things

    mutating func drawNames(of things: [PlanThing], nearby: PlanThing?, limit: Int) {
        let radius = radius(among: things.count)
        if limit > 0, let nearby { drawName(of: nearby, radius + 6, class: "n b") }
        for thing in things.prefix(limit) { drawName(of: thing, radius, class: "n") }
    }

    private mutating func drawName(of thing: PlanThing, _ radius: Int, class name: String) {
        let size = Double(PictureStyle.labelSize)
        guard let text = PictureText.fitted(thing.name, size: size, width: 170) else { return }
        let at = point(thing.position)
        let width = Int(PictureText.width(text, size: size).rounded(.up))
        guard
            let place = placer.place(
                width: width,
                size: PictureStyle.labelSize,
                beside: at.x,
                at.y,
                radius: radius
            )
        else { return }
        let anchor = ["middle": " m", "end": " e"][place.anchor] ?? ""
        write(text, place.x, place.y, class: name + anchor)
    }

    // MARK: This device

    mutating func drawAccuracy(_ device: PlanDevice?) {
        guard let device, let metres = device.accuracyMetres else { return }
        let at = point(device.position)
        body +=
            "<g clip-path=\"url(#plan)\"\(device.isLost ? " class=\"o\"" : "")><circle class=\"a\" cx=\"\(at.x)\" "
        body += "cy=\"\(at.y)\" r=\"\(max(12, frame.length(metres)))\"/></g>"
    }

    mutating func drawDevice(_ device: PlanDevice?, north: Double) {
        guard let device else { return }
        let at = point(device.position)
        body += "<g transform=\"translate(\(at.x) \(at.y))\"\(device.isLost ? " class=\"o\"" : "")>"
        if let heading = device.heading {
            // On the plan, whose y axis points `north` degrees clockwise from north.
            let turn = PlanFrame.unit((heading - north).truncatingRemainder(dividingBy: 360))
            body +=
                "<path class=\"f\" fill=\"url(#v)\" transform=\"rotate(\(turn))\" d=\"M0 0-24-38A45 45 0 0 1 24-38Z\"/>"
        }
        body += "<circle class=\"p\" r=\"8\"/></g>"
    }

    // MARK: Around the plan

    mutating func drawEdges(title: String?, north: Double, hidden: Int) {
        let (right, bottom) = (PlanFrame.pictureWidth - PlanFrame.margin, frame.pictureHeight)
        let size = Double(PictureStyle.titleSize)
        if let title = title.flatMap({ PictureText.fitted($0, size: size * 1.1, width: 350) }) {
            write(title, PlanFrame.margin, 31, class: "t")
        }
        guard !isEmpty else {
            write("Nothing here has a place yet", PlanFrame.pictureWidth / 2, bottom / 2, class: "s m")
            return
        }
        drawNorth(at: right - 12, 25, north)
        let bar = frame.scaleBar
        let y = bottom - 16
        body += "<path class=\"k\" d=\"M\(PlanFrame.margin) \(y - 5)v5h\(bar.units)v-5\"/>"
        write(bar.name, PlanFrame.margin + bar.units + 8, y, class: "s")
        if hidden > 0 { write("\(hidden) more things", right, y, class: "s e") }
    }

    private mutating func drawNorth(at x: Int, _ y: Int, _ north: Double) {
        let turn = PlanFrame.unit((-north).truncatingRemainder(dividingBy: 360))
        body +=
            "<path class=\"c\" transform=\"translate(\(x) \(y)) rotate(\(turn))\" d=\"M0-14 6 9 0 4-6 9Z\"/>"
        write("N", x - 24, y + 5, class: "s m b")
    }

    /// The whole picture.
    var finished: String {
        let (width, height) = (PlanFrame.pictureWidth, frame.pictureHeight)
        let plan =
            "<clipPath id=\"plan\"><rect x=\"\(PlanFrame.margin)\" y=\"\(PlanFrame.header)\" "
            + "width=\"\(PlanFrame.planWidth)\" height=\"\(frame.planHeight)\" rx=\"4\"/></clipPath>"
        let view =
            "<radialGradient id=\"v\" gradientUnits=\"userSpaceOnUse\" r=\"45\" cx=\"0\" cy=\"0\">"
            + "<stop offset=\".2\" stop-color=\"#2f6fed\" stop-opacity=\".95\"/>"
            + "<stop offset=\"1\" stop-color=\"#2f6fed\" stop-opacity=\"0\"/></radialGradient>"
        return
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" "
            + "height=\"\(height)\"><style>\(PictureStyle.css)</style><defs>\(plan)\(view)\(definitions)</defs>"
            + "<rect width=\"\(width)\" height=\"\(height)\" rx=\"12\" style=\"fill:var(--paper)\"/>\(body)</svg>\n"
    }

    // MARK: Strokes

    private func point(_ position: Point3D) -> (x: Int, y: Int) { (frame.x(position.x), frame.y(position.y)) }

    private mutating func write(_ text: String, _ x: Int, _ y: Int, class name: String) {
        body += "<text class=\"\(name)\" x=\"\(x)\" y=\"\(y)\">\(PictureText.escaped(text))</text>"
    }
}
