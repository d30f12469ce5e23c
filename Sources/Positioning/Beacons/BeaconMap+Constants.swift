import Flare

extension BeaconMap {
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
