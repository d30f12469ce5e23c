import Flare
import Glibc
import Things

/// Draws one picture.
struct PictureDrawing {
    let frame: PlanFrame
    private let isEmpty: Bool
    private let ink: PictureInk
    private var placer: LabelPlacer
    private var glows: [RGBColour: Int] = [:]
    private var definitions = ""
    private var body = ""

    /// Most colours with a glow; more could not be distinguished.
    private static let glowLimit = 64

    /// - Parameters:
    ///   - content: The area that the plan must show; `nil` for none.
    ///   - zones: The zones to draw.
    init(_ content: PlaneBounds?, isFlipped: Bool, zones: [PlanZone], style: PictureStyle) {
        isEmpty = content == nil
        ink = PictureInk(style)
        let frame = PlanFrame(
            content ?? PlaneBounds(Box(origin: .zero, width: 10, height: 5)),
            isFlipped: isFlipped
        )
        self.frame = frame
        let room = LabelPlacer.Area(
            left: 4,
            top: PlanFrame.header - 6,
            right: PlanFrame.pictureWidth - 4,
            bottom: PlanFrame.header + frame.planHeight + 8
        )
        placer = LabelPlacer(room: room, zones: zones.map { frame.area(of: $0.box) })
    }

    // MARK: Zones

    mutating func drawZones(_ zones: ArraySlice<(id: FlareID, zone: PlanZone)>, here: FlareID?) {
        // The current zone last, so that its border is complete.
        for (_, zone) in zones.filter({ $0.id != here }) { draw(zone, .zone) }
        for (_, zone) in zones.filter({ $0.id == here }) { draw(zone, .zoneHere) }
    }

    /// At a free place of each; smaller where zones are small, and on two lines where they are narrow.
    mutating func drawNames(of zones: ArraySlice<(id: FlareID, zone: PlanZone)>) {
        for (_, zone) in zones { drawName(of: zone) }
    }

    private mutating func draw(_ zone: PlanZone, _ look: PictureLook) {
        let area = frame.area(of: zone.box)
        body += "<rect \(ink(look)) x=\"\(area.left)\" y=\"\(area.top)\" width=\"\(area.right - area.left)\""
        body += " height=\"\(area.bottom - area.top)\" rx=\"4\"/>"
    }

    private mutating func drawName(of zone: PlanZone) {
        let area = frame.area(of: zone.box)
        let sizes = area.right - area.left < 100 ? [11, 9] : [13, 11, 9]
        for size in sizes {
            for lines in PictureText.lines(of: zone.name) {
                let label = Label(lines.map { ($0, .caption) }, size: size)
                if let place = placer.take(label.width, label.height(), size: size, within: area) {
                    return write(label, at: place)
                }
            }
        }
        let width = Double(area.right - area.left - 12)
        guard let cut = PictureText.fitted(zone.name, size: 10, width: width) else { return }
        let label = Label([(cut, .caption)], size: 10)
        guard let place = placer.take(label.width, label.height(), size: 10, within: area) else { return }
        write(label, at: place)
    }

    // MARK: Things

    mutating func drawThings(_ things: [PlanThing], nearby: PlanThing?, device: PlanDevice?) {
        let radius = radius(among: things.count)
        for thing in things { shine(thing, radius) }
        if let nearby, let device {
            let (from, to) = (point(device.position), point(nearby.position))
            body += "<path \(ink(.tie)) d=\"M\(from.x) \(from.y)L\(to.x) \(to.y)\"/>"
        }
        for thing in things { draw(thing, radius) }
        guard let nearby else { return }
        let at = point(nearby.position)
        body += "<circle \(ink(.near)) cx=\"\(at.x)\" cy=\"\(at.y)\" r=\"\(radius + 6)\"/>"
    }

    /// Marks are smaller when there are many.
    private func radius(among count: Int) -> Int { count <= 60 ? 9 : count <= 250 ? 6 : 4 }

