import Flare

// Floors are no objects of the model: the perimeters of the zones tell where they are.

extension BeaconMap {
    /// Floors are at least so far apart, metres.
    private static let storey = 2.0

    /// The heights at which floors begin: where a zone begins 2 m or more above the floor below, there is another.
    ///
    /// So rooms on steps, and rooms of two storeys, are on the floor on which they begin. Without zones that have
    /// perimeters the environment is one floor.
    static func floors(of zones: [FlareZone], in environment: FlareEnvironment) -> [Double] {
        var floors: [Double] = []
        for base in zones.compactMap(\.perimeter?.origin.z).filter(\.isFinite).sorted() {
            if let last = floors.last, base - last < storey { continue }
            floors.append(base)
        }
        return floors.isEmpty
            ? [environment.perimeter?.origin.z].compactMap(\.self).filter(\.isFinite) : floors
    }

    /// The floor of what begins at a height.
    func floor(at height: Double) -> Int {
        max(0, (floors.firstIndex { $0 > height } ?? floors.count) - 1)
    }

    /// Reads `positioning` in an environment's data: constants of the grid estimator, by name.
    mutating func readConstants(of environment: FlareEnvironment) {
        guard let value = environment.data["positioning"], !value.isNull else { return }
        let label = "environment \(environment.name) (\(environment.id)): positioning"
        guard let members = value.object else {
            problems.append("\(label) must be an object (is \(value))")
            return
        }
        for name in members.keys.sorted() {
            guard let constant = GridEstimator.Constant(rawValue: name) else {
                problems.append("\(label): there is no \(name)")
                continue
            }
            let range = constant.range
            if let number = value.flareNumber(name), range.contains(number) {
                constants[constant] = number
            } else {
                let legal = "from \(range.lowerBound) to \(range.upperBound)"
                problems.append("\(label): \(name) must be a number \(legal) (is \(members[name] ?? .null))")
            }
        }
    }
}
