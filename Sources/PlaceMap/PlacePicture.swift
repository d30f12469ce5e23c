package import Controller
import Flare

/// The current environment as a picture: zones, things in their colours, the device, and what is near.
///
/// Keeps its own small copy of what it shows, so that drawing needs no state and taking over a change costs no more
/// than the change.
package struct PlacePicture: Sendable {
    /// The most bytes that a picture may have; what is too much loses labels first.
    package static let sizeLimit = 262_144

    var environment: FlareEnvironment?
    var zones: [FlareID: PlanZone] = [:]
    var things: [FlareID: PlanThing] = [:]
    var zoneID: FlareID?
    var nearbyID: FlareID?
    var device: PlanDevice?

    let style: PictureStyle

    package init(style: PictureStyle = .auto) { self.style = style }

    /// Takes over what changed.
    ///
    /// - Returns: Whether the picture may be another now.
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
                things[object.id] = state.things[object.id].flatMap(PlanThing.init)
            case .object, .location, .sensor, .alert, .link, .beacon: continue
            }
            isChanged = true
        }
        return isChanged
    }
}

/// A zone as the picture shows it; its numbers are finite, its size is not nothing.
struct PlanZone: Sendable {
    let name: String
    let box: Box

    init?(_ zone: FlareZone) {
        guard let box = zone.perimeter, box.isDrawable else { return nil }
        name = PictureText.clean(zone.name)
        self.box = box
    }
}

/// This device as the picture shows it.
struct PlanDevice: Sendable {
    let position: Point3D
    let accuracyMetres: Double?
    let isLost: Bool
    /// Compass degrees.
    let heading: Double?

    /// - Returns: `nil` before there was a reading: what an earlier run left with the server is none.
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
    /// Farther out than this nothing is drawn, metres.
    static let drawableLimit = 100_000.0

    var isDrawable: Bool { isFinite && max(abs(x), abs(y)) <= Self.drawableLimit }
}

extension Box {
    /// Whether it is an area of a size that a plan can have.
    var isDrawable: Bool {
        origin.isDrawable && width > 0 && height > 0 && width <= Point3D.drawableLimit
            && height <= Point3D.drawableLimit
    }
}
