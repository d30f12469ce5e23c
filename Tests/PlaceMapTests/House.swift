import Controller
import Flare
import Foundation
import FoundationXML
import JSON
import PlaceMap
import Things

/// A house of two rooms of 5 m by 4 m, side by side, with the things of a test.
struct House {
    var state: ControllerState

    static let left = FlareID(high: 2, low: 1)
    static let right = FlareID(high: 2, low: 2)
    static let here = Instant(wallMilliseconds: 0, steadyMilliseconds: 0)

    init(catalog: ThingCatalog = .none) {
        state = ControllerState(epoch: "0000000000000001", catalog: catalog)
        var house = FlareEnvironment(id: FlareID(high: 1, low: 0))
        house.name = "House"
        state.environments[house.id] = house
        state.environmentID = house.id
        add(zone: Self.left, "Left", Box(origin: Point3D(x: 0, y: 0), width: 5, height: 4))
        add(zone: Self.right, "Right", Box(origin: Point3D(x: 5, y: 0), width: 5, height: 4))
    }

    mutating func change(_ change: (inout FlareEnvironment) -> Void) {
        guard var house = state.environment else { return }
        change(&house)
        state.environments[house.id] = house
    }

    mutating func add(zone id: FlareID, _ name: String, _ box: Box?) {
        var zone = FlareZone(id: id)
        zone.name = name
        zone.perimeter = box
        state.zones[id] = zone
    }

    @discardableResult
    mutating func add(
        _ name: String,
        at position: Point3D?,
        in zone: FlareID? = House.left,
        _ data: JSONObject = [:]
    ) -> FlareID {
        var thing = FlareThing(id: FlareID(high: 3, low: UInt32(state.things.count)))
        thing.name = name
        thing.position = position
        thing.zone = zone
        thing.data = data
        state.things[thing.id] = thing
        return thing.id
    }

    mutating func stand(at position: Point3D, within metres: Double? = nil, heading: Double? = nil) {
        var device = FlareDevice(id: FlareID(high: 4, low: 0))
        device.position = position
        device.data["angle"] = heading.map { .number($0) }
        state.device = device
        state.fix = PositionFix(accuracyMetres: metres, quality: .good, source: "beacons", at: Self.here)
    }

    /// The complete first snapshot.
    var snapshot: StateSnapshot {
        let zones = state.zones.keys.map { StateChange.object(ObjectReference(.zone, $0)) }
        let things = state.things.keys.map { StateChange.object(ObjectReference(.thing, $0)) }
        let view: [StateChange] = [.environment, .zone, .nearby, .device, .position, .angle]
        return StateSnapshot(state: state, changes: Set(zones + things + view))
    }

    /// The snapshot of a changed thing.
    func snapshot(of thing: FlareID) -> StateSnapshot {
        StateSnapshot(state: state, changes: [.object(ObjectReference(.thing, thing))])
    }

    var bytes: [UInt8] { bytes(.auto) }

    func bytes(_ style: PictureStyle) -> [UInt8] {
        var picture = PlacePicture(style: style)
        _ = picture.apply(snapshot)
        return picture.svg
    }

    var drawing: Drawing { get throws { try Drawing(bytes) } }
}

/// A picture, parsed as XML: its elements with their attributes and texts.
final class Drawing: NSObject, XMLParserDelegate {
    struct Element {
        let name: String
        let attributes: [String: String]
        var text = ""

        func number(_ name: String) -> Double? { attributes[name].flatMap { Double($0) } }
        var classes: [Substring] { attributes["class"]?.split(separator: " ") ?? [] }
    }

    struct Malformed: Error {
        let line: Int
    }

    private(set) var elements: [Element] = []

    init(_ svg: [UInt8]) throws {
        super.init()
        let parser = XMLParser(data: Data(svg))
        parser.delegate = self
        guard parser.parse() else { throw Malformed(line: parser.lineNumber) }
    }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        elements.append(Element(name: name, attributes: attributes))
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if let last = elements.indices.last { elements[last].text += text }
    }

    func all(_ name: String, class word: String? = nil) -> [Element] {
        elements.filter { element in
            element.name == name && (word.map { element.classes.contains(Substring($0)) } ?? true)
        }
    }

    /// Its texts.
    var texts: [String] { all("text").map(\.text) }

    var size: (width: Double, height: Double) {
        (elements.first?.number("width") ?? 0, elements.first?.number("height") ?? 0)
    }

    /// The rotation of an element, degrees.
    func turn(class word: String) -> Int? {
        all("path", class: word).first?.attributes["transform"]?.firstMatch(of: /rotate\((-?\d+)\)/)
            .flatMap { Int($0.1) }
    }
}
