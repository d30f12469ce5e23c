/// The floors of a place.
///
/// They are no objects of the model: the perimeters of the zones tell where they are. A zone that begins 2 m or more
/// above the floor below is on another one. So rooms on steps, and rooms of two storeys, are on the floor on which
/// they begin.
package struct Floors: Sendable, Hashable {
    /// Floors are at least so far apart, metres.
    private static let storey = 2.0

    /// Where each begins, metres, the lowest first; empty when nothing tells.
    package let heights: [Double]

    /// - Parameter bases: Where the zones begin, metres; what is not finite tells nothing.
    package init(zonesFrom bases: some Sequence<Double>) {
        heights = bases.filter(\.isFinite).sorted().reduce(into: []) { floors, base in
            if let last = floors.last, base - last < Self.storey { return }
            floors.append(base)
        }
    }

    /// The floors of an environment; one when no zone has a perimeter, and the environment has.
    package init(of zones: [FlareZone], in environment: FlareEnvironment) {
        let floors = Floors(zonesFrom: zones.lazy.compactMap(\.perimeter?.origin.z))
        self =
            floors.heights.isEmpty
            ? Floors(zonesFrom: [environment.perimeter?.origin.z].compactMap(\.self)) : floors
    }

    /// The number of the floor on which something is that begins at a height: the lowest for what is below all, and
    /// when there are none.
    package func floor(at height: Double) -> Int {
        max(0, (heights.firstIndex { $0 > height } ?? heights.count) - 1)
    }
}
