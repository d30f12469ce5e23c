import Controller
import Flare
import JSON
import PlaceMap
import SeededRandom
import Testing

/// Labels stay within the picture and their zone, and overlap no other text.
struct PictureLabelTests {
    private struct Area {
        let left, top, right, bottom: Double

        init?(_ element: Drawing.Element) {
            guard let x = element.number("x"), let y = element.number("y"),
                let width = element.number("width"), let height = element.number("height")
            else { return nil }
            (left, top, right, bottom) = (x, y, x + width, y + height)
        }

        /// What a text covers at least: in no common font letters are on average narrower than half the size.
        init(letters text: Drawing.Element) {
            let (x, y) = (text.number("x") ?? 0, text.number("y") ?? 0)
            let size = text.number("font-size") ?? 0
            let width = Double(text.text.count { $0.isLetter || $0.isNumber }) * size * 0.5
            let shares = ["middle": 0.5, "end": 1]
            left = x - width * (text.attributes["text-anchor"].flatMap { shares[$0] } ?? 0)
            (right, top, bottom) = (left + width, y - size * 0.7, y + size * 0.2)
        }

        /// A round mark.
        init?(mark circle: Drawing.Element) {
            guard let x = circle.number("cx"), let y = circle.number("cy"), let radius = circle.number("r")
            else { return nil }
            (left, top, right, bottom) = (x - radius, y - radius, x + radius, y + radius)
        }

        func meets(_ other: Area) -> Bool {
            left < other.right && other.left < right && top < other.bottom && other.top < bottom
        }

        func contains(_ other: Area) -> Bool {
            left <= other.left && other.right <= right && top <= other.top && other.bottom <= bottom
        }
    }

    private func labels(_ drawing: Drawing) -> [(text: String, area: Area)] {
        drawing.all("text", class: "n").map { ($0.text, Area(letters: $0)) }
    }

    /// The names of zones, which have a size of their own, unlike the title and the scale.
    private func zoneNames(_ drawing: Drawing) -> [(text: String, area: Area)] {
        drawing.all("text", class: "s").filter { $0.number("font-size") != nil }
            .map { ($0.text, Area(letters: $0)) }
    }

    /// The errors in the labels of a picture.
    private func problems(_ drawing: Drawing) -> [String] {
        let walls = drawing.all("rect", class: "w").compactMap { Area($0) }
        let marks = (drawing.all("circle", class: "i") + drawing.all("circle", class: "q"))
            .compactMap { Area(mark: $0) }
        let names = labels(drawing) + zoneNames(drawing)
        let near = Set(drawing.all("text", class: "b").map(\.text))
        var problems: [String] = []
        for (index, (text, area)) in names.enumerated() {
            let (width, height) = drawing.size
            if area.left < 0 || area.top < 0 || area.right > width || area.bottom > height {
                problems.append("\(text) is past the edge")
            }
            for wall in walls where area.meets(wall) && !wall.contains(area) {
                problems.append("\(text) crosses the wall \(wall)")
            }
            // That of the nearby thing may lie on marks.
            for mark in marks where area.meets(mark) && !near.contains(text) {
                problems.append("\(text) is under a mark")
            }
            for (other, place) in names[..<index] where area.meets(place) {
                problems.append("\(text) lies upon \(other)")
            }
        }
        if drawing.all("text", class: "x").count != labels(drawing).count {
            problems.append("a label has no outline, or an outline no label")
        }
        return problems
    }

    @Test func `no label crosses a wall or the edge`() throws {
        var chance = SplitMix64(seed: 24)
        let words = [
            "Lamp", "Ceiling light", "W", "Refrigerator with freezer", "Tür", "居間の照明", "iPad",
            "Extra long name of a thing",
        ]
        var labels = 0
        for round in 0..<60 {
            var house = House()
            house.state.zones.removeAll()
            let (columns, rows) = (1 + chance.number(below: 6), 1 + chance.number(below: 6))
            for number in 0..<columns * rows {
                let corner = Point3D(x: Double(number % columns) * 4, y: Double(number / columns) * 3)
                house.add(
                    zone: FlareID(high: 5, low: UInt32(number)),
                    words[chance.number(below: words.count)],
                    Box(origin: corner, width: 4, height: 3)
                )
            }
            for _ in 0..<chance.number(below: 80) {
                let (x, y) = (chance.number(below: columns * 400), chance.number(below: rows * 300))
                let position = Point3D(x: Double(x) / 100, y: Double(y) / 100)
                let id = house.add(words[chance.number(below: words.count)], at: position, ["on": true])
                if chance.number(below: 20) == 0 { house.state.nearbyID = id }
            }
            let drawing = try house.drawing
            labels += drawing.all("text", class: "n").count
            #expect(problems(drawing) == [], "round \(round)")
        }
        #expect(labels > 500)
    }

    @Test func `a label is in the zone of its thing`() throws {
        for x in [0.1, 4.9, 5.1, 9.9] {
            for y in [0.1, 2, 3.9] {
                var house = House()
                house.add("Lamp", at: Point3D(x: x, y: y), ["on": true])
                let drawing = try house.drawing
                let label = try #require(labels(drawing).first).area
                let rooms = drawing.all("rect", class: "w").compactMap { Area($0) }
                #expect(rooms[x < 5 ? 0 : 1].contains(label), "\(x), \(y)")
            }
        }
    }

    @Test func `a name has an outline of its own width and no box`() throws {
        var house = House()
        house.add("Illil", at: Point3D(x: 1, y: 1), ["on": true])
        let drawing = try house.drawing
        #expect(drawing.all("rect", class: "x").isEmpty)
        #expect(drawing.all("text", class: "x").map(\.text) == ["Illil"])
    }

    @Test func `a name with spaces is broken before it is cut`() throws {
        var house = House()
        house.state.zones.removeAll()
        for number in 0..<5 {
            let origin = Point3D(x: Double(number) * 2, y: 0)
            house.add(
                zone: FlareID(high: 5, low: UInt32(number)),
                "",
                Box(origin: origin, width: 2, height: 3)
            )
        }
        house.add("Meeting room 1", at: Point3D(x: 1, y: 1))
        #expect(try house.drawing.all("text", class: "n").map(\.text) == ["Meeting", "room 1"])
    }

    @Test func `a name that is much too long is left out, but that of the nearby thing is cut`() throws {
        var house = House()
        house.state.zones.removeAll()
        for number in 0..<8 {
            let origin = Point3D(x: Double(number) * 2, y: 0)
            house.add(
                zone: FlareID(high: 5, low: UInt32(number)),
                "",
                Box(origin: origin, width: 2, height: 3)
            )
        }
        let fridge = house.add("Refrigerator with freezer", at: Point3D(x: 1, y: 1))
        #expect(try house.drawing.all("text", class: "n").isEmpty)
        house.state.nearbyID = fridge
        let label = try #require(try house.drawing.all("text", class: "n").first)
        #expect(label.text.hasPrefix("Ref") && label.text.hasSuffix("…"))
    }

    @Test func `the nearby thing has its name, however crowded it is there`() throws {
        var house = House()
        for x in stride(from: 0.2, through: 4.8, by: 0.3) {
            for y in stride(from: 0.2, through: 3.8, by: 0.3) {
                house.add("", at: Point3D(x: x, y: y), ["on": true])
            }
        }
        house.state.nearbyID = house.add("Lamp", at: Point3D(x: 2.5, y: 2), ["on": true])
        #expect(try house.drawing.all("text", class: "b").map(\.text) == ["Lamp"])
    }
}
