import Flare
import Things

/// A thing in the picture.
struct PlanThing: Sendable {
    /// How a thing is drawn.
    enum Mark: Sendable, Hashable {
        /// A lamp that is on; its level is 0…1.
        case on(RGBColour, level: Double)
        /// A lamp that is off; `nil` without a colour.
        case off(RGBColour?)
        /// A thing that is not a light.
        case other(ThingReading)
    }

    let name: String
    let position: Point3D
    let zone: FlareID?
    let mark: Mark

    /// Its most telling value; nothing for a light, whose mark shows all.
    var reading: String? {
        if case .other(let reading) = mark { return reading.text.map(PictureText.clean) }
        return nil
    }

    init?(_ thing: FlareThing, _ shape: ThingShape) {
        guard let position = thing.position, position.isDrawable else { return nil }
        self.position = position
        name = PictureText.clean(thing.name)
        zone = thing.zone
        let light = shape.light(of: thing.data)
        mark =
            if !shape.isLight {
                .other(ThingReading(thing, shape, isOn: shape.hasState ? light.isOn : nil))
            } else if light.isOn {
                .on(light.rgb ?? Self.warm, level: light.level ?? 1)
            } else {
                .off(light.rgb)
            }
    }

    /// The colour of a lamp without a colour.
    private static let warm = RGBColour(red: 255, green: 200, blue: 87)
}
