package import Flare
import JSON
import Things

extension ControllerState {
    /// How nearness measures distances in the current environment.
    var nearnessMetric: NearnessMetric {
        guard isNearInPlane, let environment else { return .space }
        return .plane(floors.orGround(of: environment))
    }

    /// Whether a thing may be the nearby one: not a thing that does nothing but mark where a receiver is.
    ///
    /// A thing without any data, such as an exhibit, may be.
    func canBeNearby(_ thing: FlareThing) -> Bool {
        guard let receiver = thing.data["receiver"], !receiver.isNull else { return true }
        let shape = shape(of: thing)
        return shape.isLight || !shape.settable.isEmpty || !shape.actions.isEmpty
    }

    /// Metres from a point to a thing; `nil` without a position, and on another floor.
    func metres(from point: Point3D, to thing: FlareThing, _ metric: NearnessMetric) -> Double? {
        guard let place = thing.position else { return nil }
        let base = thing.zone.flatMap { zones[$0]?.perimeter?.origin.z }
        return metric.metres(from: point, to: place, base: base)
    }

    /// Metres from this device to a thing, as nearness measures them; the straight line to another floor.
    package func metres(to thing: FlareThing) -> Double? {
        guard let here = device?.position, let there = thing.position else { return nil }
        return metres(from: here, to: thing, nearnessMetric) ?? here.distance(to: there)
    }
}
