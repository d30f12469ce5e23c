package import Controller
import Flare

/// A picture of the current environment: zones, things in their colours, the device, and the nearby thing.
///
/// It keeps a small copy of what it shows, so that drawing does not need the controller's state and an update
/// costs no more than the change.
package struct PlacePicture: Sendable {
    /// Most bytes of a picture; when it exceeds them, labels are omitted first.
    package static let sizeLimit = 262_144

    var environment: FlareEnvironment?
    var zones: [FlareID: PlanZone] = [:]
    var things: [FlareID: PlanThing] = [:]
    var zoneID: FlareID?
    var nearbyID: FlareID?
    var device: PlanDevice?

    let style: PictureStyle

    package init(style: PictureStyle = .auto) { self.style = style }

    /// Applies a change.
    ///
    /// - Returns: Whether the picture may have changed.
    package mutating func apply(_ snapshot: StateSnapshot) -> Bool {
        let state = snapshot.state
        var isChanged = false
        for facet in snapshot.changes {
            switch facet {
            case .environment: environment = state.environment
            case .zone: zoneID = state.zoneID
            case .nearby: nearbyID = state.nearbyID
            case .device, .position, .angle: device = PlanDevice(state)
            case .object(let object) where object.kind == .zone:
                zones[object.id] = state.zones[object.id].flatMap(PlanZone.init)
            case .object(let object) where object.kind == .thing:
                things[object.id] = state.things[object.id].flatMap {
                    PlanThing($0, state.shape(of: $0))
                }
            case .object, .devices, .occupancy, .location, .sensor, .alert, .link, .beacon, .slice:
                continue
            }
            isChanged = true
        }
        return isChanged
    }
}

/// A zone in the picture; its numbers are finite and its size is positive.
struct PlanZone: Sendable {
    let name: String
    let box: Box

    init?(_ zone: FlareZone) {
        guard let box = zone.perimeter, box.isDrawable else { return nil }
        name = PictureText.clean(zone.name)
        self.box = box
    }
}

/// This device in the picture.
struct PlanDevice: Sendable {
    let position: Point3D
    let accuracyMetres: Double?
    let isLost: Bool
    /// Compass degrees.
    let heading: Double?

    /// - Returns: `nil` before the first reading; a position that an earlier run left on the server does not
    ///   count.
    init?(_ state: ControllerState) {
        guard let fix = state.fix, let position = state.device?.position, position.isDrawable else {
            return nil
        }
        self.position = position
        accuracyMetres = fix.accuracyMetres.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
        isLost = fix.quality == .lost
        heading = state.angle.flatMap { $0.isFinite ? $0 : nil }
    }
}

extension Point3D {
    var isDrawable: Bool { isFinite && max(abs(x), abs(y)) <= Self.farthest }
}

extension Box {
    /// The longest side in the picture, metres.
    private static let longestSide = 100_000.0

    /// Whether it is an area of plausible size.
    var isDrawable: Bool {
        origin.isDrawable && width > 0 && height > 0 && max(width, height) <= Self.longestSide
    }
}
