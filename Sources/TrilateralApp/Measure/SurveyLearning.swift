import Flare
import JSON
import People
import Positioning

/// `trilateral survey --learn`: leads a person from spot to spot, where the daemon stores what it hears.
struct SurveyLearning {
    let spots: [PositionSurvey.Spot]
    /// At each spot.
    let seconds: Int
    let daemon: SurveyDaemon

    /// What comes from the daemon.
    private enum Item: Sendable {
        case measured(JSONValue)
        /// It cannot be done at all.
        case failed(VerbError)
    }

    func run() async throws {
        // So that nobody walks for nothing.
        let before = try await daemon.ask(.get)
        guard before["environment"]?.isNull == false else {
            throw VerbError("the daemon has no place with beacons yet", .noInput)
        }
        let (requests, port) = AsyncStream.makeStream(of: JSONObject.self)
        let daemon = daemon
        let stored = try await GuidedSurvey<Item>.run { take in
            for await request in requests {
                do throws(VerbError) {
                    take(.measured(try await daemon.ask(.post, ["points"], body: request)))
                } catch {
                    take(.failed(error))
                }
            }
            return nil
        } _: { stops in
            defer { port.finish() }
            return try await walk(&stops) { port.yield($0) }
        }
        guard stored > 0 else { throw VerbError("nothing was stored", .dataError) }
        let after = try await daemon.ask(.get)
        try StandardOutput.print(SurveyText.summary(after))
    }

    /// - Returns: How many points were stored.
    private func walk(
        _ stops: inout GuidedSurvey<Item>,
        measure: @escaping @Sendable (JSONObject) -> Void
    ) async throws -> Int {
        var stored: Set<String> = []
        // Who is sent back to a spot and finds the same again is right.
        var refused: Set<String> = []
        try await stops.walk(through: spots.count) { index in
            let place = spots[index].position
            let (x, y) = (SurveySpotsCommand.metres(place.x), SurveySpotsCommand.metres(place.y))
            return "stand at \(spots[index].name) (\(x), \(y))"
        } visit: { stops, index in
            let spot = spots[index]
            measure(request(spot, isAccepted: refused.contains(spot.name)))
            guard let item = try await stops.wait(spot.name, for: Double(seconds), until: { _ in true })
            else {
                _ = try? await daemon.ask(.delete, ["measurement"])
                return .end
            }
            switch item {
            // One spot that is refused is no reason to lose the walk: it can be skipped.
            case .failed(let error) where [.dataError, .temporary].contains(error.code):
                StandardError.report("\(spot.name): \(error.message)")
                return .stay
            case .failed(let error): throw error
            case .measured(let answer):
                StandardError.print("\(spot.name): \(SurveyText.result(answer))")
                if answer["stored"]?.bool == true {
                    stored.insert(spot.name)
                    return .next
                }
                if ["doubtful", "elsewhere"].contains(answer["reason"]?.string) { refused.insert(spot.name) }
                return .stay
            }
        }
        return stored.count
    }

    private func request(_ spot: PositionSurvey.Spot, isAccepted: Bool) -> JSONObject {
        var body: JSONObject = [
            "name": .string(spot.name), "x": .number(spot.position.x), "y": .number(spot.position.y),
            "seconds": JSONValue(seconds),
        ]
        if spot.hasHeight { body["z"] = .number(spot.position.z) }
        if isAccepted { body["accept"] = true }
        return body
    }
}
