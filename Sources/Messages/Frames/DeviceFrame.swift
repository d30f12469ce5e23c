package import Controller
package import Flare
package import JSON

/// Position and heading of this device at one moment: a picture of its motion, and the goal of one.
package struct DeviceFrame: Sendable, Hashable {
    /// `nil` before there is one.
    package var position: Point3D?
    /// Compass degrees; `nil` before there is a heading.
    package var angle: Double?

    package init(position: Point3D? = nil, angle: Double? = nil) {
        (self.position, self.angle) = (position, angle)
    }

    /// Where the device is by now, without animation.
    package init(_ state: ControllerState) {
        self.init(position: state.device?.position, angle: state.angle)
    }

    /// To the millimetre and to a tenth of a degree, 0 ≤ angle < 360.
    package var rounded: DeviceFrame {
        DeviceFrame(
            position: position?.toMillimetres,
            angle: angle.map { angle in
                let degrees = Self.normalized(angle).rounded(to: 10)
                return degrees >= 360 ? 0 : degrees
            }
        )
    }

    /// `B/frame`: `{"position":{x,y,z}?,"angle"?}`, rounded.
    package var json: JSONValue {
        let shown = rounded
        var members: JSONObject = [:]
        members["position"] = shown.position?.json
        members["angle"] = shown.angle.map { .number($0) }
        return .object(members)
    }

    /// The same direction in 0..<360 degrees.
    static func normalized(_ degrees: Double) -> Double {
        let turned = degrees.truncatingRemainder(dividingBy: 360)
        let positive = turned < 0 ? turned + 360 : turned
        // A tiny negative number plus 360 is 360.
        return positive >= 360 ? 0 : positive
    }
}
