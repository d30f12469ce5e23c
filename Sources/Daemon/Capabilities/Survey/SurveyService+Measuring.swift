package import Flare
package import JSON
import Positioning
import Sensing
import Text
package import Things

/// Taking a point: a person stands still at a known place, and what is heard meanwhile is stored.
extension SurveyService {
    /// What somebody wants to measure.
    package struct Wish: Sendable {
        package var name: String
        package var position: Point3D
        /// Index into the place's floors; `nil` follows from the height, or from there being only one.
        package var floor: Int?
        /// Whether a height was given.
        package var hasHeight: Bool
        package var seconds = SurveyService.usualSeconds
        /// Whether the point is stored although it does not fit the others, or the plan.
        package var isAccepted = false

        package init(name: String, position: Point3D, floor: Int? = nil, hasHeight: Bool = false) {
            (self.name, self.position, self.floor, self.hasHeight) = (name, position, floor, hasHeight)
        }
    }

    package static let usualSeconds = 20
    /// From what counts at all up to what a request may last.
    package static let allowedSeconds = Int(SurveyPoint.leastSeconds)...45
    static let longestName = 64

    /// Measures a point, which takes the time that is asked for.
    ///
    /// - Returns: What was heard, and whether the point is stored.
    package func take(_ wish: Wish) async throws(Refusal) -> JSONObject {
        guard settings.isGrid else {
            throw Refusal(.invalidValue, "a survey needs positioning.estimator grid (is centroid)")
        }
        guard settings.hasDevice else {
            let advice = "take points with the daemon of a device, and import them here"
            throw Refusal(
                .invalidValue,
                "this daemon has no device of its own (device.present is false), so it hears no point: \(advice)"
            )
        }
        guard running == nil else {
            throw Refusal(.rateLimited, "another point is being measured: wait until it is finished")
        }
        guard let map else { throw Self.noPlace }
        let floor = try check(wish, map)
        running = Running(name: wish.name, seconds: wish.seconds)
        channel.beginMeasurement()
        defer {
            channel.endMeasurement()
            running = nil
        }
        for second in 1...max(1, wish.seconds) {
            let isPaused = (try? await ports.pause(.seconds(1))) != nil
            guard isPaused, running?.isEnded != true else {
                throw Refusal(.superseded, "the measurement was ended")
            }
            guard channel.map == map else {
                throw Refusal(.staleTarget, "the place was changed meanwhile: measure again")
            }
            running?.elapsed = second
        }
        return try await finish(wish, floor, map)
    }

    /// Ends the measurement that is running, without storing anything.
    package func endMeasurement() { running?.isEnded = true }

    /// What is known of the measurement that is running; `nil` if there is none.
    package var progress: JSONObject? {
        guard let running else { return nil }
        var members: JSONObject = [
            "name": .string(running.name), "seconds": JSONValue(running.seconds),
            "elapsed": JSONValue(running.elapsed),
        ]
        let heard = channel.measurement?.heard
        members["heard_seconds"] = JSONValue(heard?.heardSeconds ?? 0)
        members["beacons"] = JSONValue(heard?.beacons ?? 0)
        members["packets"] = JSONValue(heard?.packets ?? 0)
        return members
    }

    // MARK: Before

    /// - Returns: The floor of the point.
    private func check(_ wish: Wish, _ map: BeaconMap) throws(Refusal) -> Int {
        try Self.check(name: wish.name)
        guard Self.allowedSeconds.contains(wish.seconds) else {
            let (least, most) = (Self.allowedSeconds.lowerBound, Self.allowedSeconds.upperBound)
            throw Refusal(
                .outOfRange,
                "seconds must be \(least) to \(most) (is \(wish.seconds))",
                field: "seconds"
            )
        }
        try check(wish.position, map)
        let floor = try floor(of: wish, map)
        if let other = points.first(where: { $0.point.name == wish.name && $0.point.floor != floor }) {
            throw Refusal(
                .invalidValue,
                "\(wish.name) is a point of floor \(other.point.floor) already: use another name",
                field: "name"
            )
        }
        try checkRoom(for: wish)
        return floor
    }

    private func checkRoom(for wish: Wish) throws(Refusal) {
        let isNew = !points.contains { $0.point.name == wish.name }
        guard !isNew || points.count < Self.mostPoints else {
            throw Refusal(.tooLarge, "the survey has \(Self.mostPoints) points, and may have no more")
        }
    }

    /// Commas would end a field of the file to which points are exported.
    static func check(name: String) throws(Refusal) {
        guard !name.isEmpty, name.utf8.count <= longestName, !name.contains(","),
            !name.unicodeScalars.contains(where: HarmfulCharacters.contain),
            name.first != " ", name.last != " "
        else {
            throw Refusal(
                .invalidValue,
                "name must be 1 to \(longestName) bytes, without commas, invisible characters and spaces at "
                    + "its ends (is \(QuotedValue.of(name)))",
                field: "name"
            )
        }
    }

