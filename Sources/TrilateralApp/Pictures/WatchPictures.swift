import Flare
import Foundation
import JSON
import Things

/// The pictures beside the live view of `watch`: the compass, and the map.
struct WatchPictures {
    private let model: WatchModel
    private let place: WatchPlace

    init(_ model: WatchModel) { (self.model, place) = (model, model.place) }

    /// The lines beside the text, all of them as wide as the layout says.
    func lines(_ layout: PictureLayout, _ depth: ColourDepth) -> [String] {
        var ring = BrailleCanvas(columns: layout.compass.columns, rows: layout.compass.rows)
        compass.draw(on: &ring)
        var plan = BrailleCanvas(columns: layout.map.columns, rows: layout.map.rows)
        map.draw(on: &plan)
        let (ringLines, planLines) = (ring.lines(depth), plan.lines(depth))
        guard layout.isSideBySide else { return ringLines + [""] + planLines }
        return zip(ringLines, planLines).map { $0 + " " + $1 }
    }

    // MARK: What is where

    private var position: Point3D? { Point3D(drawable: model.position) }
    private var heading: Double? { model.angle.flatMap { abs($0) < 1e6 ? $0 : nil } }
    /// By how many degrees the plan's y axis is turned clockwise from north.
    private var planAngle: Double {
        model["environment"]?["angle"]?.number.flatMap { abs($0) < 1e6 ? $0 : nil } ?? 0
    }
    private var isFlipped: Bool {
        var environment = FlareEnvironment(id: FlareID(high: 0, low: 0))
        environment.data = model["environment"]?["data"]?.object ?? [:]
        return environment.isFlipped
    }
    private var nearby: String? { model["nearby"]?["slug"]?.string }
    private var zone: String? { model["zone"]?["slug"]?.string }

    /// A thing's colour, lifted where it would be too dark to see.
    private func ink(_ thing: WatchPlace.Thing) -> Ink {
        guard let colour = thing.colour else { return .plain }
        let light = 0.3 * Double(colour.red) + 0.6 * Double(colour.green) + 0.1 * Double(colour.blue)
        return Ink(light < 60 ? colour.mixed(with: RGBColour(hex: 0xA0A0A0), fraction: 0.5) : colour)
    }

    // MARK: The compass

    var compass: CompassPicture {
        var picture = CompassPicture()
        picture.heading = heading
        picture.captions = [heading == nil ? "north up" : WatchText.angle(heading)]
        if let thing = model["nearby"], thing["id"]?.string != nil {
            picture.captions.append(thing["name"]?.string ?? nearby ?? "")
            if let metres = thing["distance_m"]?.number {
                picture.captions.append("\(WatchText.decimal(metres, 1)) m")
            }
        }
        guard let here = position else {
            picture.captions.append("no position")
            return picture
        }
        picture.fins = place.things.sorted { $0.key < $1.key }.compactMap { slug, thing in
            guard (thing.zone != nil && thing.zone == zone) || slug == nearby else { return nil }
            let dx = thing.position.x - here.x
            let dy = isFlipped ? here.y - thing.position.y : thing.position.y - here.y
            guard dx != 0 || dy != 0 else { return nil }
            return CompassPicture.Fin(
                bearing: atan2(dx, dy) * 180 / .pi + planAngle,
                metres: here.distance(to: thing.position),
                ink: ink(thing),
                isNearby: slug == nearby
            )
        }
        return picture
    }

    // MARK: The map

    /// The floor on which the device is.
    var map: MapPicture {
        let floors = Floors(zonesFrom: place.zones.values.lazy.map(\.box.origin.z))
        let height = zone.flatMap { place.zones[$0]?.box.origin.z } ?? position?.z ?? -.infinity
        let floor = floors.floor(at: height)
        let zones = place.zones.filter { floors.floor(at: $0.value.box.origin.z) == floor }
        var picture = MapPicture()
        picture.isFlipped = isFlipped
        picture.perimeter = Box(drawable: model["environment"]?["perimeter"])
        picture.zones = zones.sorted { $0.key < $1.key }.map {
            MapPicture.Zone(name: $0.value.name, box: $0.value.box, isCurrent: $0.key == zone)
        }
        picture.things = place.things.sorted { $0.key < $1.key }.compactMap { slug, thing in
            // Things of another floor's zones are not here.
            guard thing.zone.map({ zones[$0] != nil || place.zones[$0] == nil }) ?? true else { return nil }
            return MapPicture.Thing(
                name: thing.name,
                position: thing.position,
                ink: ink(thing),
                isOff: thing.isOff,
                isNearby: slug == nearby
            )
        }
        picture.device = position.map {
            MapPicture.Device(
                position: $0,
                accuracyMetres: model.position?["accuracy_m"]?.number,
                direction: heading.map { $0 - planAngle }
            )
        }
        return picture
    }
}
