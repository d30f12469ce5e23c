import Controller
import Flare
import JSON
import PlaceMap
import Testing

struct PlacePictureTests {
    // MARK: The plan

    @Test func `zones, things and the environment are labelled`() throws {
        var house = House()
        house.add("Lamp", at: Point3D(x: 1, y: 1), ["on": true])
        #expect(try Set(house.drawing.texts) == ["House", "Left", "Right", "Lamp", "N", "2 m"])
    }

    @Test func `x points right and y up`() throws {
        var house = House()
        house.add("A", at: Point3D(x: 1, y: 1), ["on": true])
        house.add("B", at: Point3D(x: 9, y: 3), ["on": true])
        let marks = try house.drawing.all("circle", class: "i")
        let (a, b) = (try #require(marks.first), try #require(marks.last))
        #expect(a.number("cx") ?? 0 < b.number("cx") ?? 0)
        #expect(a.number("cy") ?? 0 > b.number("cy") ?? 0)
    }

    @Test(arguments: [JSONValue.bool(true), 1, "1"])
    func `y points down on a flipped plan`(flag: JSONValue) throws {
        var house = House()
        house.change { $0.data["flipped"] = flag }
        house.add("A", at: Point3D(x: 1, y: 1), ["on": true])
        house.add("B", at: Point3D(x: 9, y: 3), ["on": true])
        let marks = try house.drawing.all("circle", class: "i")
        #expect(marks.first?.number("cy") ?? 0 < marks.last?.number("cy") ?? 0)
    }

    @Test func `the scale is the same in both directions and is shown`() throws {
        let drawing = try House().drawing
        let rooms = drawing.all("rect", class: "w")
        #expect(rooms.map { $0.number("width") } == [224, 224])
        #expect(rooms.map { $0.number("height") } == [179, 179])
        #expect(drawing.all("path", class: "k").first?.attributes["d"]?.contains("h90v-5") == true)
        #expect(drawing.texts.contains("2 m"))
    }

    @Test func `the current zone is highlighted`() throws {
        var house = House()
        house.state.zoneID = House.right
        let marked = try house.drawing.all("rect", class: "h")
        #expect(marked.count == 1)
        #expect(marked.first?.number("x") == 240)
    }

    @Test func `only the current floor is shown`() throws {
        var house = House()
        let attic = FlareID(high: 2, low: 3)
        house.add(zone: attic, "Attic", Box(origin: Point3D(x: 0, y: 0, z: 2.8), width: 10, height: 4))
        house.add("Table", at: Point3D(x: 1, y: 1))
        house.add("Bed", at: Point3D(x: 1, y: 1, z: 3), in: attic)
        #expect(try house.drawing.texts.contains("Table"))
        #expect(try !house.drawing.texts.contains("Attic"))
        house.stand(at: Point3D(x: 1, y: 1, z: 3.5))
        #expect(try house.drawing.texts.contains("Bed"), "by the height of the device")
        house.state.zoneID = House.left
        #expect(try !house.drawing.texts.contains("Bed"), "by the zone where it is")
        house.state.zoneID = attic
        #expect(try Set(house.drawing.texts) == ["House", "Attic", "Bed", "N", "2 m"])
    }

    // MARK: Things

    private func glow(_ data: JSONObject) throws -> Double? {
        var house = House()
        house.add("Lamp", at: Point3D(x: 1, y: 1), data)
        return try house.drawing.all("circle").first { $0.attributes["fill"]?.hasPrefix("url(#g") == true }?
            .number("r")
    }

    @Test func `a lamp that is on glows in its colour and brightness`() throws {
        var house = House()
        house.add("Lamp", at: Point3D(x: 1, y: 1), ["on": true, "color": "#12ab34", "brightness": 1])
        let drawing = try house.drawing
        #expect(drawing.all("stop").contains { $0.attributes["stop-color"] == "#12ab34" })
        #expect(drawing.all("circle", class: "i").first?.attributes["fill"] == "#12ab34")
        let (bright, dim) = (try glow(["brightness": 1]), try glow(["brightness": 0.1]))
        #expect(try #require(bright) > (try #require(dim)))
        #expect(try glow(["on": false, "brightness": 1]) == nil)
        #expect(try glow(["brightness": 0]) == nil)
        #expect(try glow(["temperature": 6]) == nil, "no lamp")
    }

    @Test func `a lamp that is off is a ring in its colour`() throws {
        var house = House()
        house.add("Lamp", at: Point3D(x: 1, y: 1), ["on": false, "color": "red"])
        #expect(try house.drawing.all("circle", class: "r").first?.attributes["stroke"] == "#ff0000")
    }

    @Test func `a thing that is not a lamp has a symbol and its value`() throws {
        var house = House()
        house.add("Fridge", at: Point3D(x: 1, y: 1), ["temperature": 6])
        let drawing = try house.drawing
        #expect(drawing.all("circle", class: "q").count == 1)
        #expect(drawing.all("path", class: "y").count == 1)
        #expect(drawing.texts.contains("6 °C"))
    }

    @Test func `a thing without a position is not drawn`() throws {
        var house = House()
        house.add("Ghost", at: nil, ["on": true])
        #expect(try !house.drawing.texts.contains("Ghost"))
    }

    @Test func `the nearby thing is highlighted and connected to the device`() throws {
        var house = House()
        let lamp = house.add("Lamp", at: Point3D(x: 1, y: 1), ["on": true])
        house.stand(at: Point3D(x: 2, y: 2))
        #expect(try house.drawing.all("circle", class: "l").isEmpty)
        house.state.nearbyID = lamp
        let drawing = try house.drawing
        #expect(drawing.all("circle", class: "l").count == 1)
        #expect(drawing.all("path", class: "d").count == 1)
        #expect(drawing.all("text", class: "b").contains { $0.text == "Lamp" })
    }

    @Test func `no name of a zone is under the device or a mark`() throws {
        var house = House()
        for x in stride(from: 0.25, through: 4.75, by: 0.5) {
            for y in stride(from: 0.25, through: 3.75, by: 0.5) {
                house.add("", at: Point3D(x: x, y: y), ["on": true])
            }
        }
        // There is no room for it, so it is not there.
        #expect(try !house.drawing.texts.contains("Left"))
        #expect(try house.drawing.texts.contains("Right"))
    }

    @Test func `labels do not overlap`() throws {
        var house = House()
        for _ in 0..<30 { house.add("Lamp", at: Point3D(x: 1, y: 1), ["on": true]) }
        #expect(try house.drawing.all("text", class: "n").count <= 6)
    }

    // MARK: The device

    @Test func `the device is drawn with its accuracy circle`() throws {
        var house = House()
        house.stand(at: Point3D(x: 5, y: 2), within: 2)
        let drawing = try house.drawing
        #expect(drawing.all("circle", class: "p").count == 1)
        #expect(drawing.all("circle", class: "a").first?.number("cx") == 240)
        #expect(drawing.all("circle", class: "a").first?.number("r") == 90)
    }

    @Test func `without a reading the device is not drawn`() throws {
        var house = House()
        house.stand(at: Point3D(x: 5, y: 2), within: 2)
        house.state.fix = nil
        #expect(try house.drawing.all("circle", class: "p").isEmpty)
    }

    @Test func `a position that is lost is grey`() throws {
        var house = House()
        house.stand(at: Point3D(x: 5, y: 2), within: 2)
        #expect(try house.drawing.all("g", class: "o").isEmpty)
        house.state.fix?.quality = .lost
        #expect(try house.drawing.all("g", class: "o").count == 2)
    }

    @Test(arguments: [(0.0, 90.0, 90, 0), (30, 90, 60, -30), (350, 10, -340, -350), (-90, 0, 90, 90)])
    func `heading and north are rotated by the plan's angle`(
        plan: Double,
        heading: Double,
        turn: Int,
        north: Int
    ) throws {
        var house = House()
        house.change { $0.angle = plan }
        house.stand(at: Point3D(x: 5, y: 2), heading: heading)
        let drawing = try house.drawing
        #expect(drawing.turn(class: "f") == turn)
        #expect(drawing.turn(class: "c") == north)
    }

    // MARK: Changes

    @Test func `changes and removals are applied`() throws {
        var house = House()
        let lamp = house.add("Lamp", at: Point3D(x: 1, y: 1), ["on": true])
        let fridge = house.add("Fridge", at: Point3D(x: 4, y: 1))
        var picture = PlacePicture()
        var isChanged = picture.apply(house.snapshot)
        #expect(isChanged)
        house.state.things[lamp]?.name = "Candle"
        house.state.things[fridge] = nil
        isChanged = picture.apply(house.snapshot(of: lamp))
        #expect(isChanged)
        #expect(try Set(Drawing(picture.svg).texts).isSuperset(of: ["Candle", "Fridge"]))
        isChanged = picture.apply(house.snapshot(of: fridge))
        #expect(isChanged)
        #expect(try !Drawing(picture.svg).texts.contains("Fridge"))
        #expect(picture.svg == house.bytes)
    }

    @Test func `changes of what is not shown are ignored`() {
        let house = House()
        var picture = PlacePicture()
        let changes: Set<StateChange> = [
            .link, .location, .alert("beacons"), .sensor(.gps),
            .object(ObjectReference(.environment, FlareID(high: 9, low: 9))),
        ]
        let isChanged = picture.apply(StateSnapshot(state: house.state, changes: changes))
        #expect(!isChanged)
    }
}
