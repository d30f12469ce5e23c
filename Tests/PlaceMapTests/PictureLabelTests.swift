import Controller
import Flare
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

        func meets(_ other: Area) -> Bool {
            left < other.right && other.left < right && top < other.bottom && other.top < bottom
        }

        func contains(_ other: Area) -> Bool {
            left <= other.left && other.right <= right && top <= other.top && other.bottom <= bottom
        }
    }

    /// The errors in the labels of a picture.
    private func problems(_ drawing: Drawing) -> [String] {
        let plates = drawing.all("rect", class: "x").compactMap(Area.init)
        let walls = drawing.all("rect", class: "w").compactMap(Area.init)
        var problems: [String] = []
        for (index, plate) in plates.enumerated() {
            let (width, height) = drawing.size
            if plate.left < 0 || plate.top < 0 || plate.right > width || plate.bottom > height {
                problems.append("\(plate) is past the edge")
            }
            for wall in walls where plate.meets(wall) && !wall.contains(plate) {
                problems.append("\(plate) crosses the wall \(wall)")
            }
            for other in plates[..<index] where plate.meets(other) {
                problems.append("\(plate) lies upon \(other)")
            }
        }
        let labels = drawing.all("text", class: "n")
        if labels.count != plates.count { problems.append("\(labels.count) labels, \(plates.count) plates") }
        // In no common font letters are on average narrower than half the font size.
        for (label, plate) in zip(labels, plates) {
            let (x, size) = (label.number("x") ?? 0, label.number("font-size") ?? 0)
            let width = Double(label.text.count { $0.isLetter || $0.isNumber }) * size * 0.5
            let shares = ["middle": 0.5, "end": 1]
            let left = x - width * (label.attributes["text-anchor"].flatMap { shares[$0] } ?? 0)
            if left < plate.left || left + width > plate.right {
                problems.append("\(label.text) leaves its plate")
            }
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
                let plate = try #require(drawing.all("rect", class: "x").compactMap(Area.init).first)
                let rooms = drawing.all("rect", class: "w").compactMap(Area.init)
                #expect(rooms[x < 5 ? 0 : 1].contains(plate), "\(x), \(y)")
            }
        }
    }

    @Test func `a label that is too long is cut`() throws {
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
        house.add("Refrigerator with freezer", at: Point3D(x: 1, y: 1))
        let label = try #require(try house.drawing.all("text", class: "n").first)
        #expect(label.text.hasPrefix("Ref") && label.text.hasSuffix("…"))
    }
}
