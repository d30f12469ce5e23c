import Controller
import Flare
import JSON
import Text
import Things

extension JSONMembers where Self: ~Copyable {
    /// Adds `r`, `g` and `b`.
    mutating func add(_ colour: RGBColour) {
        add("b", Int(colour.blue))
        add("g", Int(colour.green))
        add("r", Int(colour.red))
    }

    /// Adds metres as `{"x","y","z"}`.
    mutating func add(_ name: StaticString, _ point: Point3D) {
        add(name) {
            $0.add("x", point.x)
            $0.add("y", point.y)
            $0.add("z", point.z)
        }
    }

    /// Adds a time in RFC 3339, UTC, with milliseconds.
    mutating func add(_ name: StaticString, _ moment: Instant) {
        let time = CivilTime(milliseconds: moment.wallMilliseconds)
        add(name, ascii: CivilTime.length) { time.write(to: $0) }
    }
}
