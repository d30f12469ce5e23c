import Flare
import JSON

extension BeaconMap {
    /// Reads the grid estimator's constants from `positioning` in an environment's data.
    mutating func readConstants(of environment: FlareEnvironment) {
        guard let value = environment.data["positioning"], !value.isNull else { return }
        let label = "environment \(environment.name) (\(environment.id)): positioning"
        guard let members = value.object else {
            problems.append("\(label) must be an object (is \(value))")
            return
        }
        for name in members.keys.sorted() {
            guard let constant = GridEstimator.Constant(rawValue: name) else {
                problems.append("\(label): unknown name \(name); legal are \(Self.constantNames)")
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

    private static let constantNames = GridEstimator.Constant.allCases.map(\.rawValue).joined(separator: ", ")
}
