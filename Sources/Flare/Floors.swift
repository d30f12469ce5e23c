/// The floors of a place.
///
/// They are not objects of the model but follow from the perimeters of the zones. A zone that begins 2 m or
/// more above the floor below is on another floor, so rooms on steps or two storeys high are on the floor on
/// which they begin.
package struct Floors: Sendable, Hashable {
    /// Least distance between two floors, metres.
    private static let storey = 2.0

    /// Heights of the floors, metres, lowest first; empty when unknown.
    package let heights: [Double]

    /// - Parameter bases: Where the zones begin, metres; values that are not finite are ignored.
    package init(zonesFrom bases: some Sequence<Double>) {
        heights = bases.filter(\.isFinite).sorted().reduce(into: []) { floors, base in
            if let last = floors.last, base - last < Self.storey { return }
            floors.append(base)
        }
    }

    /// The floors of an environment; one when no zone has a perimeter but the environment has.
    package init(of zones: [FlareZone], in environment: FlareEnvironment) {
        self = Floors(zonesFrom: zones.lazy.compactMap(\.perimeter?.origin.z)).orGround(of: environment)
    }

    /// These floors; the one of the environment when no zone has a perimeter but the environment has.
    package func orGround(of environment: FlareEnvironment) -> Floors {
        guard heights.isEmpty, let ground = environment.perimeter?.origin.z else { return self }
        return Floors(zonesFrom: [ground])
    }

    /// The index of the floor for an object that begins at a height: the lowest for anything below all
    /// floors, and when there are none.
    package func floor(at height: Double) -> Int {
        max(0, (heights.firstIndex { $0 > height } ?? heights.count) - 1)
    }
}