    /// Points must be where the device can be.
    func check(_ point: Point3D, _ map: BeaconMap) throws(Refusal) {
        guard let area = SurveyArea(map: map, settings: settings.grid) else { throw Self.noPlace }
        guard point.x.isFinite, point.y.isFinite, point.z.isFinite, abs(point.z) <= Point3D.farthest else {
            throw Refusal(.outOfRange, "x, y and z must be numbers, metres")
        }
        guard area.contains(point) else {
            let (x, y) = (Self.text(area.x), Self.text(area.y))
            throw Refusal(
                .outOfRange,
                "the point (\(Self.text(point.x)), \(Self.text(point.y))) is not in the place: x must be \(x), "
                    + "y must be \(y) (metres)",
                field: area.x.contains(point.x) ? "y" : "x"
            )
        }
    }

    private func floor(of wish: Wish, _ map: BeaconMap) throws(Refusal) -> Int {
        let floors = map.floors.heights.count
        if let floor = wish.floor {
            guard floor == 0 || 0..<floors ~= floor else {
                throw Refusal(
                    .outOfRange,
                    "floor must be 0 to \(max(0, floors - 1)) (is \(floor))",
                    field: "floor"
                )
            }
            return floor
        }
        guard floors > 1 else { return 0 }
        guard wish.hasHeight else {
            throw Refusal(.invalidValue, "this place has \(floors) floors: give z or floor", field: "z")
        }
        return map.floors.floor(at: wish.position.z)
    }

    private static func text(_ range: ClosedRange<Double>) -> String {
        "\(text(range.lowerBound)) to \(text(range.upperBound))"
    }

    private static func text(_ metres: Double) -> String { "\((metres * 100).rounded() / 100)" }

    // MARK: Afterwards

    private func finish(_ wish: Wish, _ floor: Int, _ map: BeaconMap) async throws(Refusal) -> JSONObject {
        guard let (receiver, heard) = channel.measurement else {
            return Self.answer(
                wish,
                "nothing",
                "no beacon of this place was heard: check that the sensor beacons is on, and that the device is near"
            )
        }
        var answer = Self.answer(wish, nil, "")
        answer["receiver"] = .string(receiver)
        answer["heard_seconds"] = JSONValue(heard.heardSeconds)
        answer["beacons"] = JSONValue(heard.beacons)
        answer["packets"] = JSONValue(heard.packets)
        let least = Int(SurveyPoint.leastSeconds)
        guard heard.heardSeconds >= least else {
            answer["reason"] = "too_little"
            answer["message"] = .string(
                "beacons were heard in \(heard.heardSeconds) of \(wish.seconds) seconds, and \(least) are needed: "
                    + "stand still, and measure again"
            )
            return answer
        }
        let point = SurveyPoint(
            name: wish.name,
            environment: map.environment,
            floor: floor,
            position: wish.position,
            receiver: receiver,
            seconds: Double(heard.heardSeconds),
            takenAt: ports.clock(),
            levels: heard.levels
        )
        let all = points(of: receiver).filter { $0.name != wish.name } + [point]
        let (error, findings) = await Self.judge(all, map, settings.grid)
        let own = findings.first { $0.point == wish.name }
        answer["misfit"] = own.map { .number(($0.misfit * 100).rounded() / 100) }
        let others = findings.filter { $0.isDoubtful && $0.point != wish.name }.map(\.point)
        if !others.isEmpty { answer["doubtful"] = .array(others.map { .string($0) }) }
        if !wish.isAccepted, case .elsewhere? = error {
            answer["reason"] = "elsewhere"
            answer["message"] = .string(error?.description ?? "")
            return answer
        }
        if !wish.isAccepted, own?.isDoubtful == true {
            answer["reason"] = "doubtful"
            answer["message"] = .string(
                "\(wish.name) does not fit the other points: check where you stand, and measure again"
            )
            return answer
        }
        guard self.map == map else {
            throw Refusal(.staleTarget, "the place was changed meanwhile: measure again")
        }
        // A file may have been imported while this was measured.
        try checkRoom(for: wish)
        try await add([point], in: map)
        answer["stored"] = true
        answer["message"] = .string(message(for: receiver, all.count))
        return answer
    }

    private static func answer(_ wish: Wish, _ reason: String?, _ message: String) -> JSONObject {
        var members: JSONObject = [
            "stored": false, "name": .string(wish.name), "x": .number(wish.position.x),
            "y": .number(wish.position.y), "seconds": JSONValue(wish.seconds), "message": .string(message),
        ]
        members["reason"] = reason.map { .string($0) }
        return members
    }

    /// What a receiver's survey is good for now.
    func message(for receiver: String, _ count: Int) -> String {
        if case .elsewhere(let percent)? = problems[receiver] {
            return "the survey is not used: \(SurveyError.elsewhere(percent: percent))"
        }
        guard count >= RadioMap.leastPoints else {
            return "\(count) of \(RadioMap.leastPoints) points that are needed before the survey counts"
        }
        let isUsed = problems[receiver] == nil && channel.receivers.contains(receiver)
        return "the survey has \(count) points\(isUsed ? ", and is used" : "")"
    }
}
