import Flare
package import JSON
import Positioning
import Sensing
import Text
package import Things

/// Lists, removes, exports and imports points.
extension SurveyService {
    /// Whose survey is kept now; for a moment not yet that in which the device is.
    var environment: FlareID? { map?.environment }

    /// The survey of the current environment.
    package func list() -> JSONObject {
        var members: JSONObject = [
            "environment": map.map { .string("\($0.environment)") } ?? .null,
            "points": .array(points.map { .object(Self.json($0)) }),
            "least_points": JSONValue(RadioMap.leastPoints),
        ]
        let used = Set(points.compactMap(\.point.receiver)).union(channel.receivers).sorted()
        members["receivers"] = .array(used.map { .object(json(ofReceiver: $0)) })
        members["measurement"] = progress.map { .object($0) } ?? .null
        return members
    }

    private func json(ofReceiver name: String) -> JSONObject {
        let own = points(of: name)
        let counting = points.map(\.point).counting(for: name)
        var members: JSONObject = [
            "receiver": .string(name), "points": JSONValue(own.count),
            "heard": .bool(channel.receivers.contains(name)),
        ]
        let usable = counting.filter(\.isUsable).count
        let isUsed = settings.isGrid && problems[name] == nil && usable >= RadioMap.leastPoints
        members["map"] = isUsed ? "survey" : "plain"
        if isUsed, let other = counting.first?.receiver, other != name {
            members["survey_of"] = .string(other)
        }
        if case .elsewhere? = problems[name] { members["problem"] = .string(message(for: name, own.count)) }
        return members
    }

    private static func json(_ stored: StoredSurveyPoint) -> JSONObject {
        let point = stored.point
        var members: JSONObject = [
            "id": JSONValue(Int(stored.id)), "name": .string(point.name), "floor": JSONValue(point.floor),
            "x": .number(point.position.x), "y": .number(point.position.y), "z": .number(point.position.z),
            "receiver": .string(point.receiver ?? ""), "beacons": JSONValue(point.levels.count),
        ]
        members["taken_at"] = point.takenAt.map { .string(CivilTime(milliseconds: $0).shortText) }
        members["seconds"] = point.seconds.map { .number($0) }
        return members
    }

    /// A point with its levels.
    package func show(_ word: String) throws(Refusal) -> JSONObject {
        guard let map else { throw Self.noPlace }
        guard let stored = try named(word).first else { throw unknown(word) }
        let names = Dictionary(map.beacons.map { ($0.thing, $0.name) }) { first, _ in first }
        var members = Self.json(stored)
        let judged = stored.point.receiver.map { points(of: $0) } ?? []
        let finding = SurveyCheck(survey: judged, map: map, settings: settings.grid).findings
            .first { $0.point == stored.point.name }
        members["misfit"] = finding.map { .number(($0.misfit * 100).rounded() / 100) }
        members["levels"] = .array(
            stored.point.levels.sorted { $0.value.decibels > $1.value.decibels }.map {
                thing,
                level -> JSONValue in
                var row: JSONObject = [
                    "beacon": .string(names[thing] ?? "\(thing)"), "thing": .string("\(thing)"),
                    "level_db": .number(level.decibels), "packets": .number(level.packets),
                ]
                row["spread_db"] = level.spread.map { .number($0) }
                return .object(row)
            }
        )
        return members
    }

    // MARK: Removing

    /// Removes a point, by its number or its name.
    package func forget(_ word: String) async throws(Refusal) -> Int {
        let found = try named(word)
        guard !found.isEmpty else { throw unknown(word) }
        try await remove(found.map(\.id))
        return found.count
    }

    /// Removes all points of the place, or those of one receiver.
    package func forgetAll(of receiver: String?) async throws(Refusal) -> Int {
        let found = points.filter { receiver == nil || $0.point.receiver == receiver }
        guard !found.isEmpty else { return 0 }
        try await remove(found.map(\.id))
        return found.count
    }

    private func named(_ word: String) throws(Refusal) -> [StoredSurveyPoint] {
        guard map != nil else { throw Self.noPlace }
        let byName = points.filter { $0.point.name == word }
        return byName.isEmpty ? points.filter { "\($0.id)" == word } : byName
    }

    private func unknown(_ word: String) -> Refusal {
        let hint = NearestName.hint(for: word, among: points.map(\.point.name))
        return Refusal(.unknownThing, "the survey has no point \(QuotedValue.of(word))\(hint)")
    }

    // MARK: Files

    /// The points of a receiver as `estimate --survey` reads them, with all that is needed to import them again.
    ///
    /// A point of which no level is left is in no file.
    ///
    /// - Parameters:
    ///   - receiver: `nil` for the one with most points.
    ///   - floor: Must be named where there are points on several, since the file does not say it.
    package func export(_ receiver: String?, floor: Int? = nil) throws(Refusal) -> (csv: String, points: Int)
    {
        guard let map else { throw Self.noPlace }
        let counts = Dictionary(grouping: points, by: \.point.receiver).mapValues(\.count)
        let most = counts.max { ($0.value, $1.key ?? "") < ($1.value, $0.key ?? "") }?.key
        let all = points(of: receiver ?? most ?? "").filter { !$0.levels.isEmpty }
        let floors = Set(all.map(\.floor)).sorted()
        let own = all.filter { floor == nil || $0.floor == floor }
        guard !own.isEmpty else {
            throw Refusal(
                .unknownThing,
                "the survey has no points"
                    + (receiver.map { " of the receiver \(QuotedValue.of($0))" } ?? "")
                    + (floor.map { " on floor \($0)" } ?? "")
            )
        }
        guard floor != nil || floors.count == 1 else {
            let list = floors.map(String.init).joined(separator: ", ")
            throw Refusal(
                .invalidValue,
                "the points are on the floors \(list), and a file is about one: name the floor",
                field: "floor"
            )
        }
        return (RecordedSurvey.csv(own, names: Self.names(of: map)), own.count)
    }