    private mutating func shine(_ thing: PlanThing, _ radius: Int) {
        guard case .on(let colour, let level) = thing.mark, let glow = glow(colour) else { return }
        let at = point(thing.position)
        // Small marks are in small zones, whose walls the glow would hide.
        let reach = radius + Int((Double(radius) * (radius < 9 ? 2 : 4) * level).rounded())
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
        func circle(_ look: PictureLook, _ radius: Int) -> String {
            "<circle \(ink(look)) cx=\"\(at.x)\" cy=\"\(at.y)\" r=\"\(radius)\""
        }
        switch thing.mark {
        case .on(let colour, let level):
            // A dimmed lamp is paler, but never as pale as one that is off.
            let mixed = RGBColour(red: 128, green: 128, blue: 128).mixed(
                with: colour,
                fraction: 0.4 + 0.6 * level
            )
            body += "\(circle(.lamp, radius)) fill=\"\(mixed.hexText)\"/>"
        case .off(let colour):
            let stroke = colour.map { " stroke=\"\($0.hexText)\"" } ?? ""
            body += "\(circle(.lampOff, radius))/>"
            body += "\(circle(colour == nil ? .line : .ring, max(1, radius - 4)))\(stroke)/>"
        case .other(let reading):
            let look: PictureLook =
                switch reading.tone {
                case .on: .toneOn
                case .warm: .toneWarm
                case .cool: .toneCool
                case .open: .toneOpen
                case .safe: .toneSafe
                case .alarm: .toneAlarm
                case nil: .other
                }
            body += "\(circle(look, radius))/>"
            guard radius >= 9 else { return }
            // 24 units of the outline in a mark of 18.
            body += "<path \(ink(reading.tone == nil ? .symbol : .symbolOnTone))"
            body +=
                " transform=\"translate(\(at.x - 6) \(at.y - 6)) scale(.5)\" d=\"\(reading.symbol.outline)\"/>"
        }
    }

    /// Keeps labels away from the marks of things.
    mutating func keepFree(_ things: [PlanThing]) {
        let radius = radius(among: things.count)
        for thing in things { keepFree(around: thing.position, radius) }
    }

    /// Keeps labels away from the mark of this device.
    mutating func keepFree(_ device: PlanDevice?) {
        if let device { keepFree(around: device.position, 10) }
    }

    private mutating func keepFree(around position: Point3D, _ radius: Int) {
        let (x, y) = point(position)
        placer.keepFree(
            LabelPlacer.Area(left: x - radius, top: y - radius, right: x + radius, bottom: y + radius)
        )
    }

    // MARK: Labels of things

    mutating func drawNames(of things: [PlanThing], nearby: PlanThing?, limit: Int) {
        let radius = radius(among: things.count)
        let size = things.count <= 40 ? 14 : things.count <= 120 ? 12 : 10
        if limit > 0, let nearby { drawName(of: nearby, radius + 6, 14, .labelNear) }
        for thing in things.prefix(limit) { drawName(of: thing, radius, size, .label) }
    }

    /// With the value if there is space; on two lines, smaller, and at last cut, where there is not.
    private mutating func drawName(of thing: PlanThing, _ radius: Int, _ size: Int, _ look: PictureLook) {
        let at = point(thing.position)
        let value = thing.reading.map { [($0, PictureLook.reading)] } ?? []
        let whole = PictureText.lines(of: thing.name).flatMap { lines in
            let name = lines.map { ($0, look) }
            return value.isEmpty ? [name] : [name + value, name]
        }
        var labels = [size, max(9, size - 2)].flatMap { size in whole.map { Label($0, size: size) } }
        labels += [140.0, 110, 80, 55, 44].compactMap { limit in
            PictureText.fitted(thing.name, size: Double(size) * PictureText.boldShare, width: limit)
                // "Meetin…" names nothing; of what is near, a part is better than nothing.
                .flatMap { look == .labelNear || $0.count * 2 > thing.name.count ? $0 : nil }
                .map { Label([($0, look)], size: size) }
        }
        for overMarks in look == .labelNear ? [false, true] : [false] {
            for label in labels where label.width <= 170 {
                let place = placer.place(
                    width: label.width,
                    size: label.size,
                    lines: label.lines.count,
                    beside: at.x,
                    at.y,
                    radius: radius,
                    overMarks: overMarks
                )
                if let place { return write(label, at: place) }
            }
        }
    }

    /// Lines of text, centred or at a side together.
    private struct Label {
        let lines: [(text: String, look: PictureLook)]
        let size: Int
        let width: Int

        init(_ lines: [(String, PictureLook)], size: Int) {
            self.lines = lines.map { (text: $0.0, look: $0.1) }
            self.size = size
            width =
                lines.map { line in
                    let boldness = line.1 == .labelNear || line.1 == .reading ? PictureText.boldShare : 1
                    return Int((PictureText.width(line.0, size: Double(size)) * boldness).rounded(.up))
                }.max() ?? 0
        }

        func height() -> Int { LabelPlacer.height(lines.count, size: size) }
    }