    /// The names of beacons in files: their own if these are different and fit, else the things' identifiers.
    private static func names(of map: BeaconMap) -> [FlareID: String] {
        let counts = Dictionary(grouping: map.beacons, by: \.name).mapValues(\.count)
        return map.beacons.reduce(into: [:]) { names, beacon in
            let isFit =
                counts[beacon.name] == 1 && !beacon.name.isEmpty && beacon.name.utf8.count <= 128
                && !beacon.name.contains(",") && beacon.name.first != " " && beacon.name.last != " "
                && !beacon.name.unicodeScalars.contains(where: HarmfulCharacters.contain)
            names[beacon.thing] = isFit ? beacon.name : "\(beacon.thing)"
        }
    }

    /// Stores the points of a file; nothing if one of them is wrong.
    ///
    /// - Parameters:
    ///   - receiver: Who heard them; `nil` for the one that hears now.
    ///   - floor: Where they are.
    package func `import`(_ csv: [UInt8], receiver: String?, floor: Int) async throws(Refusal) -> JSONObject {
        guard let map else { throw Self.noPlace }
        // Judging many points takes a processor for seconds.
        guard !isImporting else {
            throw Refusal(.rateLimited, "another file is being imported: wait until it is stored")
        }
        isImporting = true
        defer { isImporting = false }
        let recorded = try Self.read(csv, map)
        let receiver = try self.receiver(named: receiver)
        guard floor == 0 || 0..<map.floors.heights.count ~= floor else {
            throw Refusal(.outOfRange, "this place has no floor \(floor)", field: "floor")
        }
        guard !recorded.points.isEmpty else { throw Refusal(.invalidValue, "the file has no points") }
        let now = ports.clock()
        var new: [SurveyPoint] = []
        for point in recorded.points {
            try Self.check(name: point.name)
            guard !point.levels.isEmpty else {
                throw Refusal(
                    .invalidValue,
                    "no beacon of this place is among those of point \(QuotedValue.of(point.name))"
                )
            }
            try check(point.position, map)
            new.append(
                SurveyPoint(
                    name: point.name,
                    environment: map.environment,
                    floor: floor,
                    position: point.position,
                    receiver: receiver,
                    seconds: point.seconds,
                    takenAt: point.takenAt ?? now,
                    levels: point.levels
                )
            )
        }
        let names = Set(new.map(\.name))
        try checkRoom(for: new, names, of: receiver)
        let all = points(of: receiver).filter { !names.contains($0.name) } + new
        let (error, findings) = await Self.judge(all, map, settings.grid)
        if case .elsewhere? = error { throw Refusal(.invalidValue, error?.description ?? "") }
        guard self.map == map else { throw Refusal(.staleTarget, "the place was changed meanwhile") }
        // Others may have stored points while these were judged.
        try checkRoom(for: new, names, of: receiver)
        try await add(new, in: map)
        var answer: JSONObject = [
            "points": JSONValue(new.count), "message": .string(message(for: receiver, all.count)),
            "ignored": JSONValue(recorded.unknown.count),
        ]
        answer["receiver"] = .string(receiver)
        let doubtful = findings.filter(\.isDoubtful).map(\.point)
        if !doubtful.isEmpty { answer["doubtful"] = .array(doubtful.map { .string($0) }) }
        return answer
    }

    private func checkRoom(
        for new: [SurveyPoint],
        _ names: Set<String>,
        of receiver: String
    ) throws(Refusal) {
        let kept = points.count { $0.point.receiver != receiver || !names.contains($0.point.name) }
        guard kept + new.count <= Self.mostPoints else {
            throw Refusal(
                .tooLarge,
                "the survey would have \(kept + new.count) points, and may have \(Self.mostPoints)"
            )
        }
    }

    private func receiver(named name: String?) throws(Refusal) -> String {
        if let name {
            guard !name.isEmpty, name.utf8.count <= 128,
                !name.unicodeScalars.contains(where: HarmfulCharacters.contain)
            else { throw Refusal(.invalidValue, "receiver must be 1 to 128 bytes", field: "receiver") }
            return name
        }
        let hearing = channel.receivers
        guard hearing.count == 1, let only = hearing.first else {
            let list = hearing.isEmpty ? "none has heard anything yet" : QuotedValue.list(hearing)
            throw Refusal(.invalidValue, "name the receiver that heard them: \(list)", field: "receiver")
        }
        return only
    }

    private static func read(_ csv: [UInt8], _ map: BeaconMap) throws(Refusal) -> RecordedSurvey {
        let names = names(of: map)
        let known = map.beacons.flatMap { beacon in
            Set([names[beacon.thing] ?? "", "\(beacon.thing)"]).sorted().map { name in
                BeaconMap.Beacon(
                    thing: beacon.thing,
                    name: name,
                    position: beacon.position,
                    major: beacon.major,
                    minor: beacon.minor,
                    powerAtOneMetre: beacon.powerAtOneMetre
                )
            }
        }
        do throws(CSVError) {
            return try RecordedSurvey(beacons: known, csv: csv)
        } catch {
            throw Refusal(
                .invalidValue,
                error.line.map { "line \($0): \(error.message)" } ?? "the file \(error.message)"
            )
        }
    }
}