    /// Each line upon its own outline in the floor's colour: that is as wide as the letters, whatever the font.
    private mutating func write(_ label: Label, at place: LabelPlacer.Place) {
        for (index, line) in label.lines.enumerated() {
            let y = place.y + index * LabelPlacer.lineHeight(label.size)
            if line.look != .caption {
                let isBold = line.look == .labelNear || line.look == .reading
                write(line.text, place.x, y, .halo, size: label.size, anchor: place.anchor, isBold: isBold)
            }
            write(line.text, place.x, y, line.look, size: label.size, anchor: place.anchor)
        }
    }

    // MARK: This device

    mutating func drawAccuracy(_ device: PlanDevice?) {
        guard let device, let metres = device.accuracyMetres else { return }
        let at = point(device.position)
        body +=
            "<g clip-path=\"url(#plan)\"\(device.isLost ? " class=\"o\"" : "")><circle "
        body +=
            "\(ink(device.isLost ? .accuracyLost : .accuracy)) cx=\"\(at.x)\" cy=\"\(at.y)\" r=\"\(max(12, frame.length(metres)))\"/></g>"
    }

    mutating func drawDevice(_ device: PlanDevice?, north: Double) {
        guard let device else { return }
        let at = point(device.position)
        body += "<g transform=\"translate(\(at.x) \(at.y))\"\(device.isLost ? " class=\"o\"" : "")>"
        if let heading = device.heading {
            // Relative to the plan, whose y axis points `north` degrees clockwise from north.
            let turn = PlanFrame.unit((heading - north).truncatingRemainder(dividingBy: 360))
            body +=
                "<path \(ink(device.isLost ? .viewLost : .view)) transform=\"rotate(\(turn))\" d=\"M0 0-24-38A45 45 0 0 1 24-38Z\"/>"
        }
        body += "<circle \(ink(device.isLost ? .deviceLost : .device)) r=\"8\"/></g>"
    }

    // MARK: Header and footer

    mutating func drawEdges(title: String?, north: Double, hidden: Int) {
        let (right, bottom) = (PlanFrame.pictureWidth - PlanFrame.margin, frame.pictureHeight)
        let size = 17 * PictureText.boldShare
        if let title = title.flatMap({ PictureText.fitted($0, size: size, width: 370) }) {
            write(title, PlanFrame.margin, 31, .title)
        }
        guard !isEmpty else {
            write(
                "Nothing here has a place yet",
                PlanFrame.pictureWidth / 2,
                bottom / 2,
                .caption,
                anchor: .middle
            )
            return
        }
        drawNorth(at: right - 12, 25, north)
        let bar = frame.scaleBar
        let y = bottom - 16
        body += "<path \(ink(.line)) d=\"M\(PlanFrame.margin) \(y - 5)v5h\(bar.units)v-5\"/>"
        write(bar.name, PlanFrame.margin + bar.units + 8, y, .caption)
        if hidden > 0 { write("\(hidden) more things", right, y, .caption, anchor: .end) }
    }

    private mutating func drawNorth(at x: Int, _ y: Int, _ north: Double) {
        let turn = PlanFrame.unit((-north).truncatingRemainder(dividingBy: 360))
        body +=
            "<path \(ink(.north)) transform=\"translate(\(x) \(y)) rotate(\(turn))\" d=\"M0-14 6 9 0 4-6 9Z\"/>"
        write("N", x - 24, y + 5, .caption, anchor: .middle)
    }

    /// The complete picture.
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
            + "height=\"\(height)\" font-family=\"\(Self.fonts)\" font-size=\"13\">\(ink.styleSheet)"
            + "<defs>\(plan)\(view)\(definitions)</defs>"
            + "<rect \(ink(.ground)) width=\"\(width)\" height=\"\(height)\" rx=\"12\"/>\(body)</svg>\n"
    }

    private static let fonts = "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif"

    // MARK: Strokes

    private func point(_ position: Point3D) -> (x: Int, y: Int) { (frame.x(position.x), frame.y(position.y)) }

    private mutating func write(
        _ text: String,
        _ x: Int,
        _ y: Int,
        _ look: PictureLook,
        size: Int? = nil,
        anchor: LabelPlacer.Anchor = .start,
        isBold: Bool = false
    ) {
        body += "<text \(ink(look)) x=\"\(x)\" y=\"\(y)\""
        if isBold { body += " font-weight=\"600\"" }
        if let size { body += " font-size=\"\(size)\"" }
        if anchor != .start { body += " text-anchor=\"\(anchor.rawValue)\"" }
        body += ">\(PictureText.escaped(text))</text>"
    }
}
